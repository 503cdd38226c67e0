package smart

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping/uscore"
)

// categories lists the categories by which Observations are searched if a search by codes doesn't
// work (M22). Each has a name for clinicians. The field many is set for categories in which a chart
// may have very many Observations. Of these, only recent Observations are read at first.
var categories = []struct {
	code, name string
	many       bool
}{
	{"vital-signs", "Vital signs", true},
	{"laboratory", "Laboratory results", true},
	{"social-history", "Social history entries", false},
	{"survey", "Surveys and scores", false},
	{"exam", "Physical exam findings", false},
	{"procedure", "Findings of procedures", false},
}

// errUncategorized means that the EHR has Observations that it doesn't find by category.
var errUncategorized = fmt.Errorf("%w: it does not find all of them by category", ErrUpstream)

// byCategory returns a search for the Observations in a category.
func (r *reader) byCategory(code string, more ...string) ask {
	return ask{
		resource: "Observation", address: r.query("Observation", append([]string{"category", code}, more...)...),
		fits: func(l labels) bool { return l.of(code) },
	}
}

// categorized reads the Observations category by category. In categories marked many, it first
// reads only recent Observations. It reads the older ones if the EHR refuses a search by date, or
// if the recent ones don't show that they cover the pregnancy.
func (o *observations) categorized(ctx context.Context, chart fhir.Chart) (all found, err error) {
	asks := make([]ask, len(categories))
	for i, c := range categories {
		asks[i] = o.byCategory(c.code)
		if c.many {
			asks[i] = o.byCategory(c.code, "date", "ge"+o.recently(), "_sort", "-date")
		}
	}
	sorted, err := o.searches(ctx, asks)
	if err != nil {
		return found{}, err
	}
	chart.Observations = joined(sorted).chart.Observations
	from, _, known := uscore.WeightDays(chart, o.launch)
	enough := known && from >= o.recently()
	for i, c := range categories {
		if err == nil && c.many && sorted[i].strays == 0 && (sorted[i].isRefused() || !enough && sorted[i].failed == nil) {
			sorted[i], err = o.search(ctx, o.byCategory(c.code))
		}
	}
	if err != nil {
		return found{}, err
	}
	return o.combine(ctx, sorted)
}

// combine joins the Observations that were found by category and those found earlier by code. If
// the EHR ignores categories, combine also searches for all Observations.
func (o *observations) combine(ctx context.Context, sorted []found) (all found, err error) {
	all = joined(sorted)
	coded := joined(append([]found{o.listed}, o.latest...)).kept()
	switch {
	case all.strays > 0:
		o.saw(IgnoresCategories)
		everything, err := o.search(ctx, ask{resource: "Observation", address: o.query("Observation", "_sort", "-date")})
		if err == nil && everything.isRefused() {
			everything, err = o.search(ctx, ask{resource: "Observation", address: o.query("Observation")})
		}
		return joined([]found{everything, coded, all.kept()}), err
	case !slices.ContainsFunc(sorted, func(f found) bool { return f.pages > 0 }): // no search by category worked, so only the results by code remain
		all = coded
		all.failed = cmp.Or(o.listed.failed, sorted[0].failed)
		return all, nil
	}
	categorized := usedObservations(all)
	all = joined([]found{all, coded})
	all.failed = nil // each category reports its own failure
	for i, f := range sorted {
		all.withheld = all.withheld || f.failed != nil
		all.reportFailure(categories[i].name, f)
	}
	switch {
	case slices.ContainsFunc(usedObservations(coded), func(one fhir.ChartObservation) bool { return o.misses(categorized, one) }):
		all.failed = errUncategorized
	case len(usedObservations(coded)) == 0 && len(categorized) > 0 && !o.listed.isRefused():
		o.saw(IgnoresCodes)
	}
	return all, nil
}

// misses reports whether the searches by category should have found an Observation but didn't. The
// searches may have been limited to recent years, so misses returns false for an older Observation.
func (o *observations) misses(all []fhir.ChartObservation, one fhir.ChartObservation) bool {
	day := dayOf(&one)
	return (day == "" || day >= o.recently()) &&
		!slices.ContainsFunc(all, func(known fhir.ChartObservation) bool { return known.ID == one.ID })
}

// kept returns a search result with its resources and only three of its counts. These are the
// counts of pages, of resources about other patients (strangers), and of resources that couldn't be
// read (broken).
func (f found) kept() found {
	return found{chart: f.chart, pages: f.pages, strangers: f.strangers, broken: f.broken}
}

// usedObservations returns the Observations that the mapping uses.
func usedObservations(f found) (all []fhir.ChartObservation) {
	for _, one := range f.chart.Observations {
		if one.Code.HasCode(chartCodes...) {
			all = append(all, one)
		}
	}
	return all
}
