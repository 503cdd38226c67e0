package views

import (
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
