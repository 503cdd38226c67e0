package uscore

import (
	"slices"

	"birthregistry/app/birth"
)

// notAllRead is the reason why a value becomes a hint if an unread resource could contradict it.
const notAllRead = "not all of the chart was read, and what is missing may contradict it"

// leftOpen turns a value into a hint if an unread resource could change or remove it. That resource
// could hold a newer value, a contradiction, or a birth that ends the index pregnancy. So a value
// that is filled in from a partly read chart would also be filled in from the whole chart.
func (f *filler) leftOpen() {
	f.withholdAt(notAllRead, func(at birth.Path) bool { return !f.chart.Whole(f.standsOn(at)...) })
}

// standsOn returns the types of resources on which a value depends. Facts about who the patient
// is depend only on the Patient. Nearly everything else in a mother's chart depends on which
// pregnancy it is, and that depends on all types.
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
