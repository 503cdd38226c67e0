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

// Binary builds the program and returns its path. Each test process builds it only once. The build
// options come from the environment, as they do for the tests, so Go compiles the packages that the
// program and the tests share only once. In .ci/run, the build options are those of a release.
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
