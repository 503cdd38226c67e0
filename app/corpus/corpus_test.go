package corpus

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// failure is a test that only records whether it failed.
type failure struct {
	testing.TB
	failed bool
}

func (f *failure) Helper()               {}
func (f *failure) Logf(string, ...any)   {}
func (f *failure) Errorf(string, ...any) { f.failed = true }
func (f *failure) FailNow()              { f.failed = true; runtime.Goexit() }

func fails(t *testing.T, folder string) bool {
	t.Setenv(Bundles, folder)
	f := &failure{TB: t}
	var done sync.WaitGroup
	done.Go(func() { Folder(f, Bundles) })
	done.Wait()
	return f.failed
}

func TestACorpusThatIsMissingOrEmptyFailsTheTest(t *testing.T) {
	empty := t.TempDir()
	require.True(t, fails(t, ""), "set to nothing")
	require.True(t, fails(t, filepath.Join(empty, "missing")))
	require.True(t, fails(t, empty))
	require.NoError(t, os.WriteFile(filepath.Join(empty, "one.txt"), nil, 0o600))
	require.True(t, fails(t, empty), "no JSON file")
	require.NoError(t, os.WriteFile(filepath.Join(empty, "one.json"), nil, 0o600))
	require.False(t, fails(t, empty))
}
