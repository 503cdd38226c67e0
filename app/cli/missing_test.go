package cli

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestACommandSaysWhichFileIsMissingInPlainWords(t *testing.T) {
	database(t)
	t.Setenv("REGISTRY_API_KEY", someKey)
	require.Zero(t, command(t, "", "practice", "add", "Riverside Midwives").code)
	for _, args := range [][]string{
		{"lint", "births.json"},
		{"push", "births.json", "--url", "http://127.0.0.1:1"},
		{"import", "births.json", "--practice", "1"},
		{"practice", "import", "births.json", "--identity", "secret.txt"},
	} {
		r := command(t, "", args...)
		require.Equal(t, exitFailed, r.code, args)
		require.Contains(t, r.talk, "birthregistry: there is no such file: births.json\n", args)
	}
	r := command(t, "", "lint", "nowhere/births.json")
	require.Contains(t, r.talk, "birthregistry: there is no such folder: nowhere\n")
}

func TestNoCommandShowsThePackageThatAnErrorComesFrom(t *testing.T) {
	begins := regexp.MustCompile(`(?:errors\.New|fmt\.Errorf)\("([a-z]+): `)
	testsOnly, found := []string{"authtest", "powercut"}, map[string]bool{}
	eachSource(t, func(path string) error {
		text, err := os.ReadFile(path)
		for _, begin := range begins.FindAllStringSubmatch(string(text), -1) {
			if name := begin[1]; name == filepath.Base(filepath.Dir(path)) && !slices.Contains(testsOnly, name) {
				found[name] = true
				require.Equal(t, "why", plain(errors.New(name+": why")), path)
			}
		}
		return err
	})
	require.Greater(t, len(found), 15)
}
