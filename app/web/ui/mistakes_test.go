package ui

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryMistakeIsWrittenAsASentence(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	mistake := regexp.MustCompile(`Name: [^,{}]+, Text: "([^"]+)"\}`)
	seen := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range mistake.FindAllSubmatch(source, -1) {
			seen++
			require.Regexp(t, `^[A-Z].*[.?]$`, string(m[1]), file)
		}
	}
	require.Greater(t, seen, 5)
}
