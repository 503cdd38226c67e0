package report

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// zcta3 states how many people live in the ZIP Code Tabulation Areas with the same first three
// digits. The numbers are totals from the Census of 2020, Demographic and Housing Characteristics
// File, table P1.
//
// 45 CFR 164.514(b)(2)(i)(B) asks for the current data of the Bureau of the Census. These numbers
// therefore replace the list of 17 codes in the guidance of the Office for Civil Rights (2012),
// which is based on the Census of 2000.
//
//go:embed zcta3.csv
var zcta3 string

// inhabitedBy is a number of people. A SafeHarbor report may contain the first three digits of a
// postal code only if more people than this live in the area of all codes with these digits.
const inhabitedBy = 20_000

// populous returns the first three digits of postal codes in whose area more than inhabitedBy
// people live. It leaves out areas that the census doesn't count, such as those of the military.
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

// zipCode matches a United States postal code, with or without its last four digits.
var zipCode = regexp.MustCompile(`^(\d{5})(?:-?\d{4})?$`)

// zip5 returns the first five digits of a United States postal code. For the code of another
// country, it returns "", because the population of its area isn't known here.
func zip5(code string) string {
	if found := zipCode.FindStringSubmatch(code); found != nil {
		return found[1]
	}
	return ""
}

// zip3 returns the first three digits of a United States postal code. If 20,000 or fewer people
// live in the area of all codes with these digits, it returns 000. For the code of another country,
// it returns "".
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
