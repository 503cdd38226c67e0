package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// The requests of man(7) that the pages may use.
var manRequest = regexp.MustCompile(`^\.(TH|SH|TP|PP|B|nf|fi)( |$)`)

func TestEveryCommandHasAManPageWithEachOfItsFlags(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("SOURCE_DATE_EPOCH", "1774396800")
	require.Zero(t, command(t, "", "docs", "--man", folder).code)
	all := withPages(rootCommand())
	require.Greater(t, len(all), 40)
	written, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, written, len(all))
	for _, cmd := range all {
		content, err := os.ReadFile(filepath.Join(folder, manName(cmd)+".1"))
		require.NoError(t, err)
		page := string(content)
		require.Contains(t, page, `" 1 "2026-03-25" "birthregistry dev" "Birth registry"`)
		require.Contains(t, page, manText(cmd.Short))
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			require.Contains(t, page, `\fB`+manText("--"+f.Name)+`\fR`, manName(cmd))
		})
		for _, line := range regexp.MustCompile(`(?m)^[.'].*$`).FindAllString(page, -1) {
			require.Regexp(t, manRequest, line, manName(cmd))
		}
	}
}

func TestTextThatLooksLikeAnInstructionIsPrintedInAManPage(t *testing.T) {
	require.Equal(t, "\\&.SH a\n\\&'b\nc\\e\\-d", manText(".SH a\n'b\nc\\-d"))
}
