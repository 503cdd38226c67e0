package mapping

import (
	"slices"
	"time"

	"birthregistry/app/fhir"
)

// What is measured at visit after visit: a chart holds hundreds, and a reading needs
// the newest height and smoking status, and the weights of a time.
var (
	heightCodes = []string{"8302-2", "3137-7"}
	weightCodes = []string{bodyWeight, measuredWeight}
)

// LatestCodes are the ChartCodes of which the newest finding is enough.
func LatestCodes() []string { return append(slices.Clone(heightCodes), smokingStatus) }

// WeightCodes are those of any body weight.
func WeightCodes() []string { return slices.Clone(weightCodes) }

// StatedCodes are the other ones: a chart states each of them a few times.
func StatedCodes() []string {
	return slices.DeleteFunc(ChartCodes(), func(code string) bool {
		return slices.Contains(weightCodes, code) || slices.Contains(LatestCodes(), code)
	})
}

// WeightDays are the first and the last day, as FHIR dates, of which body weights are
// of use to a reading of a chart that holds everything else: those of a newborn
// about the birth, those of a mother in the year before the pregnancy and in it.
// false says that none are, for there is no telling which pregnancy it is.
func WeightDays(c fhir.Chart, launch ChartLaunch) (from, to string, any bool) {
	first, last, known := weightWindow(newChartReader(c, launch))
	return first.time().Format(time.DateOnly), last.time().Format(time.DateOnly), known
}

func weightWindow(r *chartReader) (first, last day, known bool) {
	if _, years, known := r.age(); known && years < youngest {
		return r.born.first - 1, r.born.last + 1, true
	}
	p := r.pregnancy()
	if p == nil {
		return 0, 0, false
	}
	begun, _ := p.lastPeriod()
	return min(p.since, begun-365), p.end, true
}
