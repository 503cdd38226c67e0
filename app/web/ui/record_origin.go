package ui

import (
	"fmt"
	"slices"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/views"
)

// origin holds where a value came from: its source, and the version that set the value.
type origin struct {
	source birth.Source
	set    *records.Event // the version that set the value, or nil if it isn't known
}

// version returns the number of the version that set the value, or 0 if it isn't known.
func (o origin) version() int {
	if o.set == nil {
		return 0
	}
	return o.set.Version
}

// origins holds the origin that most values of a record have in common. The page states this origin
// once, and then marks only values with a different origin.
type origins struct {
	usual origin
	// mixed is true if at least one value has a different origin.
	mixed bool
	zone  *time.Location
}

// originsOf returns the origin that most values of a record have in common. If several origins are
// equally common, it returns the oldest one.
func originsOf(rec records.Record, zone *time.Location) origins {
	type key struct {
		source  birth.Source
		version int
	}
	known, of := map[key]int{}, map[key]origin{}
	for _, o := range everyOrigin(rec) {
		at := key{o.source, o.version()}
		known[at]++
		of[at] = o
	}
	out := origins{zone: zone, mixed: len(known) > 1}
	var best key
	for at, n := range known {
		if n > known[best] || n == known[best] && (at.version < best.version || at.version == best.version && at.source < best.source) {
			best = at
		}
	}
	out.usual = of[best]
	out.mixed = out.mixed || slices.ContainsFunc(rec.Transfers, func(t records.Transfer) bool {
		return t.Source != "" && t.Source != out.usual.source
	})
	return out
}

// everyOrigin returns the origin of every value on the page. Transfers have no version in their
// origin, because only their source is known.
func everyOrigin(rec records.Record) (all []origin) {
	for _, list := range append([]records.Values{rec.Mother, rec.Care}, rec.Children...) {
		for _, v := range list {
			all = append(all, originOf(v))
		}
	}
	for _, p := range rec.Providers {
		all = append(all, providerOrigin(rec, p.Attending))
	}
	if rec.Consent.Recorded {
		all = append(all, typedOrigin(rec.ConsentSet))
	}
	for _, own := range rec.CustomFields {
		all = append(all, typedOrigin(own.SetIn))
	}
	return all
}

func originOf(v records.Value) origin { return origin{v.Value.Source, v.SetIn} }

// typedOrigin returns the origin of facts for which the record stores no source, such as the
// consent. set is the version that set the facts. If a chart from an EHR filled in the form of that
// version, the source is birth.Manual nevertheless, because a chart has no such facts. A user typed
// them.
func typedOrigin(set *records.Event) origin {
	switch {
	case set == nil:
		return origin{}
	case set.Source == birth.EHRPull:
		return origin{birth.Manual, set}
	}
	return origin{set.Source, set}
}

// providerOrigin returns the origin of a provider. In a form that a chart has filled in, a user
// typed all providers except the attendant. The record states the attendant's source.
func providerOrigin(rec records.Record, attending bool) origin {
	o := typedOrigin(rec.ProvidersSet)
	if o.set == nil || o.set.Source != birth.EHRPull || !attending {
		return o
	}
	if v, ok := rec.Care.Get("attendant_name"); ok {
		o.source = v.Value.Source
	}
	return o
}

// mark adds the source of a fact, and the version that set the fact, if they differ from what most
// values have in common (see origins). If the fact is a time, mark also adds the name of the time
// zone.
func (o origins) mark(f views.Fact, from origin) views.Fact {
	f.Value = birth.NameZone(f.Value, o.zone)
	if from.source != "" && from.source != o.usual.source {
		f.Source = from.source.Label()
	}
	if from.set != nil && from.version() != o.usual.version() {
		f.SetIn = fmt.Sprintf("set in version %d on %s by %s", from.set.Version, from.set.At.In(o.zone).Format("Jan 2, 2006"), from.set.Who())
	}
	return f
}

// entered maps a source to the end of a sentence, which states how values from this source were
// entered: by whom, and on which day.
var entered = map[birth.Source]string{
	birth.Manual: "entered by hand by %s on %s", birth.CSV: "imported from a file by %s on %s",
	birth.FHIRPush: "pushed by %s on %s", birth.EHRPull: "filled in from the EHR and saved by %s on %s",
}

// lead returns a line with the record's chart number and version, and states where most of its
// values came from.
func (o origins) lead(rec records.Record) string {
	chart := "No chart number"
	if rec.ChartNumber != "" {
		chart = "Chart " + rec.ChartNumber
	}
	text := fmt.Sprintf("%s · version %d", chart, rec.Version)
	if o.usual.set == nil || entered[o.usual.source] == "" {
		return text
	}
	text += " · " + fmt.Sprintf(entered[o.usual.source], o.usual.set.Who(), o.usual.set.At.In(o.zone).Format("Jan 2, 2006"))
	if o.mixed {
		text += ", unless marked otherwise"
	}
	return text
}
