package report

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// zcta3 has the number of people who live in the ZIP Code Tabulation Areas with the same first
// three digits: the Census of 2020, Demographic and Housing Characteristics File, table P1, summed.
// 45 CFR 164.514(b)(2)(i)(B) asks for the current data of the Bureau of the Census. So these counts
// replace the list of 17 codes in the guidance of the Office for Civil Rights (2012), which is
// based on the Census of 2000.
//
//go:embed zcta3.csv
var zcta3 string

// inhabitedBy is the number of inhabitants that an area must exceed. A SafeHarbor report may state
// the first three digits of a postal code only if the area with these digits does.
const inhabitedBy = 20_000

// populous holds the first three digits of the postal codes of each area with more than inhabitedBy
// people. It lacks areas that the census doesn't count, such as the military's.
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

// zip5 returns the first five digits of a United States postal code. It returns "" for the code of
// another country, because nothing is known here about its population.
func zip5(code string) string {
	if found := zipCode.FindStringSubmatch(code); found != nil {
		return found[1]
	}
	return ""
}

// zip3 returns the first three digits of a United States postal code, or 000 if 20,000 people or
// fewer live in their area. It returns "" for the code of another country.
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
