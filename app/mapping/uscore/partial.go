package uscore

import (
	"slices"

	"birthregistry/app/birth"
)

// notAllRead is the reason why a value becomes a hint if a resource that wasn't read could
// contradict it.
const notAllRead = "not all of the chart was read, and what is missing may contradict it"

// leftOpen turns a value into a hint if a resource that wasn't read could change or remove it. Such
// a resource could have a newer value, a contradiction, or a birth that ends the index pregnancy.
// Any value that is filled in from a partly read chart would therefore also be filled in from the
// whole chart.
func (f *filler) leftOpen() {
	f.withholdAt(notAllRead, func(at birth.Path) bool { return !f.chart.Whole(f.standsOn(at)...) })
}

// standsOn returns the types of resources on which a value depends. Facts about who the patient is
// depend only on the Patient. In a mother's chart, nearly every other value depends on which
// pregnancy it belongs to, and this depends on all types.
func (f *filler) standsOn(at birth.Path) []string {
	switch {
	case slices.Contains(f.own, at.Field) && at.List != birth.ProviderList:
		return nil
	case f.mothers && f.ofOnePregnancy(at.Field):
		return []string{"Observation", "Condition", "Encounter"}
	case slices.Contains(foundAtBirth, at.Field):
		return []string{"Condition"}
	}
	return []string{"Observation"}
}
