package uscore

import (
	"slices"
	"time"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// What is measured at visit after visit: a chart holds hundreds, and a reading needs
// the newest height and smoking status, and the weights of a time.
var (
	heightCodes = []string{"8302-2", "3137-7"}
	weightCodes = []string{bodyWeight, measuredWeight}
)

// LatestCodes are the Codes of which the newest finding is enough.
func LatestCodes() []string { return append(slices.Clone(heightCodes), smokingStatus) }

// WeightCodes are those of any body weight.
func WeightCodes() []string { return slices.Clone(weightCodes) }

// StatedCodes are the other ones: a chart states each of them a few times.
func StatedCodes() []string {
	return slices.DeleteFunc(Codes(), func(code string) bool {
		return slices.Contains(weightCodes, code) || slices.Contains(LatestCodes(), code)
	})
}

// WeightDays are the first and the last day, as FHIR dates, of which body weights are
// of use to a reading of a chart that holds everything else: those of a newborn
// about the birth, those of a mother in the year before the pregnancy and in it.
// false says that none are, for there is no telling which pregnancy it is.
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
