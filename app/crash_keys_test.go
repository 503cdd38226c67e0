package app_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/longtest"
	"birthregistry/store"
)

// KEY-6, where first the rotation and then the server is killed, again and again.
func TestRotationsThatAreKilledUnderLoadLoseNothing(t *testing.T) {
	t.Parallel()
	longtest.Only(t, "kills of rotations")
	s := newInstallation(t)
	// Many headers, as after years of use, so that a rotation takes a while.
	db, err := store.Open(t.Context(), s.db)
	require.NoError(t, err)
	list, _, err := db.Recipients()
	require.NoError(t, err)
	header, err := db.Epoch(1)
	require.NoError(t, err)
	for range 700 {
		_, err := db.PutEpoch(header, list)
		require.NoError(t, err)
	}
	require.NoError(t, db.Close())
	apptest.Sign(t, s.db)
	s.start()
	l := &load{installation: s}
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 3 {
		callers.Go(func() { l.run(stop) })
	}
	began := time.Now()
	s.command("secrets", "rotate")
	takes, killed := time.Since(began), 0
	for n := 0; n < 12 || killed < 3; n++ {
		require.Less(t, n, 200, "none is killed in time")
		rotation := exec.Command(s.binary, "secrets", "rotate", "--db", s.db)
		require.NoError(t, rotation.Start())
		time.Sleep(rand.N(takes))
		_ = rotation.Process.Kill()
		if rotation.Wait() != nil {
			killed++
		}
	}
	close(stop)
	callers.Wait()
	s.command("secrets", "rotate")
	l.resend()
	reconcile(t, s, l.acknowledged)
	s.kill() // its log is complete only once it has ended
	require.NotContains(t, s.log.String(), "ERROR", "the server has noticed nothing")
	s.start()
	defer s.kill()
	require.NotContains(t, s.command("check"), "PROBLEM")
	require.Contains(t, s.command("secrets", "show", "--json"), `"headers_behind": 0`)
	retired, err := filepath.Glob(strings.TrimSuffix(s.db, ".db") + ".key.retired-*")
	require.NoError(t, err)
	require.NotEmpty(t, retired)
	t.Logf("injected: %d rotations killed under load, then the service; %d keys retired; %d Bundles acknowledged, lost none", killed, len(retired), len(l.acknowledged))
	for _, old := range retired {
		out, err := exec.Command(s.binary, "check", "--db", s.db, "--key-file", old).CombinedOutput()
		require.Error(t, err, "a former key opens nothing")
		require.Contains(t, string(out), "does not open this database")
		require.NoError(t, os.Remove(old))
	}
}
