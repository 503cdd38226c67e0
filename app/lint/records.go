package lint

import (
	"slices"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// records holds the records that the Bundles read so far would have created in a practice without
// other records. As on the server, birth.Decide decides what happens to them.
type records struct {
	now     time.Time
	byChart map[string]*record
	live    map[birth.Fingerprint]map[*record]bool // the active records
}

type record struct {
	birth.Current
	fingerprints []birth.Fingerprint
}

// printKey is the key for the fingerprints. It need not be secret, because the fingerprints exist
// only while the program runs.
var printKey = []byte("birthregistry lint")

func newRecords(now time.Time) *records {
	return &records{now, map[string]*record{}, map[birth.Fingerprint]map[*record]bool{}}
}

// decide decides what an item does to a record, and changes the record accordingly. If the item is
// rejected, decide returns the problem, and the places in the Bundle that it concerns.
func (r *records) decide(item mapping.Item) (d birth.Decision, problem *fhir.Problem, at []string) {
	switch {
	case item.Problem != nil && item.Expression != "":
		return d, item.Problem, []string{item.Expression}
	case item.Problem != nil:
		return d, item.Problem, nil
	case item.Draft != nil && item.Draft.Exceeds():
		return d, fhir.TooManyElements, nil
	}
	var fingerprints []birth.Fingerprint
	if item.Draft != nil {
		fingerprints = birth.Mask(*item.Draft).Fingerprints(printKey, 0)
	}
	stamp, stampAt := r.stampOf(item)
	if item.Draft != nil {
		item.Draft.Stamp = stamp.First
		item.Trace.Stamped(item.Stamps, stampAt)
	}
	rec := r.find(item)
	d = birth.Decide(rec.Current, birth.Change{Retraction: item.Retraction, Chart: item.Chart, Stamp: stamp}, r.match(rec, fingerprints))
	switch d.Reason {
	case birth.Stale:
		return d, fhir.Stale, []string{stampAt}
	case birth.WouldDuplicate:
		return d, fhir.WouldDuplicate, []string{item.ChartAt}
	case birth.UnknownChart:
		return d, fhir.UnknownChart, []string{item.ChartAt}
	case birth.NoChart:
		return d, fhir.NoChartNumber, []string{item.ChartAt}
	}
	r.enter(rec, item, d, stamp, fingerprints)
	return d, nil, nil
}

// stampOf returns the first timestamp of an item that isn't too far in the future, and its place in
// the Bundle. A timestamp without an offset is read in UTC, because the practice's time zone isn't
// known.
func (r *records) stampOf(item mapping.Item) (birth.Stamp, string) {
	for _, s := range item.Stamps {
		if stamp, ok := birth.ParseStamp(s.Text, time.UTC); ok && stamp.Usable(r.now) {
			return stamp, s.At
		}
	}
	return birth.Stamp{}, ""
}

// find returns the record that has one of the item's chart numbers. If there is none, it returns a
// new record.
func (r *records) find(item mapping.Item) *record {
	for _, chart := range append([]string{item.Chart}, item.Others...) {
		if rec := r.byChart[chart]; rec != nil && chart != "" {
			return rec
		}
	}
	return &record{}
}

// match compares the fingerprints of a birth with the fingerprints of the other active records.
func (r *records) match(rec *record, fingerprints []birth.Fingerprint) (m birth.Match) {
	for _, print := range fingerprints {
		others := len(r.live[print])
		if r.live[print][rec] {
			others--
		}
		if others > 0 {
			m.Any = true
			m.Changed = m.Changed || !slices.Contains(rec.fingerprints, print)
		}
	}
	return m
}

// enter changes a record according to the decision d about an item.
func (r *records) enter(rec *record, item mapping.Item, d birth.Decision, stamp birth.Stamp, fingerprints []birth.Fingerprint) {
	if d.Action == birth.NoOp {
		return
	}
	for _, print := range rec.fingerprints {
		delete(r.live[print], rec)
	}
	rec.State, rec.Version = d.State, d.Version
	if d.Action == birth.Void {
		return
	}
	if stamp.First.After(rec.Stamp) {
		rec.Stamp = stamp.First
	}
	rec.fingerprints = fingerprints
	for _, print := range fingerprints {
		if r.live[print] == nil {
			r.live[print] = map[*record]bool{}
		}
		r.live[print][rec] = true
	}
	if item.Chart != "" {
		r.byChart[item.Chart] = rec
	}
}
