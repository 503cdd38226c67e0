package app_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
)

// edit is a change to a source file, named by its path in the module or below $GOROOT: it
// replaces a text that occurs once. If the old text is empty, the new one is appended to the
// file, which is created if need be.
type edit struct{ file, old, new string }

// tampered builds the program with changes to its sources, without touching the sources
// themselves. That is how tests cause faults that can't come from outside.
func tampered(t *testing.T, edits []edit) (program string) {
	t.Helper()
	longtest.Only(t, "programs built with a fault inside")
	out, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	folder, texts, flags := t.TempDir(), map[string]string{}, "-gcflags="
	for _, e := range edits {
		path := filepath.Join(root, e.file)
		if library, ok := strings.CutPrefix(e.file, "$GOROOT"); ok {
			path = filepath.Join(strings.TrimSpace(string(out)), library)
			flags = "-gcflags=all=-N -l" // everything is compiled again, in half the time if it isn't optimized
		}
		if _, begun := texts[path]; !begun {
			content, err := os.ReadFile(path)
			if !os.IsNotExist(err) {
				require.NoError(t, err)
			}
			texts[path] = string(content)
		}
		if e.old == "" {
			texts[path] += e.new
			continue
		}
		require.Equal(t, 1, strings.Count(texts[path], e.old), "%s: %q", e.file, e.old)
		texts[path] = strings.Replace(texts[path], e.old, e.new, 1)
	}
	replace := map[string]string{}
	for path, text := range texts {
		replace[path] = filepath.Join(folder, fmt.Sprintf("%d.go", len(replace)))
		require.NoError(t, os.WriteFile(replace[path], []byte(text), 0o600))
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	require.NoError(t, err)
	list := filepath.Join(folder, "overlay.json")
	require.NoError(t, os.WriteFile(list, overlay, 0o600))
	program = filepath.Join(folder, "birthregistry")
	build := exec.Command("go", "build", flags, "-overlay", list, "-o", program, "birthregistry")
	output, err := build.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return program
}
