package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

func TestTheHelpOfEveryCommandFitsATerminalOf80Columns(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		text := helpText(cmd, 80)
		before, _, found := strings.Cut(text, "\nExamples:\n")
		_, after, _ := strings.Cut(text, "\nFlags:\n")
		if !found {
			before = text
		}
		for line := range strings.Lines(before + after) {
			// a usage line, and the word of a flag, can't be broken
			if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
				require.Regexp(t, `^ +(birthregistry|--\S+ \S+\n|--ehr )`, line, cmd.CommandPath())
			}
		}
		require.Equal(t, strings.Fields(longOf(cmd)+" "+cmd.UsageString()), strings.Fields(text), "it says the same")
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(rootCommand())
}

func TestATableFitsATerminalOf80Columns(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("the service keeps a reserve ", 8))
	rows := [][]string{{"", "CHECK", "FOUND"}, {"PROBLEM", "disk", long}, {"", "", "→ " + long}}
	require.Equal(t, rows, fitRows(rows, 0), "a file or a pipe has no width")
	var b strings.Builder
	require.NoError(t, table(&b, fitRows(rows, 80)))
	for line := range strings.Lines(b.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 81, line)
	}
	require.Equal(t, strings.Fields("CHECK FOUND PROBLEM disk "+long+" → "+long), strings.Fields(b.String()))
	require.Equal(t, 1, strings.Count(b.String(), "PROBLEM"))
}
