package report

import (
	"regexp"
	"slices"
)

// restricted are the three-digit postal codes of at most 20,000 people. 45 CFR
// 164.514(b)(2)(i)(B) has them written as 000. They are the 17 of the Census of 2000
// that the guidance of the Office for Civil Rights lists ("Guidance Regarding Methods
// for De-identification of Protected Health Information", 2012), and those that the
// Census of 2010 adds (its ZCTA table of total population, P1). Where the lists differ,
// the code is withheld. The last row is the military's, whose people no census counts
// by postal code.
var restricted = []string{
	"036", "059", "063", "102", "203", "205", "369", "556", "692", "753", "772", "790", "821", "823", "830", "831", "878", "879",
	"884", "890", "893",
	"090", "091", "092", "093", "094", "095", "096", "097", "098", "099", "340", "962", "963", "964", "965", "966",
}

// zipCode is a postal code of the United States, with or without its four further
// digits.
var zipCode = regexp.MustCompile(`^(\d{5})(?:-?\d{4})?$`)

// zip5 returns the five digits of a postal code, or "" if it isn't one of the United
// States: nothing is known about the size of another country's.
func zip5(code string) string {
	if found := zipCode.FindStringSubmatch(code); found != nil {
		return found[1]
	}
	return ""
}

// zip3 returns the first three digits of a postal code, 000 where they are restricted,
// or "" if it isn't one of the United States.
func zip3(code string) string {
	code = zip5(code)
	switch {
	case code == "":
		return ""
	case slices.Contains(restricted, code[:3]):
		return "000"
	default:
		return code[:3]
	}
}
