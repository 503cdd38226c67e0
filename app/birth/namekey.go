package birth

import (
	"slices"
	"strings"
	"unicode"
)

// NameKey returns a name in comparable form: "Lee, Jane" equals "Jane Lee". Numbers
// distinguish redacted names, such as "Midwife 1" and "Midwife 2".
func NameKey(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && r != '\'' && r != '-'
	})
	slices.Sort(words)
	return strings.Join(words, " ")
}
