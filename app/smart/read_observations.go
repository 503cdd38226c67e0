package smart

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping/uscore"
)

// The LOINC codes by which Observations are searched. chartCodes has all codes that the mapping
// uses. A chart has only a few Observations with one of the statedCodes. It may have many with one
// of the latestCodes, such as body heights, but only the newest one for each code is needed.
var (
	chartCodes  = uscore.Codes()
	statedCodes = uscore.StatedCodes()
	latestCodes = uscore.LatestCodes()
)

// query returns the address of a search for the patient's resources. The argument more holds
// further parameters, each name followed by its value.
func (r *reader) query(resource string, more ...string) string {
	values := url.Values{"patient": {r.patient}, "_count": {"100"}}
	for i := 0; i+1 < len(more); i += 2 {
		values.Add(more[i], more[i+1])
	}
	return r.base + "/" + resource + "?" + values.Encode()
}

// byCodes returns a search for Observations by a list of codes. Even with all codes, its address is
// shorter than 2,000 characters, which every server and proxy accepts.
func (r *reader) byCodes(codes []string, more ...string) ask {
	list := "http://loinc.org|" + strings.Join(codes, ",http://loinc.org|")
	return ask{
		resource: "Observation", address: r.query("Observation", append([]string{"code", list}, more...)...),
		fits: func(l labels) bool { return l.has(codes...) },
	}
}

// manner is a way to search an EHR for Observations.
type manner int

const (
	byList     manner = iota // by a list of codes, which finds only what is used
	byCode                   // one code at a time
	byCategory               // category by category, if searching by code doesn't work (M22)
)

// observations reads the Observations of a chart. It searches by a list of codes only if the server
// has shown that it searches for the whole list. If the server searches for only part of the list,
// observations searches for one code at a time. If the server returns other codes, refuses the list
// or finds nothing at all, observations searches by category. If the search of one category fails,
// only that category is lost.
type observations struct {
	*reader
	how     manner
	listed  found   // the results of searching by a list of codes or by single codes
	latest  []found // the results for each of the latestCodes
	conduct []Conduct
}

// begin reads the Observations of which a chart has only a few (statedCodes). For each code of
// which a chart may have many (latestCodes), it reads the newest one.
func (o *observations) begin(ctx context.Context) (err error) {
	asks := []ask{o.byCodes(statedCodes)}
	for _, code := range latestCodes {
		asks = append(asks, o.newest(code))
	}
	all, err := o.searches(ctx, asks)
	if err != nil {
		return err
	}
	o.listed, o.latest = all[0], all[1:]
	for i := range o.latest {
		if o.latest[i].isRefused() { // the server may have refused the requested order
			if o.latest[i], err = o.search(ctx, o.byCodes(latestCodes[i:i+1])); err != nil {
				return err
			}
		}
	}
	switch {
	case joined(all).strays > 0:
		o.saw(IgnoresCodes)
		o.how = byCategory
	case o.listed.isRefused():
		o.how = byCategory
	case o.listed.failed == nil:
		o.how, err = o.trust(ctx)
	}
	if err == nil && o.how == byCode {
		err = o.oneByOne(ctx)
	}
	return err
}

// trust finds out how the server searches for a list of codes. It repeats the search with the list
// reversed. In the middle of the list it puts a code that the chart is known to have. A server may
// search for only the first or the last few codes. If it finds the code in the middle, it searches
// for at least half of the list, so that the two results together are complete.
func (o *observations) trust(ctx context.Context) (manner, error) {
	known, err := o.present(ctx)
	if err != nil || known == "" {
		return byCategory, err
	}
	list := slices.DeleteFunc(slices.Clone(statedCodes), func(code string) bool { return code == known })
	slices.Reverse(list)
	asks := []ask{o.byCodes(slices.Insert(slices.Clone(list), len(list)/2, known))}
	if !slices.Contains(statedCodes, known) { // a chart may have hundreds of such Observations
		asks[0].enough = func(f found) bool { return has(f, known) }
		asks = append(asks, o.byCodes(list))
	}
	all, err := o.searches(ctx, asks)
	f := joined(all)
	switch {
	case err != nil:
		return byList, err
	case f.strays > 0:
		o.saw(IgnoresCodes)
		return byCategory, nil
	case !has(f, known) && f.failed == nil:
		o.saw(PartOfLists)
		return byCode, nil
	}
	o.listed = joined([]found{o.listed, f}) // if that search failed, it shows nothing about the server
	return byList, nil
}

