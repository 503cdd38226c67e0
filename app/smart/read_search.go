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

// ask is one search. It has an address, and says which of the results are wanted.
type ask struct {
	resource, address string
	// fits reports whether a result is what was searched for. If fits is nil, every result is.
	fits func(labels) bool
	// enough is called after each page and reports whether no more pages are needed. If enough is
	// nil, all pages are read.
	enough func(found) bool
}

// found is the result of a search.
type found struct {
	chart    fhir.Chart
	pages    int   // the number of pages that were read
	failed   error // the reason why the result is incomplete, or nil
	withheld bool  // set if the EHR granted no access, or if a search by category failed
	// strangers counts resources about other patients. broken counts resources that couldn't be
	// read. strays counts resources that weren't searched for.
	strangers, broken, strays int
	incomplete                bool     // set if the EHR said that results are missing, or counted more of them
	unread                    []string // sentences for the clinician
}

// whole reports whether the result is complete.
func (f found) whole() bool { return f.failed == nil && !f.withheld && f.broken == 0 }

// isRefused reports whether not even the first page could be read, although the server wasn't busy.
// A different search may still succeed.
func (f found) isRefused() bool {
	return f.pages == 0 && f.failed != nil && !errors.Is(f.failed, ErrBusy)
}

// search reads the results of a search page by page. It stops at the first page with a resource
// that wasn't searched for. If the results are incomplete, f.failed holds the reason. search
// returns an error only for a problem that ends the whole read.
func (r *reader) search(ctx context.Context, a ask) (f found, err error) {
	seen, entries := map[string]bool{}, 0
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
			entries += len(p.Entry)
			err = r.take(&f, p, a)
		}
		if err == nil && (f.strays > 0 || a.enough != nil && a.enough(f)) {
			break
		}
		if err == nil {
			address, err = r.next(address, p.next(), seen)
			f.incomplete = f.incomplete || address == "" && entries < p.total()
		}
		if err != nil {
			f.failed = err
			break
		}
	}
	if f.incomplete && f.failed == nil {
		f.failed = errIncomplete
	}
	f.chart = withoutRepeats(f.chart)
	return f, nil
}

// next returns the address of the next page, or "" after the last one. The token is sent only to
// addresses under the issuer's base (M23). For any other address, and for a page that was already
// read, next returns errLink. After too many pages, it returns errTooMuch. It also accepts the
// links of HAPI FHIR servers, although these lack the path below the base.
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

// underBase reports whether an address is under the issuer's base. The scheme, host and port must
// be the same, and the path must not lead out of the base with dot segments. underBase also returns
// the path below the base. That path is "" for the base itself.
func (r *reader) underBase(u *url.URL) (rest string, is bool) {
	base, err := url.Parse(r.base)
	if err != nil || u.Scheme != base.Scheme || u.User != nil || authority(u.Scheme, u.Host) != authority(base.Scheme, base.Host) {
		return "", false
	}
	rest, is = strings.CutPrefix(strings.TrimSuffix(u.EscapedPath(), "/"), base.EscapedPath())
	outside := strings.Contains(strings.ReplaceAll(u.Path, `\`, "/")+"/", "/../") || rest != "" && rest[0] != '/'
	return strings.TrimPrefix(rest, "/"), is && !outside
}

// take adds the resources of a page to f if they have the requested type and are about the patient.
// It counts the resources that are about other patients, that it can't read, or that weren't
// searched for. It returns errTooMuch once the chart is too large.
func (r *reader) take(f *found, p page, a ask) error {
	for _, raw := range p.Entry {
		entry, err := readEntry(raw)
		switch {
		case err != nil:
			f.broken++
			continue
		case entry.isNotData(a.resource):
			f.incomplete = f.incomplete || entry.saysIncomplete()
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

// isAbout reports whether a reference is to the launched patient. The reference may be relative or
// an absolute address under the issuer's base, and may include a version.
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

// joined merges search results. A resource that is in several of them is included only once.
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

// withoutRepeats drops repeated resources. It keeps different versions of the same resource,
// because package uscore chooses between them.
func withoutRepeats(c fhir.Chart) fhir.Chart {
	c.Observations = once(c.Observations, func(o fhir.ChartObservation) string { return o.ID })
	c.Conditions = once(c.Conditions, func(o fhir.Condition) string { return o.ID })
	c.Encounters = once(c.Encounters, func(o fhir.ChartEncounter) string { return o.ID })
	return c
}

// once drops each item that has the same id and the same content as an earlier item. It keeps every
// item without an id.
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

// noteMissing adds sentences for the clinician about what is missing. The argument name is a plural
// noun for what was searched for, such as "Visits".
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

// reportFailure adds a sentence for the clinician if a search has failed. It is called with the
// result of the search, and with a plural noun for what was searched for, such as "Visits".
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
