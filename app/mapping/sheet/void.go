package sheet

import (
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
	deletedHeaders = []string{"deleted", "is deleted", "delete", "record deleted", "row deleted", "entered in error", "record void", "record voided", "void record", "cancelled", "canceled"}
	voidWords      = []string{
		"void", "voided", "deleted", "delete", "entered in error", "entered-in-error", "error", "in error", "cancelled", "canceled", "invalid", "do not use", "duplicate",
	}
)

// column returns the position of a column whose cell says that the row is void, or -1.
func (v voids) column(row Row) int {
	text := func(i int) string {
		if i >= len(row.Cells) {
			return ""
		}
		return strings.Trim(fold(TextOf(row.Cells[i])), "*!.[]()")
	}
	for _, i := range v.status {
		if slices.Contains(voidWords, text(i)) {
			return i
		}
	}
	for _, i := range v.deleted {
		if yes, known := readBool(text(i)); known && yes || slices.Contains(strings.Split(yesWords, "|"), text(i)) || slices.Contains(voidWords, text(i)) {
			return i
		}
	}
	return -1
}
