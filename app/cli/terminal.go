package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"

	"golang.org/x/term"
)

// tabs prints a table.
type tabs struct {
	w   *tabwriter.Writer
	err error
}

func newTabs(w io.Writer) *tabs { return &tabs{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

func (t *tabs) row(cells []string) {
	if t.err == nil {
		for i := range cells {
			cells[i] = printable(cells[i])
		}
		_, t.err = fmt.Fprintln(t.w, strings.Join(cells, "\t"))
	}
}

func (t *tabs) flush() error {
	if t.err != nil {
		return t.err
	}
	return t.w.Flush()
}

// printable removes characters from a submitted text that could control the
// terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u202e' || r == '\u202d' {
			return '\ufffd'
		}
		return r
	}, s)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
