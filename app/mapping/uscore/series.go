package uscore

import (
	"slices"
	"time"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// Codes for findings that are recorded at every visit. A chart has hundreds of them. Only the
// newest heights and smoking statuses are needed, and only the weights from a certain period.
var (
	heightCodes = []string{"8302-2", "3137-7"}
	weightCodes = []string{bodyWeight, measuredWeight}
)

// LatestCodes returns the codes for heights and for the smoking status. Read needs only the newest
// findings with these codes.
func LatestCodes() []string { return append(slices.Clone(heightCodes), smokingStatus) }

// WeightCodes returns the codes for any body weight.
func WeightCodes() []string { return slices.Clone(weightCodes) }

// StatedCodes returns all [Codes] except [LatestCodes] and [WeightCodes]. A chart has only a few
// findings with each of these codes.
func StatedCodes() []string {
	return slices.DeleteFunc(Codes(), func(code string) bool {
		return slices.Contains(weightCodes, code) || slices.Contains(LatestCodes(), code)
	})
}

// DeliveryTypes returns the SNOMED CT codes for the types of visits that were for a birth.
func DeliveryTypes() []string { return slices.Clone(deliveryTypes) }

// WeightDays returns the first and the last day, as FHIR dates, of the body weights that Read uses.
// For a newborn, these are the days around the birth. For a mother, they include the pregnancy and
// the year before it. The chart must already have everything except the body weights. If no
// pregnancy can be chosen, Read uses no body weights, and WeightDays returns false.
func WeightDays(c fhir.Chart, launch Launch) (from, to string, any bool) {
	first, last, known := weightWindow(newReader(c, launch))
	return first.Time().Format(time.DateOnly), last.Time().Format(time.DateOnly), known
}

func weightWindow(r *reader) (first, last mapping.Day, known bool) {
	if _, years, known := r.age(); known && years < youngest {
		return r.born.First - 1, r.born.Last + 1, true
	}
	p := r.pregnancy()
	if p == nil {
		return 0, 0, false
	}
	begun, _ := p.lastPeriod()
	return min(p.since, begun-365), p.end, true
}
