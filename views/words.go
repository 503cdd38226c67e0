package views

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// UpperFirst returns text with its first letter capitalized.
func UpperFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// Number formats a whole number with commas between thousands, such as "4,340".
func Number(n int) string { return humanize.Comma(int64(n)) }

// Count formats a number with its noun, such as "1 birth" or "4,340 births".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}

// Isolated returns a Hebrew or Arabic name between isolating characters (Unicode FSI and PDI).
// Without them, a browser would show a number that follows the name before the name. Isolated
// returns any other name unchanged.
func Isolated(name string) string {
	if !strings.ContainsFunc(name, writtenRightToLeft) {
		return name
	}
	return "\u2068" + name + "\u2069"
}

func writtenRightToLeft(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam)
}
