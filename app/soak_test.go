package app_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
	"birthregistry/store"
)

// soak is a service under load for as long as $REGISTRY_SOAK says, such as 4h; in a long test
// run without that variable, it lasts a few seconds, so that this code doesn't rot. Every
// minute the service is killed, stopped or backed up, or has its key rotated, at random. Then
// the test compares what was acknowledged with what is on file and prints the result.
type soak struct {
	*testing.T
	installation *installation
	load         *load
	ledger       *ledger
	injected     map[string]int
	old          []string // receipts of earlier minutes
}

func TestASoakUnderLoadAndRandomFaultsLosesNothing(t *testing.T) {
	longtest.Only(t, "the soak")
	lasts := 6 * time.Second
	if wish := os.Getenv("REGISTRY_SOAK"); wish != "" {
		var err error
		lasts, err = time.ParseDuration(wish)
		require.NoError(t, err, "REGISTRY_SOAK is a duration, such as 4h")
	}
	s := newInstallation(t)
	k := &soak{T: t, installation: s, ledger: newLedger(), load: &load{installation: s, batch: 20, pace: min(time.Second, lasts/100)}}
	s.start()
	defer func() { _ = s.server.Process.Kill() }() // may still be stopped after a failure
	began := time.Now()
	for n := 1; time.Since(began) < lasts; n++ {
		k.injected = map[string]int{}
		k.minute(min(time.Minute, lasts/3))
		k.audit(n)
	}
}

// minute injects faults under load.
func (k *soak) minute(lasts time.Duration) {
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 3 {
		callers.Go(func() { k.load.run(stop) })
	}
	faults := []struct {
		what string
		do   func()
	}{
		{"kills", func() { k.installation.kill(); k.installation.start() }},
		{"stops", func() { k.installation.stop(); k.installation.start() }},
		{"rotations", func() { k.installation.command("secrets", "rotate") }},
		{"rotations cut off", k.cutRotation},
		{"backups", func() { k.backup(false) }},
		{"sealed backups", func() { k.backup(true) }},
	}
	for end := time.Now().Add(lasts); time.Now().Before(end); {
		time.Sleep(rand.N(lasts / 6))
		f := faults[rand.IntN(len(faults))]
		f.do()
		k.injected[f.what]++
	}
	close(stop)
	callers.Wait()
}

// cutRotation interrupts a rotation and then runs it again, as the program advises.
func (k *soak) cutRotation() {
	rotation := exec.Command(k.installation.binary, "secrets", "rotate", "--db", k.installation.db)
	require.NoError(k, rotation.Start())
	time.Sleep(rand.N(200 * time.Millisecond))
	_ = rotation.Process.Kill() // it may have exited already
	_ = rotation.Wait()
	k.installation.command("secrets", "rotate")
}

// backup makes a backup and restores it elsewhere, where check must find nothing.
func (k *soak) backup(sealed bool) {
	folder := k.TempDir()
	args := []string{"backup", filepath.Join(folder, "copy.db")}
	if sealed {
		args = append(args, "--sealed")
	}
	k.installation.command(args...)
	key, err := os.ReadFile(keyOf(k.installation.db))
	require.NoError(k, err)
	other := &installation{t: k, binary: k.installation.binary, db: filepath.Join(folder, "registry.db")}
	require.NoError(k, os.WriteFile(keyOf(other.db), key, 0o600))
	other.command("restore", args[1])
	require.NotContains(k, other.command("check"), "PROBLEM")
	require.NoError(k, os.RemoveAll(folder))
}

// audit compares what was acknowledged with what is on file, and prints the result.
func (k *soak) audit(minute int) {
	s, l := k.installation, k.load
	l.resend()
	k.ledger.counts = map[store.Status]int{}
	k.ledger.read(k.T, s, l.acknowledged)
	k.ledger.compare(k.T, s)
	for range min(len(k.old), 50) {
		s.receipt(k.old[rand.IntN(len(k.old))])
	}
	s.command("check") // check fails if something is wrong
	memory, _ := s.resident(k)
	require.Less(k, memory, int64(256<<20))
	require.Less(k, s.files(), 200)
	output := fmt.Sprintf("minute %d: injected", minute)
	for _, what := range slices.Sorted(maps.Keys(k.injected)) {
		output += fmt.Sprintf(" %d %s,", k.injected[what], what)
	}
	for _, p := range l.acknowledged {
		k.old = append(k.old, p.location)
	}
	k.Logf("%s with %d Bundles acknowledged (%v), %d in all: lost none; %d records; %d MiB resident, %d files open, %d KiB log",
		output, len(l.acknowledged), k.ledger.counts, len(k.old), len(k.ledger.versions), memory>>20, s.files(), s.logged()>>10)
	l.acknowledged = nil
	s.stop() // its log is complete only once it has ended
	require.NotContains(k, s.log.String(), "panicked")
	s.log.Reset()
	retired, err := filepath.Glob(keyOf(s.db) + ".retired-*")
	require.NoError(k, err)
	for _, key := range retired {
		require.NoError(k, os.Remove(key))
	}
	s.start()
}

// logged returns the size of the database's WAL in bytes.
func (s *installation) logged() int64 {
	info, err := os.Stat(s.db + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}
