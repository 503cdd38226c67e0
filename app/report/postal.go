package report

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// zcta3 has the number of people who live in the ZIP Code Tabulation Areas with the same first
// three digits: the Census of 2020, Demographic and Housing Characteristics File, table P1,
// summed. 45 CFR 164.514(b)(2)(i)(B) asks for the current data of the Bureau of the Census, so
// this takes the place of the 17 codes of the Census of 2000 that the guidance of the Office
// for Civil Rights lists (2012).
//
//go:embed zcta3.csv
var zcta3 string

// inhabitedBy is the number of people that the area of three digits must exceed.
const inhabitedBy = 20_000

// populous has the first three digits of the areas with more than inhabitedBy people. It lacks
// those that the census doesn't count, such as the military's.
var populous = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(zcta3) {
		digits, inhabitants, _ := strings.Cut(strings.TrimSpace(line), ",")
		if n, err := strconv.Atoi(inhabitants); err == nil && n > inhabitedBy {
			all[digits] = true
		}
	}
	return all
})

// zipCode is a postal code of the United States, with or without its four further
// digits.
var zipCode = regexp.MustCompile(`^(\d{5})(?:-?\d{4})?$`)

// zip5 returns the five digits of a United States postal code, or "" for any other: nothing is
// known about the population of other countries' codes.
func zip5(code string) string {
	if found := zipCode.FindStringSubmatch(code); found != nil {
		return found[1]
	}
	return ""
}

// zip3 returns the first three digits of a postal code, 000 unless more than 20,000
// people live there, or "" if it isn't one of the United States.
func zip3(code string) string {
	code = zip5(code)
	switch {
	case code == "":
		return ""
	case populous()[code[:3]]:
		return code[:3]
	default:
		return "000"
	}
}
