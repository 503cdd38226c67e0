package birth

import (
	"slices"
	"strings"
	"unicode"
)

// NameKey makes names comparable: the words of "Lee, Jane" are those of "Jane Lee".
// A number tells two apart whose names were taken off, as "Midwife 1" and "Midwife 2".
func NameKey(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && r != '\'' && r != '-'
	})
	slices.Sort(words)
	return strings.Join(words, " ")
}
