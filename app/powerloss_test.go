package app_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
	"birthregistry/app/powercut"
)

// powerCuts returns how many states between two syncs to try: 3000, or as many as
// REGISTRY_POWER_CUTS says.
func powerCuts(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv("REGISTRY_POWER_CUTS"), "3000"))
	require.NoError(t, err, "REGISTRY_POWER_CUTS is a number")
	return n
}

// REL-1, with a power cut instead of a kill.
func TestREL_1_EveryAcknowledgedBundleIsKeptWhereverThePowerIsCut(t *testing.T) {
	t.Parallel()
	c := record(t, nil)
	c.try(0, powerCuts(t))
	t.Log(c)
	require.Empty(t, c.problems)
	require.Empty(t, c.lost)
	for _, s := range c.kept {
		c.serve(s)
	}
	t.Logf("injected: %d power cuts, %d of them between two syncs, after %d of which the service went on; %d Bundles acknowledged, lost none, doubled none",
		c.syncs+c.between, c.between, len(c.kept), len(c.acknowledged))
}

// The test above can fail: this build doesn't wait for the disk before it answers.
func TestABuildThatDoesNotWaitForTheDiskLosesAcknowledgedBundlesInAPowerCut(t *testing.T) {
	t.Parallel()
	c := record(t, []edit{{"store/store.go", `"synchronous(full)"`, `"synchronous(normal)"`}})
	c.try(0, 100)
	t.Logf("a build that does not wait for the disk: %v", c)
	require.NotEmpty(t, c.lost, "the power cuts of this test find nothing")
}

// At every moment of a restore there is a whole database, either the old one or the restored
// one. A backup under its final name is whole, too.
func TestAPowerCutDuringARestoreLeavesOneDatabaseOrTheOther(t *testing.T) {
	t.Parallel()
	c := newCuts(t, nil)
	c.installation.key = c.installation.practice("Crash")
	post := func(n int) {
		c.installation.start()
		for range n {
			require.NoError(t, c.load.submit(c.load.submission()))
		}
	}
	post(8)
	c.installation.stop()
	c.readTraces()
	before := c.recording.Len()
	backup := filepath.Join(filepath.Dir(c.installation.db), "kept.db")
	c.installation.command("backup", backup)
	post(5)
	c.installation.kill() // leaves its WAL behind
	c.readTraces()
	c.installation.command("restore", backup)
	c.readTraces()
	c.try(before, powerCuts(t)/3)
	c.try(c.recording.Len()-15, powerCuts(t)/3) // while it is put in place
	t.Log(c)
	require.Empty(t, c.problems)
	require.Len(t, c.losses, 2, "%v", c.losses)
	require.Positive(t, c.losses[0])
	require.Positive(t, c.losses[5], "what came after the backup is gone with it, and nothing else")
	t.Logf("injected: %d power cuts during a backup and a restore; %d left what was there, %d what was restored, none anything else",
		c.syncs+c.between, c.losses[0], c.losses[5])
}

// At every moment of an upgrade there is a database that opens and holds everything.
func TestAPowerCutDuringAnUpgradeLosesNothing(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob("testdata/upgrade/*.db.gz")
	require.NoError(t, err)
	db, key := earlier(t, strings.TrimSuffix(filepath.Base(found[0]), ".db.gz"))
	c := newCuts(t, nil)
	c.records = 5
	for from, name := range map[string]string{db: "registry.db", key: "registry.key"} {
		require.NoError(t, os.Rename(from, filepath.Join(filepath.Dir(c.installation.db), name)))
		require.NoError(t, c.recording.Keep(name))
	}
	require.Contains(t, c.installation.command("check"), "ok")
	c.readTraces()
	c.try(0, powerCuts(t)/6) // each state takes a whole upgrade
	t.Log(c)
	require.Empty(t, c.problems)
	t.Logf("injected: %d power cuts during an upgrade; lost none of %d records", c.syncs+c.between, c.records)
}

// record has the built program, changed or not, create an installation and accept a load, and
// records what it does to its files.
func record(t *testing.T, edits []edit) *cuts {
	t.Helper()
	c := newCuts(t, edits)
	c.installation.key = c.installation.practice("Crash")
	c.readTraces()
	l := c.load
	for round, end := range []func(){c.installation.kill, c.installation.stop, c.installation.kill} {
		if round == 2 {
			c.installation.command("secrets", "rotate")
			c.readTraces()
			l.pending = append(l.pending, c.large())
		}
		c.installation.start()
		stop := make(chan struct{})
		var callers sync.WaitGroup
		for range 4 {
			callers.Go(func() { l.run(stop) })
		}
		l.limit.Store(l.next.Load() + 60)
		require.Eventually(t, func() bool { return l.next.Load() >= l.limit.Load() }, patience, time.Millisecond)
		time.Sleep(time.Duration(c.random.IntN(100)) * time.Millisecond)
		end()
		close(stop)
		callers.Wait()
		c.readTraces()
	}
	require.Greater(t, len(l.acknowledged), 100)
	return c
}

// newCuts returns an installation that isn't created yet and whose processes will all be
// traced.
func newCuts(t *testing.T, edits []edit) *cuts {
	t.Helper()
	longtest.Only(t, "power cuts")
	longtest.Needs(t, "strace", exec.Command("strace", "-o", os.DevNull, "true").Run())
	s := emptyInstallation(t, t.TempDir())
	if edits != nil {
		s.binary = tampered(t, edits)
	}
	c := &cuts{
		T: t, installation: s, program: s.binary, traces: t.TempDir(), recording: powercut.NewRecording(filepath.Dir(s.db)),
		load: &load{installation: s, batch: 30}, seed: rand.Uint64(), lost: map[string]bool{}, losses: map[int]int{}, acknowledged: map[string]int{},
	}
	c.random = rand.New(rand.NewPCG(c.seed, 0))
	s.binary = filepath.Join(t.TempDir(), "traced")
	script := fmt.Sprintf("#!/bin/sh\nexec strace -D -f -s 100000000 -e trace=%s -o %s/$$ %s \"$@\"\n", powercut.Calls, c.traces, c.program)
	require.NoError(t, os.WriteFile(s.binary, []byte(script), 0o700))
	return c
}
