package app_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/assets"
)

// numbered returns, for each ID in the names of tests, such as ISO_1, the folders of those
// tests.
func numbered(t *testing.T) map[string][]string {
	t.Helper()
	folders := map[string][]string{}
	named := regexp.MustCompile(`(?m)^func Test((?:[A-Z]+_(?:[0-9]+_)?)+)[A-Z]\w*\(t \*testing\.T\)`)
	one := regexp.MustCompile(`[A-Z]+_(?:[0-9]+)?`)
	eachSource(t, []string{".go"}, func(path string, text []byte) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		folder := filepath.Dir(path)
		for _, m := range named.FindAllSubmatch(text, -1) {
			for _, id := range one.FindAllString(string(m[1]), -1) {
				id = strings.TrimSuffix(id, "_")
				if !slices.Contains(folders[id], folder) {
					folders[id] = append(folders[id], folder)
				}
			}
		}
	})
	return folders
}

// The guide's table of guarantees lists exactly the tests with IDs in their names.
func TestEveryGuaranteeOfTheGuideHasTestsAndEveryTestWithAnIDHasAGuarantee(t *testing.T) {
	page, err := assets.Guides.ReadFile("guides/secure.md")
	require.NoError(t, err)
	row := regexp.MustCompile("(?m)^\\| ([A-Z]+(?:-[0-9]+)?) \\| .+ \\| `([A-Z0-9_]+)_` in (.+) \\|$")
	guaranteed := map[string][]string{}
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		require.Equal(t, strings.ReplaceAll(m[1], "-", "_"), m[2])
		guaranteed[m[2]] = strings.Split(strings.ReplaceAll(m[3], "`", ""), ", ")
	}
	require.GreaterOrEqual(t, len(guaranteed), 13)
	tested := numbered(t)
	for id, folders := range guaranteed {
		require.ElementsMatch(t, folders, tested[id], "%s in assets/guides/secure.md, and where its tests are", id)
	}
	for id := range tested {
		require.Contains(t, guaranteed, id, "tests bear an id that assets/guides/secure.md does not list")
	}
}
