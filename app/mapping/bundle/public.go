package bundle

import (
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// IsPublic reports whether a code is certainly public. Even pages that must not show submitted
// values may show such a code. A code is public if the registry reads it, or if it is sent as a
// LOINC code with the right check digit.
func IsPublic(coding fhir.Coding) bool {
	if known, ok := meanings[coding.Code]; ok && (coding.System == "" || birth.SystemOf(coding.System) == known.system) {
		return true
	}
	return isRaceCode(coding) || birth.SystemOf(coding.System) == birth.LOINC && hasCheckDigit(coding.Code)
}

// hasCheckDigit reports whether a code has the form of a LOINC code: up to seven digits, a hyphen
// and a valid check digit (Luhn algorithm).
func hasCheckDigit(code string) bool {
	number, check, found := strings.Cut(code, "-")
	if !found || len(number) == 0 || len(number) > 7 || len(check) != 1 || strings.Trim(number+check, "0123456789") != "" {
		return false
	}
	sum := 0
	for i := range len(number) {
		digit := int(number[len(number)-1-i] - '0')
		if i%2 == 0 {
			digit *= 2
		}
		sum += digit/10 + digit%10
	}
	return (10-sum%10)%10 == int(check[0]-'0')
}

func isRaceCode(coding fhir.Coding) bool {
	return (birth.Coding{System: birth.VitalRecords, Code: raceCode}).Is(coding.System, coding.Code)
}
