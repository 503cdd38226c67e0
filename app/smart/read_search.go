package smart

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"birthregistry/app/fhir"
)

// ask is one search: an address, and what is looked for in its answer.
type ask struct {
	resource, address string
	// fits reports whether an entry is what was asked for; nil for any.
	fits func(labels) bool
	// enough reports, after a page, whether those that follow are not needed; nil
	// for never.
	enough func(found) bool
}

// found is what a search gave.
type found struct {
	chart    fhir.Chart
	pages    int   // that were read
	failed   error // why there is not all, nil when there is
	withheld bool  // the EHR granted nothing of it
	// strangers is how many were about somebody else, broken how many had a wrong
	// shape, strays how many were not what was asked for.
	strangers, broken, strays int
	unread                    []string // sentences for the clinician
}

// whole reports whether nothing is missing.
func (f found) whole() bool { return f.failed == nil && !f.withheld && f.broken == 0 }

// isRefused reports whether not even the first page came, for a reason that
// another search might not meet.
func (f found) isRefused() bool {
	return f.pages == 0 && f.failed != nil && !errors.Is(f.failed, ErrBusy)
}

// search reads a search page by page. What kept it from reading all is in the
// result; the error is only for what ends the whole read. It goes no further than
// the first page with what was not asked for.
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

// next returns the address of the page that follows, "" after the last. The
// token goes nowhere but under the issuer's base (M23): anything else, and a
// page that was read already, is errLink. HAPI drops the path behind the base.
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

// underBase returns the path of an address below the issuer's base, "" for the
// base itself, if it is there: same scheme, host and port, and no way out by
// dots.
func (r *reader) underBase(u *url.URL) (rest string, is bool) {
	base, err := url.Parse(r.base)
	if err != nil || u.Scheme != base.Scheme || u.User != nil || authority(u.Scheme, u.Host) != authority(base.Scheme, base.Host) {
		return "", false
	}
	rest, is = strings.CutPrefix(strings.TrimSuffix(u.EscapedPath(), "/"), base.EscapedPath())
	outside := strings.Contains(strings.ReplaceAll(u.Path, `\`, "/")+"/", "/../") || rest != "" && rest[0] != '/'
	return strings.TrimPrefix(rest, "/"), is && !outside
}

// take keeps of a page what is of the type asked for and about the patient.
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

// isAbout reports whether a reference leads to the patient launched: relative,
// or absolute under the issuer's base, with or without a version.
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

// joined puts results together, each resource once.
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

func withoutRepeats(c fhir.Chart) fhir.Chart {
	c.Observations = once(c.Observations, func(o fhir.ChartObservation) string { return o.ID })
	c.Conditions = once(c.Conditions, func(o fhir.Condition) string { return o.ID })
	c.Encounters = once(c.Encounters, func(o fhir.ChartEncounter) string { return o.ID })
	return c
}

// once keeps the first of each id; what has none is kept.
func once[T any](list []T, id func(T) string) []T {
	seen := map[string]bool{}
	kept := list[:0]
	for _, one := range list {
		if !seen[id(one)] {
			kept = append(kept, one)
		}
		seen[id(one)] = id(one) != ""
	}
	return kept
}

// noteMissing notes for the clinician what is missing of name, a plural noun.
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

// reportFailure writes why of is not whole.
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
