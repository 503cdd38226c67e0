package mapping

import (
	"slices"
	"strings"
)

// The code systems of a chart. A code counts together with its system: a local
// code that looks like a LOINC code is another thing.
const (
	loinc  = "http://loinc.org"
	snomed = "http://snomed.info/sct"
	icd10  = "http://hl7.org/fhir/sid/icd-10-cm"
)

// oids are the same systems as older interfaces name them.
var oids = map[string]string{
	"urn:oid:2.16.840.1.113883.6.1":     loinc,
	"urn:oid:2.16.840.1.113883.6.96":    snomed,
	"urn:oid:2.16.840.1.113883.6.90":    icd10,
	"urn:oid:2.16.840.1.113883.3.221.5": sopt,
}

func systemOf(system string) string {
	system = strings.TrimSuffix(system, "/")
	if known := oids[system]; known != "" {
		return known
	}
	return system
}

// The Observation codes (LOINC) of a chart beside those of chartRows.
const (
	deliveryTime    = "93857-1" // date and time of obstetric delivery; a row has it, too
	smokingStatus   = "72166-2"
	pregnancyStatus = "82810-3"
	bodyWeight      = "29463-7"
	measuredWeight  = "3141-9"
	abortions       = "11612-9"
	weightAtBirth   = "69461-2"
	routeOfBirth    = "73762-7"
	periodBegan     = "8665-2"
	visitFirst      = "69044-6"
	visitCount      = "68493-6"
	ownGestation    = "76516-4" // of whom the Observation is about, at their own birth
	birthWeightCode = "8339-4"
	bornTogether    = "57722-1" // plurality; liveBirths is the other code
)

// earlierEnds are those of the days on which earlier pregnancies ended.
var earlierEnds = []string{"68499-3", "68500-8"}

var groupBStrep = []string{"48683-7", "11267-2", "72607-5"}

// ChartCodes returns the LOINC codes worth asking an EHR for by code, sorted:
// everything that ReadChart makes something of.
func ChartCodes() []string {
	all := append([]string{
		deliveryTime, smokingStatus, pregnancyStatus, bodyWeight, measuredWeight, abortions, liveBirths, bornTogether,
	}, groupBStrep...)
	for _, r := range chartRows {
		all = append(all, r.codes...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
