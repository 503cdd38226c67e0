package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/assets"
)

var guideBlock = regexp.MustCompile("(?ms)^```(\\w+)[^\\n]*\\n(.*?)^```$")

// The page on lint shows exactly the program's output.
func TestTheGuideOnLintShowsWhatItPrints(t *testing.T) {
	page, err := assets.Guides.ReadFile("guides/lint.md")
	require.NoError(t, err)
	blocks := map[string]string{}
	for _, m := range guideBlock.FindAllStringSubmatch(string(page), -1) {
		blocks[m[1]] = m[2]
	}
	folder := t.TempDir()
	t.Chdir(folder)
	require.NoError(t, os.WriteFile("birth.json", []byte(blocks["json"]), 0o600))
	require.NoError(t, os.Mkdir("births", 0o700))
	require.NoError(t, os.WriteFile(filepath.Join("births", "1.json"), []byte(blocks["json"]), 0o600))
	lines := strings.Split(strings.TrimSpace(blocks["sh"]), "\n")
	require.Len(t, lines, 3)
	for i, line := range lines {
		words := strings.Fields(strings.TrimSuffix(line, " < birth.json"))
		require.Equal(t, "birthregistry", words[0])
		r := command(t, blocks["json"], words[1:]...)
		require.Zero(t, r.code, r.talk)
		if i == 0 {
			require.Equal(t, blocks["text"], r.out)
		}
	}
}
