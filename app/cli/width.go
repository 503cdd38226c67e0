package cli

import (
	"io"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// Texts are written for wide pages. On a narrower terminal, their lines are broken between words,
// where otherwise the terminal would break them anywhere.

// least is the least width for which texts are broken. On a narrower terminal, they stay as they are.
const least = 60

// widthOf returns the width of a terminal, or 0 if w isn't one or is very narrow.
func widthOf(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < least {
		return 0
	}
	return width
}

// broken breaks a text between words into lines of at most width characters.
func broken(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}

// fitRows breaks the texts in the last column of a table, all of whose rows have the same cells.
func fitRows(rows [][]string, width int) [][]string {
	if width == 0 {
		return rows
	}
	last := len(rows[0]) - 1
	for column := range last {
		widest := 0
		for _, row := range rows {
			widest = max(widest, utf8.RuneCountInString(row[column]))
		}
		width -= widest + 2
	}
	var fit [][]string
	for _, row := range rows {
		for n, line := range broken(row[last], max(width, least/2)) {
			cells := make([]string, last, last+1)
			if n == 0 {
				copy(cells, row)
			}
			fit = append(fit, append(cells, line))
		}
	}
	return fit
}

// hanging matches a line of a command's help with a flag or a command and what it is, or the
// continuation of such a line.
var hanging = regexp.MustCompile(`^( *(?:\S.*?  +)?)(\S.*)$`)

// helpText returns the help of a command, whose lines fit the width except those of its examples.
func helpText(cmd *cobra.Command, width int) string {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(longOf(cmd), "\n\n") {
		b.WriteString(strings.Join(broken(paragraph, width), "\n") + "\n\n")
	}
	examples := false
	for line := range strings.Lines(cmd.UsageString()) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " ") {
			examples = line == "Examples:"
		}
		parts := hanging.FindStringSubmatch(line)
		if examples || parts == nil || utf8.RuneCountInString(line) <= width {
			b.WriteString(line + "\n")
			continue
		}
		indent := min(utf8.RuneCountInString(parts[1]), width-20)
		for n, more := range broken(parts[2], width-indent) {
			begin := strings.Repeat(" ", indent)
			if n == 0 {
				begin = parts[1]
			}
			b.WriteString(begin + more + "\n")
		}
	}
	return b.String()
}

func longOf(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short
}
