package sheet

import (
	"regexp"
	"slices"
	"strings"
)

// voids says in which columns of a file a cell may say that its row is void. The file's other
// columns aren't looked at, because a newborn's chart also notes that it has voided.
type voids struct{ status, deleted []int }

// voidsIn finds these columns among those that aren't read.
func voidsIn(h Header) (v voids) {
	for _, at := range h.Ignored {
		header := strings.ReplaceAll(fold(split(splitCapitals(h.Cells[at-1]))), "_", " ")
		switch {
		case slices.Contains(statusHeaders, header):
			v.status = append(v.status, at-1)
		case slices.Contains(deletedHeaders, strings.TrimRight(header, "?")):
			v.deleted = append(v.deleted, at-1)
		}
	}
	return v
}

var (
	statusHeaders  = []string{"status", "record status", "row status", "entry status", "chart status", "form status", "birth status", "delivery status"}
	deletedHeaders = []string{"deleted", "is deleted", "delete", "record deleted", "row deleted", "entered in error", "record void", "record voided", "void record", "cancelled", "canceled", "deleted at", "deleted on", "deleted date", "date deleted"}
	voidWords      = []string{
		"void", "voided", "deleted", "delete", "entered in error", "entered-in-error", "error", "in error", "cancelled", "canceled", "invalid", "do not use", "duplicate",
	}
	// voidWith matches such a word with who did it, when or why. A newborn that voided twice doesn't
	// match.
	voidWith = regexp.MustCompile(`^(?:(?:deleted|entered[ -]in[ -]error|cancell?ed)\b|(?:void|voided|delete) *(?:[-–—:;,(/]|(?:by|on)\b|\d+[/.-]))`)
)

func saysVoid(text string) bool {
	return slices.Contains(voidWords, text) || voidWith.MatchString(text)
}

// whenDeleted reports whether a text is the date of a deletion. Databases write a date in another
// century for a row that isn't deleted.
func whenDeleted(text string) bool {
	if m := timed(text); m != nil {
		text = m[1]
	}
	d, ok := writtenDate(text)
	return ok && (d.short || d.year >= 1990 && d.year < 2100)
}

// column returns the position of a column whose cell says that the row is void, or -1.
func (v voids) column(row Row) int {
	text := func(i int) string {
		if i >= len(row.Cells) {
			return ""
		}
		return strings.Trim(fold(TextOf(row.Cells[i])), "*!.[]()")
	}
	for _, i := range v.status {
		if saysVoid(text(i)) {
			return i
		}
	}
	for _, i := range v.deleted {
		if yes, known := readBool(text(i)); known && yes || slices.Contains(strings.Split(yesWords, "|"), text(i)) || saysVoid(text(i)) || i < len(row.Cells) && whenDeleted(TextOf(row.Cells[i])) {
			return i
		}
	}
	return -1
}
