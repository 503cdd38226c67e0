package form

import (
	"slices"
	"strconv"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
)

// howToType returns how to type a field whose text couldn't be read.
func howToType(f *birth.Field, typed string) string {
	switch {
	case f.Kind == birth.Date:
		return howToTypeDate(typed)
	case f.Name == gestationWeeks:
		return "enter 10 to 50 weeks and the days, such as 39+4"
	}
	return f.Wanted()
}

// howToTypeDate returns how to type a date that couldn't be read.
func howToTypeDate(typed string) string {
	switch {
	case hasShortYear(typed):
		return "write the year with four digits"
	case hasDayFirst(typed):
		return "write the month first, such as 3/21/2026 for March 21"
	}
	return birth.Must("birth_date").Wanted()
}

// howToTypeTime returns how to type a time of day that couldn't be read. It asks for the day of a
// midnight that may be the end of one day or the beginning of the next.
func howToTypeTime(typed string) string {
	if strings.EqualFold(typed, "midnight") || strings.HasPrefix(mapping.ReadTime(typed), "24:00") {
		return "enter midnight as 0:00, with the date of the day that begins then"
	}
	return "enter the time as 04:18 or 4:18 pm"
}

// dateParts returns the parts of a typed date, such as 3, 2 and 26 for 3/2/26.
func dateParts(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" /.-", r) })
}

// hasShortYear reports whether a date is three numbers, the last a two-digit year:
// 3/2/26.
func hasShortYear(text string) bool {
	parts := dateParts(text)
	return len(parts) == 3 && len(parts[2]) == 2 && !slices.ContainsFunc(parts, func(part string) bool {
		_, err := strconv.Atoi(part)
		return err != nil || len(part) > 2
	})
}

// hasDayFirst reports whether a date is three numbers of which the first can only be the day and the
// second can be the month: 21/3/2026.
func hasDayFirst(text string) bool {
	var n [3]int
	parts := dateParts(text)
	if len(parts) != len(n) {
		return false
	}
	for i, part := range parts {
		number, err := strconv.Atoi(part)
		if err != nil {
			return false
		}
		n[i] = number
	}
	return n[0] > 12 && n[0] <= 31 && n[1] >= 1 && n[1] <= 12 && n[2] >= 1000
}
