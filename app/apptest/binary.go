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

// Binary builds the program as it is shipped (static, CGO off) and returns its
// path.
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
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		built.out, built.err = cmd.CombinedOutput()
	})
	require.NoError(t, built.err, "%s", built.out)
	return built.path
}
