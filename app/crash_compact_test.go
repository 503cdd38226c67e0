package app_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
)

func TestCompactingThatIsKilledLosesNothingAndLeavesNoFile(t *testing.T) {
	t.Parallel()
	longtest.Only(t, "kills of compacting")
	s := newInstallation(t)
	s.command("import", fileOf(t, 15_000), "--practice", "1")
	whole := s.counted("select sum(id) from versions")
	took := s.took("compact")
	before := s.names()
	seed := rand.Uint64()
	moments := rand.New(rand.NewPCG(seed, 0))
	t.Logf("the moments of seed %d, within %s", seed, took)
	killed, rewriting := 0, 0
	for killed < 50 || rewriting == 0 { // the machine may be slower or faster than when it was measured
		require.Less(t, killed, 1000, "no kill was while the file was rewritten")
		if !s.cut(time.Duration(moments.Int64N(int64(took))), "compact") { // it was done before its moment
			continue
		}
		if killed++; killed > 50 {
			took = took * 5 / 4
		}
		if info, err := os.Stat(s.db + "-wal"); err == nil && info.Size() > 1<<20 {
			rewriting++
		}
		require.Equal(t, whole, s.counted("select sum(id) from versions"))
	}
	s.command("compact")
	require.Equal(t, before, s.names())
	require.Contains(t, s.command("check"), "ok")
	s.command("audit", "verify")
	require.Equal(t, 15_000, s.filed())
	t.Logf("injected: %d kills, %d of them with the new content in the WAL", killed, rewriting)
}

// names returns the names of the files next to the database.
func (s *installation) names() (all []string) {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Dir(s.db))
	require.NoError(s.t, err)
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func TestCompactingOnADiskWithoutRoomForItChangesNothing(t *testing.T) {
	t.Parallel()
	s := newInstallationIn(t, mounted(t, 24, "tmpfs"))
	before, err := os.ReadFile(s.db)
	require.NoError(t, err)
	out, err := exec.Command(s.binary, "compact", "--db", s.db).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "the disk is full; free some space on it: a copy needs ")
	after, err := os.ReadFile(s.db)
	require.NoError(t, err)
	require.Equal(t, before, after)
}
