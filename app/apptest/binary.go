package apptest

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var built struct {
	once sync.Once
	path string
	err  error
	out  []byte
}

// Binary builds the program, once for all tests, and returns its path. It uses the build settings
// of the test, so that packages that both the program and the test need are compiled once. .ci/run
// sets the settings of a release.
func Binary(t testing.TB) string {
	t.Helper()
	built.once.Do(func() {
		folder, err := os.MkdirTemp("", "birthregistry-test-")
		if err != nil {
			built.err = err
			return
		}
		built.path = filepath.Join(folder, "birthregistry")
		cmd := exec.Command("go", "build", "-o", built.path, "birthregistry")
		built.out, built.err = cmd.CombinedOutput()
	})
	require.NoError(t, built.err, "%s", built.out)
	return built.path
}
