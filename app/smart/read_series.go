package smart

import (
	"cmp"
	"context"
	"time"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping/uscore"
)

// A chart may hold a thousand weights and heights. The searches ask for the newest ones first.
// Searches for weights also ask only for the days that the mapping uses. If a server refuses such a
// search, it is repeated without the days and the order. A server may also ignore the order, so
// newestFirst checks the results.

const (
	seriesPages = 5 // pages of weights that are read if they come newest first
	shown       = 5 // results needed to show that they come newest first
)

// newest returns a search for the newest Observation with a code.
func (r *reader) newest(code string) ask {
	a := r.byCodes([]string{code}, "_sort", "-date")
	a.enough = func(f found) bool { return newestFirst(f.chart.Observations) }
	return a
}

// weights reads the body weights of the days that the mapping uses (uscore.WeightDays).
func (o *observations) weights(ctx context.Context, chart fhir.Chart) (found, error) {
	from, to, any := uscore.WeightDays(chart, o.launch)
	if !any {
		return found{}, nil
	}
	var asks, plain []ask
	for _, code := range uscore.WeightCodes() {
		bounded, all := o.byCodes([]string{code}, "date", "ge"+from, "date", "le"+to, "_sort", "-date"), o.byCodes([]string{code})
		enough := func(f found) bool { return f.pages >= seriesPages && newestFirst(f.chart.Observations) }
		bounded.enough, all.enough = enough, enough
		asks, plain = append(asks, bounded), append(plain, all)
	}
	got, err := o.searches(ctx, asks)
	for i := range got {
		if err == nil && got[i].isRefused() {
			got[i], err = o.search(ctx, plain[i])
		}
		if got[i].strays > 0 && got[i].failed == nil {
			got[i].failed = errUnreadable
		}
	}
	return joined(got), err
}

// newestFirst reports whether the results show that the server returns the newest Observations
// first. There must be at least shown Observations, and the first must be newer than the last. None
// may be newer than the one before it, except by one day, because of time zones.
func newestFirst(all []fhir.ChartObservation) bool {
	if len(all) < shown {
		return false
	}
	first, last := "", ""
	for i := range all {
		day := dayOf(&all[i])
		if day == "" || last != "" && day > nextDay(last) {
			return false
		}
		first, last = cmp.Or(first, day), day
	}
	return first > nextDay(last)
}

func dayOf(o *fhir.ChartObservation) string {
	at := cmp.Or(o.EffectiveDateTime, o.EffectivePeriod.Start, o.EffectiveInstant)
	if len(at) < len(time.DateOnly) {
		return ""
	}
	return at[:len(time.DateOnly)]
}

func nextDay(date string) string {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return ""
	}
	return day.AddDate(0, 0, 1).Format(time.DateOnly)
}
