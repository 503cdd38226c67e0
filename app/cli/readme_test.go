package cli

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryCommandInTheREADMEExists(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	word := regexp.MustCompile(`"[^"]*"|\S+`)
	typed := 0
	for _, m := range regexp.MustCompile(`(?m)^    (?:\$ )?(?:\./birthregistry|go run \.) ([^#>\n]+)`).FindAllStringSubmatch(string(readme), -1) {
		root := rootCommand()
		cmd, rest, err := root.Find(word.FindAllString(m[1], -1))
		require.NoError(t, err, m[1])
		require.NotSame(t, root, cmd, m[1])
		require.Empty(t, cmd.Commands(), "%s names no command of its group", m[1])
		require.NoError(t, cmd.ParseFlags(rest), m[1])
		require.NoError(t, cmd.ValidateArgs(cmd.Flags().Args()), m[1])
		typed++
	}
	require.Greater(t, typed, 15)
}
