package views

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
)

// UpperFirst capitalizes the beginning of a sentence.
func UpperFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// Number writes a whole number with commas between thousands: "4,340".
func Number(n int) string { return humanize.Comma(int64(n)) }

// Count writes a number with its noun: "1 birth", "4,340 births".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}

// Isolated returns a name so that the text next to it stays in its place. Without the isolating
// characters (Unicode FSI and PDI), a browser shows the number that follows a Hebrew or Arabic name
// before that name: "41 births" would lose its 41. Other names are returned unchanged.
func Isolated(name string) string {
	if !strings.ContainsFunc(name, writtenRightToLeft) {
		return name
	}
	return "\u2068" + name + "\u2069"
}

func writtenRightToLeft(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Adlam)
}
