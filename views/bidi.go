package views

import (
	"strings"
	"unicode"
)

// Isolated returns a name so that the text beside it stays in its place. Without the isolating
// characters (Unicode FSI and PDI), a browser shows the number that follows a Hebrew or Arabic
// name before that name: "41 births" would lose its 41. Other names are returned unchanged.
func Isolated(name string) string {
	if !strings.ContainsFunc(name, writtenRightToLeft) {
		return name
	}
	return "\u2068" + name + "\u2069"
}

func writtenRightToLeft(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam)
}