// present returns a code for which the chart has an Observation, or "" if there is none. It tries
// the statedCodes first, then the latestCodes, and then the codes for body weights.
func (o *observations) present(ctx context.Context) (string, error) {
	for _, code := range statedCodes {
		if has(o.listed, code) {
			return code, nil
		}
	}
	for i, code := range latestCodes {
		if has(o.latest[i], code) {
			return code, nil
		}
	}
	for _, code := range uscore.WeightCodes() {
		one := o.byCodes([]string{code})
		one.enough = func(found) bool { return true }
		if f, err := o.search(ctx, one); err != nil || has(f, code) {
			return code, err
		}
	}
	return "", nil
}

// has reports whether any Observation in f, or any of its components, has the code.
func has(f found, code string) bool {
	return slices.ContainsFunc(f.chart.Observations, func(one fhir.ChartObservation) bool {
		return one.Code.HasCode(code) || slices.ContainsFunc(one.Component, func(c fhir.Component) bool { return c.Code.HasCode(code) })
	})
}

// oneByOne searches for one code at a time. If the EHR refuses a search or returns other codes,
// oneByOne changes o.how to byCategory, so that the Observations are searched by category.
func (o *observations) oneByOne(ctx context.Context) error {
	var asks []ask
	for _, code := range statedCodes {
		asks = append(asks, o.byCodes([]string{code}))
	}
	all, err := o.searches(ctx, asks)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(all, found.isRefused) || joined(all).strays > 0 {
		o.how = byCategory
	}
	o.listed = joined(append(all, o.listed))
	return nil
}

// finish reads the remaining Observations. It is called after the rest of the chart was read.
func (o *observations) finish(ctx context.Context, chart fhir.Chart) (all found, err error) {
	if o.how == byCategory {
		all, err = o.categorized(ctx, chart)
	} else {
		all = joined(append([]found{o.listed}, o.latest...))
		chart.Observations = all.chart.Observations
		var weighed found
		weighed, err = o.weights(ctx, chart)
		all = joined([]found{all, weighed})
	}
	unread := all.unread
	all.unread = nil
	all.noteMissing("Measurements")
	all.unread = append(all.unread, unread...)
	return all, err
}

// searches runs several searches at the same time. It returns their results in the order of asks.
func (r *reader) searches(ctx context.Context, asks []ask) ([]found, error) {
	all := make([]found, len(asks))
	err := r.together(ctx, len(asks), func(ctx context.Context, i int) (err error) {
		all[i], err = r.search(ctx, asks[i])
		return err
	})
	return all, err
}

// grants reports whether scopes allow searching for a type of resource (SMART App Launch 2.2.0,
// "Scopes"). A version 1 scope ends in read or *. A version 2 scope ends in some of the letters
// cruds. An empty list means that the requested scopes were granted (RFC 6749 5.1).
func grants(scopes []string, resource string) bool {
	return len(scopes) == 0 || slices.ContainsFunc(scopes, func(scope string) bool { return allows(scope, resource) })
}

// allows reports whether one scope allows searching for a type of resource, or for some of it.
func allows(scope, resource string) bool {
	level, what, _ := strings.Cut(scope, "/")
	of, may, _ := strings.Cut(what, ".")
	may, _, _ = strings.Cut(may, "?")
	return slices.Contains([]string{"patient", "user", "system"}, level) && (of == resource || of == "*") &&
		(may == "read" || may == "*" || strings.Trim(may, "cruds") == "" && strings.Contains(may, "s"))
}

// grantedCategories lists the categories that a chart needs and for which US Core has scopes of their
// own. If an EHR grants all of them for a type, it has withheld nothing of this type that is used.
var grantedCategories = map[string][]string{
	"Condition":   {"encounter-diagnosis", "problem-list-item"},
	"Observation": {"vital-signs", "laboratory", "social-history", "survey"},
}

// limits reports whether scopes allow searching for only some resources of a type, such as those of
// one category (patient/Condition.rs?category=…). The EHR may then leave out the others without
// saying so.
func limits(scopes []string, resource string) bool {
	var queries []string
	for _, scope := range scopes {
		_, query, limited := strings.Cut(scope, "?")
		switch {
		case !allows(scope, resource):
		case !limited:
			return false
		default:
			queries = append(queries, query)
		}
	}
	all := grantedCategories[resource]
	return len(queries) > 0 && (len(all) == 0 || slices.ContainsFunc(all, func(category string) bool {
		return !slices.ContainsFunc(queries, func(query string) bool {
			return query == "category="+category || strings.HasPrefix(query, "category=") && strings.HasSuffix(query, "|"+category)
		})
	}))
}
