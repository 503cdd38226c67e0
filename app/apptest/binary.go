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

// Binary builds the program, once in each test process, and returns its path. The settings of the
// build come from the environment, like those of the tests, so that packages that the program and
// the tests share are compiled only once. In .ci/run, they are the settings of a release.
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
