package sheet

import (
	"regexp"
	"slices"
	"strings"

	"birthregistry/app/mapping"
)

// narrow is the minimum number of columns for which notBirth skips rows. In a file with fewer
// columns, every row after the header is read as a birth.
const narrow = 4

var totals = regexp.MustCompile(`(?i)\b(sub)?totals?\b|\baverages?\b|^(sum|avg|mean|median|count)\b|^n ?=`)

// total matches the first cell of a line of totals, even if the line has a date. It may also be a
// mother's name, so the other cells must have digits. note matches a sentence, which may have the
// date of a report.
var (
	total = regexp.MustCompile(`(?i)^(?:(?:grand |sub-?)?totals?|averages?|mean|median) ?:?$`)
	note  = regexp.MustCompile(`^\p{L}[\p{L}']*:? +\p{L}+.* `)
)

var clockTime = regexp.MustCompile(`\d:\d\d`)

// isDay reports whether a text is a date, with or without a time.
func isDay(text string) bool {
	if m := timed(text); m != nil {
		text = m[1]
	}
	_, ok := writtenDate(text)
	return ok
}

// notBirth reports whether a row below the header certainly isn't a birth. It may be a line of
// totals, or a single cell with a note or the name of a month. It may also be the header again, as
// on each printed page.
func notBirth(header, cells []string) bool {
	cells = trimmed(cells)
	filled, numbers, dates, words := 0, 0, 0, 0
	first := ""
	for _, cell := range cells {
		text := TextOf(cell)
		if text == "" {
			continue
		}
		if filled++; filled == 1 {
			first = text
		}
		if _, dated := writtenDate(text); dated || isoDate.MatchString(text) && len(text) > len("2026") || clockTime.MatchString(text) {
			dates++
		}
		if plainNo.MatchString(text) {
			numbers++
		}
		if !strings.ContainsAny(text, "0123456789") {
			words++
		}
	}
	names := filledCells(header)
	switch {
	case names < narrow:
		return false
	case slices.EqualFunc(cells, header, func(a, b string) bool { return fold(a) == fold(b) }), words == 1 && total.MatchString(first):
		return true
	case filled == 1 && (mapping.MonthNamed(first) > 0 || note.MatchString(first) && !isDay(first)):
		return true
	case dates > 0:
		return false
	}
	return filled == 1 && strings.Contains(first, " ") || totals.MatchString(first) || numbers == filled && strings.TrimSpace(cells[0]) == "" && 2*filled <= names
}
