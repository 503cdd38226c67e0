package birth

import (
	"slices"
	"strings"
	"unicode"
)

// NameKey returns a name in comparable form. Case, white space, the order of the words and the
// composition of letters don't matter: "Lee, Jane" equals "jane lee". Numbers matter, because they
// distinguish redacted names, such as "Midwife 1" and "Midwife 2".
func NameKey(name string) string {
	words := providerWords(name)
	slices.Sort(words)
	return strings.Join(words, " ")
}

// SpokenName returns a name in comparable form, like NameKey, but with the words in the order in
// which people say them: "Lee, Jane" equals "jane lee", but "Kim Lee" may be another person than
// "Lee Kim".
func SpokenName(name string) string {
	if family, given, ok := strings.Cut(name, ","); ok {
		name = given + " " + family
	}
	return strings.Join(providerWords(name), " ")
}

func providerWords(name string) []string {
	return strings.FieldsFunc(fold(strings.ReplaceAll(name, "’", "'")), func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && r != '\'' && r != '-'
	})
}
