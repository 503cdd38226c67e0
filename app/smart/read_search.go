package smart

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping/uscore"
)

// ask is one search: its address, and which resources in the answer are wanted.
type ask struct {
	resource, address string
	// fits reports whether an entry is what was searched for; nil accepts any.
	fits func(labels) bool
	// enough reports, after each page, whether no more pages are needed. If it is nil, all pages
	// are read.
	enough func(found) bool
}

// found is the result of a search.
type found struct {
	chart    fhir.Chart
	pages    int   // the number of pages that were read
	failed   error // why the result is incomplete, or nil if it isn't
	withheld bool  // set if the EHR granted no access, or if a search by category failed
	// strangers counts resources about other patients, broken counts resources that couldn't be
	// read, and strays counts resources that weren't searched for.
	strangers, broken, strays int
	unread                    []string // sentences for the clinician
}

// whole reports whether nothing is missing.
func (f found) whole() bool { return f.failed == nil && !f.withheld && f.broken == 0 }

// isRefused reports whether not even the first page could be read, though the server wasn't busy.
// Another search may still succeed.
func (f found) isRefused() bool {
	return f.pages == 0 && f.failed != nil && !errors.Is(f.failed, ErrBusy)
}

// search reads the results of a search page by page. If they are incomplete, the result states
// why; search returns an error only for a problem that ends the whole read. It stops at the
// first page with resources that weren't searched for.
func (r *reader) search(ctx context.Context, a ask) (f found, err error) {
	seen := map[string]bool{}
	for address := a.address; address != ""; {
		seen[address] = true
		body, err := r.call(ctx, address)
		if errors.Is(err, errSpent) || errors.Is(err, context.Canceled) {
			return f, err
		}
		var p page
		if err == nil {
			p, err = readPage(body)
		}
		if err == nil {
			f.pages++
			err = r.take(&f, p, a)
		}
		if err == nil && (f.strays > 0 || a.enough != nil && a.enough(f)) {
			break
		}
		if err == nil {
			address, err = r.next(address, p.next(), seen)
		}
		if err != nil {
			f.failed = err
			break
		}
	}
	f.chart = withoutRepeats(f.chart)
	return f, nil
}

// next returns the address of the next page, or "" after the last one. The token is sent only to
// addresses under the issuer's base (M23). For any other address, and for a page that was read
// already, next returns errLink. After too many pages, it returns errTooMuch. It accepts the links
// of HAPI FHIR servers, which drop the path after the base.
func (r *reader) next(current, link string, seen map[string]bool) (string, error) {
	if link == "" {
		return "", nil
	}
	at, err := url.Parse(current)
	if err != nil || strings.ContainsFunc(link, unfitForAddress) {
		return "", errLink
	}
	to, err := at.Parse(link)
	if err != nil || seen[to.String()] {
		return "", errLink
	}
	if _, under := r.underBase(to); !under {
		return "", errLink
	}
	if _, err := r.out.permitted(to.String()); err != nil {
		return "", errLink
	}
	if r.pages.Add(-1) < 0 {
		return "", errTooMuch
	}
	return to.String(), nil
}

