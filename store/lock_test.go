package store

import (
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A process that is being started has a copy of every open descriptor until it runs its
// program.
func TestALockIsFreeOnceItIsClosedEvenWhileAnotherProgramIsBeingStarted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	stop := make(chan struct{})
	var starting sync.WaitGroup
	starting.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = exec.Command("true").Run()
			}
		}
	})
	defer starting.Wait()
	defer close(stop)
	for range 20_000 {
		lock, err := Lock(path)
		require.NoError(t, err)
		require.NoError(t, lock.Close())
	}
}
