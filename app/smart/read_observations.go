package smart

import (
	"context"
	"net/url"
	"slices"
	"strings"
)

// codesAtOnce is how many codes one search names: its address stays below
// 2,000 characters, which every server and proxy takes.
const codesAtOnce = 40

// categories are what Observations are asked for by where codes do not serve
// (M22), with their names for a clinician.
var categories = []struct{ code, name string }{
	{"vital-signs", "Vital signs"},
	{"laboratory", "Laboratory results"},
	{"social-history", "Social history entries"},
	{"survey", "Surveys and scores"},
	{"exam", "Physical exam findings"},
	{"procedure", "Findings of procedures"},
}

// query returns the address of a search for what is about the patient, with one
// more parameter unless its name is empty.
func (r *reader) query(resource, name, value string) string {
	values := url.Values{"patient": {r.patient}, "_count": {"100"}}
	if name != "" {
		values.Set(name, value)
	}
	return r.base + "/" + resource + "?" + values.Encode()
}

// readObservations asks by code, which fetches only what the mapping knows. A
// list of codes is more than US Core asks of a server: where it is refused, or
// finds nothing at all, since some read the list as one code, it asks per
// category, of which each one refused costs only itself.
func (r *reader) readObservations(ctx context.Context, k kind) (found, error) {
	var byCode []string
	for codes := range slices.Chunk(chartCodes, codesAtOnce) {
		byCode = append(byCode, r.query(k.resource, "code", "http://loinc.org|"+strings.Join(codes, ",http://loinc.org|")))
	}
	coded, err := r.searches(ctx, k.resource, byCode)
	if err != nil {
		return found{}, err
	}
	all := joined(coded)
	refused := slices.ContainsFunc(coded, found.isRefused)
	if !refused && !all.isEmpty() {
		all.tell(k.name)
		return all, nil
	}

	var byCategory []string
	for _, c := range categories {
		byCategory = append(byCategory, r.query(k.resource, "category", c.code))
	}
	sorted, err := r.searches(ctx, k.resource, byCategory)
	if err != nil {
		return found{}, err
	}
	none := !slices.ContainsFunc(sorted, func(f found) bool { return f.pages > 0 })
	if none { // then what came by code is all, with the reason that more did not
		all.tell(k.name)
		return all, nil
	}
	all = joined(append(coded, sorted...))
	all.failed = nil // each category says it for itself
	all.tell(k.name)
	for i, f := range sorted {
		all.tellFailure(categories[i].name, f)
	}
	return all, nil
}

// searches runs searches at the same time.
func (r *reader) searches(ctx context.Context, resource string, addresses []string) ([]found, error) {
	all := make([]found, len(addresses))
	err := r.together(ctx, len(addresses), func(ctx context.Context, i int) (err error) {
		all[i], err = r.search(ctx, resource, addresses[i])
		return err
	})
	return all, err
}

// grants reports whether the scopes of a token answer allow searching a
// resource (SMART App Launch 2.2.0, "Scopes"; version 1 has read and *, version
// 2 letters of cruds). No scopes at all are those that were asked for (RFC 6749
// 5.1).
func grants(scopes []string, resource string) bool {
	return len(scopes) == 0 || slices.ContainsFunc(scopes, func(scope string) bool {
		level, what, _ := strings.Cut(scope, "/")
		of, may, _ := strings.Cut(what, ".")
		may, _, _ = strings.Cut(may, "?")
		return slices.Contains([]string{"patient", "user", "system"}, level) && (of == resource || of == "*") &&
			(may == "read" || may == "*" || strings.Trim(may, "cruds") == "" && strings.Contains(may, "s"))
	})
}
