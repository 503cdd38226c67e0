package uscore

import (
	"slices"

	"birthregistry/app/mapping"
)

// The LOINC codes that have a name in this package. Some of them are also in observationRows.
const (
	deliveryTime    = "93857-1" // date and time of obstetric delivery
	smokingStatus   = "72166-2"
	pregnancyStatus = "82810-3"
	bodyWeight      = "29463-7"
	measuredWeight  = "3141-9"
	abortions       = "11612-9"
	birthsInAll     = "11640-0"
	weightAtBirth   = "69461-2"
	routeOfBirth    = "73762-7"
	periodBegan     = "8665-2"
	visitFirst      = "69044-6"
	visitCount      = "68493-6"
	ownGestation    = "76516-4" // gestational age of the Observation's subject at their own birth
	birthWeightCode = "8339-4"
	bornTogether    = "57722-1" // plurality; mapping.LiveBirths is the other code
)

// earlierEnds lists the LOINC codes for the days on which earlier pregnancies ended.
var earlierEnds = []string{"68499-3", "68500-8"}

var groupBStrep = []string{"48683-7", "11267-2", "72607-5"}

// Codes returns all LOINC codes that Read uses, sorted. A launch requests them from the EHR.
func Codes() []string {
	all := append([]string{
		deliveryTime, smokingStatus, pregnancyStatus, bodyWeight, measuredWeight, abortions, birthsInAll, mapping.LiveBirths, bornTogether,
	}, groupBStrep...)
	for _, r := range observationRows {
		all = append(all, r.codes...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
