package uscore

import (
	"slices"

	"birthregistry/app/birth"
)

// notAllRead is why a value is not filled in that something unread could contradict.
const notAllRead = "not all of the chart was read, and what is missing may contradict it"

// leftOpen makes hints of every value that a resource which was not read could
// change or take away: a newer one, one that contradicts it, the birth that ends
// the window. So nothing is filled in that the whole chart would not fill in.
func (f *filler) leftOpen() {
	f.withholdAt(notAllRead, func(at birth.Path) bool { return !f.chart.Whole(f.standsOn(at)...) })
}

// standsOn are the types of resources that a value depends on. Who somebody is,
// the Patient tells. Nearly all else in the chart of a mother depends on which
// pregnancy it is, and that on all there is.
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
