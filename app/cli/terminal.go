package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// say prints a message to standard error, for the person who typed the command. It ignores errors,
// so that the command continues.
func say(cmd *cobra.Command, format string, args ...any) {
	_, _ = fmt.Fprintf(cmd.ErrOrStderr(), format+"\n", args...)
}

// output prints a result to standard output.
func output(cmd *cobra.Command, format string, args ...any) error {
	_, err := fmt.Fprintf(cmd.OutOrStdout(), format, args...)
	return err
}

// printJSON prints a value as JSON.
func printJSON(cmd *cobra.Command, v any) error {
	doc, err := json.Marshal(v, jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("the result cannot be written as JSON: %w", err)
	}
	return output(cmd, "%s\n", doc)
}

// printList prints a list as JSON, or as a table with a row for each item.
func printList[T any](cmd *cobra.Command, all []T, head []string, row func(T) []string) error {
	if asJSON(cmd) {
		return printJSON(cmd, append([]T{}, all...))
	}
	rows := [][]string{head}
	for _, one := range all {
		rows = append(rows, row(one))
	}
	return table(cmd.OutOrStdout(), rows)
}

// isProblem is the state of a check that found a problem, in the tables of check, doctor, ehr check and
// sso check.
const isProblem = "PROBLEM"

// checkRow is the result of a check in a table: its state, which is isProblem or another word, its
// name, what was found, and how to fix it, or "".
type checkRow struct{ state, name, found, fix string }

// printChecks prints the results of checks: the report as JSON, or a table. If a check found a
// problem, it returns an error with the text bad. If the command was interrupted, the results say
// nothing, and it returns only the context's error.
func printChecks[T any](cmd *cobra.Command, report func(fine bool) any, found []T, row func(T) checkRow, bad string) error {
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	fine, rows := true, [][]string{{"", "CHECK", ""}}
	for _, f := range found {
		r := row(f)
		fine = fine && r.state != isProblem
		rows = append(rows, []string{r.state, r.name, r.found})
		if r.fix != "" {
			rows = append(rows, fixRow(r.fix))
		}
	}
	var err error
	if asJSON(cmd) {
		err = printJSON(cmd, report(fine))
	} else {
		err = table(cmd.OutOrStdout(), fitRows(rows, widthOf(cmd.OutOrStdout())))
	}
	if err == nil && !fine {
		err = errors.New(bad)
	}
	return err
}

// fixRow returns the row of a table that states how to fix the problem of the row before it.
func fixRow(fix string) []string { return []string{"", "", "→ " + fix} }

// table prints rows as a table. The first row is the head.
func table(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, cells := range rows {
		for i := range cells {
			cells[i] = printable(cells[i])
		}
		if _, err := fmt.Fprintln(t, strings.Join(cells, "\t")); err != nil {
			return err
		}
	}
	return t.Flush()
}

// printable replaces characters that could control the terminal.
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
