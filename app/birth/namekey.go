package birth

import (
	"slices"
	"strings"
	"unicode"
)

// NameKey returns a provider's name in a form in which names can be compared. Case, white space,
// the order of the words and the composition of letters don't matter: "Lee, Jane" equals "jane
// lee". Numbers matter, because they distinguish redacted names, such as "Midwife 1" and "Midwife
// 2".
func NameKey(name string) string {
	words := providerWords(name)
	slices.Sort(words)
	return strings.Join(words, " ")
}

// SpokenName returns a name in a form in which names can be compared. Unlike NameKey, it keeps the
// order in which people say the words: "Lee, Jane" equals "jane lee", but "Kim Lee" doesn't equal
// "Lee Kim", who may be another person.
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