// underBase reports whether an address is under the issuer's base: with the same scheme, host and
// port, and without dot segments that lead out. It also returns the path below the base, or "" for
// the base itself.
func (r *reader) underBase(u *url.URL) (rest string, is bool) {
	base, err := url.Parse(r.base)
	if err != nil || u.Scheme != base.Scheme || u.User != nil || authority(u.Scheme, u.Host) != authority(base.Scheme, base.Host) {
		return "", false
	}
	rest, is = strings.CutPrefix(strings.TrimSuffix(u.EscapedPath(), "/"), base.EscapedPath())
	outside := strings.Contains(strings.ReplaceAll(u.Path, `\`, "/")+"/", "/../") || rest != "" && rest[0] != '/'
	return strings.TrimPrefix(rest, "/"), is && !outside
}

// take adds to f the resources of a page that have the requested type and are about the patient. It
// counts resources about other patients, resources that it can't read, and resources that weren't
// searched for. It returns errTooMuch once the chart is too large.
func (r *reader) take(f *found, p page, a ask) error {
	for _, raw := range p.Entry {
		entry, err := readEntry(raw)
		switch {
		case err != nil:
			f.broken++
			continue
		case entry.isNotData(a.resource):
			continue
		case !r.isAbout(entry.head.Subject.Reference):
			f.strangers++
			continue
		}
		if err := r.spend(entry.Resource); err != nil {
			return err
		}
		says := entry.labels()
		if a.fits != nil && !a.fits(says) {
			f.strays++
		}
		if f.chart.Add(entry.Resource) != nil && says.matters() {
			f.broken++
		}
	}
	return nil
}

// isAbout reports whether a reference leads to the launched patient: relative, or
// absolute under the issuer's base, with or without a version.
func (r *reader) isAbout(reference string) bool {
	if strings.Contains(reference, "://") {
		u, err := url.Parse(reference)
		if err != nil || u.RawQuery != "" || u.Fragment != "" {
			return false
		}
		under := false
		if reference, under = r.underBase(u); !under {
			return false
		}
	}
	reference, _, _ = strings.Cut(reference, "/_history/")
	return reference == "Patient/"+r.patient
}

// joined merges results, with each resource once.
func joined(all []found) (f found) {
	for _, one := range all {
		f.chart.Observations = append(f.chart.Observations, one.chart.Observations...)
		f.chart.Conditions = append(f.chart.Conditions, one.chart.Conditions...)
		f.chart.Encounters = append(f.chart.Encounters, one.chart.Encounters...)
		f.pages += one.pages
		f.strangers += one.strangers
		f.broken += one.broken
		f.strays += one.strays
		f.withheld = f.withheld || one.withheld
		f.unread = append(f.unread, one.unread...)
		if f.failed == nil {
			f.failed = one.failed
		}
	}
	f.chart = withoutRepeats(f.chart)
	return f
}

// withoutRepeats drops repeated resources. It keeps different versions of a resource, because
// package uscore chooses between them.
func withoutRepeats(c fhir.Chart) fhir.Chart {
	c.Observations = once(c.Observations, func(o fhir.ChartObservation) string { return o.ID })
	c.Conditions = once(c.Conditions, func(o fhir.Condition) string { return o.ID })
	c.Encounters = once(c.Encounters, func(o fhir.ChartEncounter) string { return o.ID })
	return c
}

// once drops an item that equals an earlier one with the same id. It keeps every item without an
// id.
func once[T any](list []T, id func(T) string) []T {
	first, texts := map[string]int{}, map[string]map[string]bool{}
	kept := list[:0]
	for _, one := range list {
		at, again := first[id(one)]
		switch {
		case id(one) == "":
		case !again:
			first[id(one)] = len(kept)
		default: // few items repeat, so few are encoded
			if texts[id(one)] == nil {
				texts[id(one)] = map[string]bool{uscore.Written(kept[at]): true}
			}
			text := uscore.Written(one)
			if texts[id(one)][text] {
				continue
			}
			texts[id(one)][text] = true
		}
		kept = append(kept, one)
	}
	return kept
}

// noteMissing adds sentences for the clinician about what is missing. name is a plural noun, such
// as "Visits".
func (f *found) noteMissing(name string) {
	f.reportFailure(name, *f)
	leftOut := func(n int, one, many string) {
		switch {
		case n == 1:
			f.unread = append(f.unread, name+": 1 was left out because "+one+".")
		case n > 1:
			f.unread = append(f.unread, fmt.Sprintf("%s: %d were left out because %s.", name, n, many))
		}
	}
	leftOut(f.strangers, "it is not about this patient", "they are not about this patient")
	leftOut(f.broken, "it could not be understood", "they could not be understood")
}

// reportFailure adds a sentence for the clinician if a search failed. name is a plural noun for
// what was searched, such as "Visits", and of is the result of the search.
func (f *found) reportFailure(name string, of found) {
	if of.failed == nil {
		return
	}
	how := " could not be read: "
	if of.pages > 0 {
		how = " could be read only in part: "
	}
	f.unread = append(f.unread, name+how+inPlainWords(of.failed)+".")
}
