package birth

import (
	"slices"
	"strings"
	"unicode"
)

// NameKey returns a name in comparable form, whatever its case, white space, order and
// composition of letters: "Lee, Jane" equals "jane lee". Numbers distinguish redacted
// names, such as "Midwife 1" and "Midwife 2".
func NameKey(name string) string {
	words := strings.FieldsFunc(fold(strings.ReplaceAll(name, "’", "'")), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && r != '\'' && r != '-'
	})
	slices.Sort(words)
	return strings.Join(words, " ")
}
