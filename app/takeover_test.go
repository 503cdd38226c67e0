package app_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

// takeover is a service under load on machine A, and machine B, which is to take over A's
// volume. Each gets the key as a credential from its service manager.
type takeover struct {
	*testing.T
	volume *volume
	a, b   *installation
	load   *load
	end    func()               // ends the load
	cutAt  time.Time            // when A lost its volume
	late   func() time.Duration // lateness
}

// newTakeover starts A on a volume and lets it serve for a while.
func newTakeover(t *testing.T, on *volume) *takeover {
	t.Helper()
	d := &takeover{T: t, volume: on, late: lateness(t)}
	d.a = newInstallationIn(t, d.volume.attach())
	d.handOver(d.a, keyOf(d.a.db))
	d.a.start()
	d.load = &load{installation: d.a, batch: 300}
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 3 {
		callers.Go(func() { d.load.run(stop) })
	}
	d.end = sync.OnceFunc(func() {
		close(stop)
		callers.Wait()
	})
	time.Sleep(1500 * time.Millisecond)
	d.load.acknowledges(20)
	return d
}

// handOver moves a key to where the service manager puts credentials.
func (d *takeover) handOver(s *installation, key string) {
	d.Helper()
	credentials := d.TempDir()
	content, err := os.ReadFile(key)
	require.NoError(d, err)
	require.NoError(d, os.WriteFile(filepath.Join(credentials, "registry.key"), content, 0o600))
	if key == keyOf(s.db) {
		require.NoError(d, os.Remove(key))
	}
	s.env = []string{"CREDENTIALS_DIRECTORY=" + credentials}
}

// idle waits until nothing is being sent and no work is left.
func (d *takeover) idle() {
	d.Helper()
	d.end()
	for _, p := range d.load.acknowledged {
		d.a.receipt(p.location)
	}
	time.Sleep(time.Second)
	d.cutAt = time.Now()
}

// ends requires that A exits on its own within a second and reports why.
func (d *takeover) ends() {
	d.Helper()
	require.Error(d, d.a.server.Wait(), "exit code 1")
	took := time.Since(d.cutAt)
	require.Equal(d, 1, d.a.server.ProcessState.ExitCode(), "%s", &d.a.log)
	require.Less(d, took, time.Second+d.late())
	require.Contains(d, d.a.log.String(), "the volume of the database is lost")
	d.Logf("A ended after %v", took.Round(time.Millisecond))
}

// takeOver starts B on the volume and returns the time until its first 202.
func (d *takeover) takeOver() time.Duration {
	d.Helper()
	d.b = emptyInstallation(d, d.volume.attach())
	d.b.key = d.a.key
	d.handOver(d.b, filepath.Join(strings.TrimPrefix(d.a.env[0], "CREDENTIALS_DIRECTORY="), "registry.key"))
	began := time.Now()
	d.b.launch()
	took := d.b.first202(began)
	require.Less(d, took, 10*time.Second+d.late())
	return took
}

// first202 posts until a submission is accepted.
func (s *installation) first202(began time.Time) time.Duration {
	s.t.Helper()
	l := &load{installation: s}
	body := apptest.Course{Chart: "first"}.Bundle()
	require.Eventually(s.t, func() bool {
		_, err := l.post(sent{key: "first", body: body})
		return err == nil
	}, patience, time.Millisecond, "%s", &s.log)
	return time.Since(began)
}

// reconcile ends the load and compares everything that either machine has acknowledged with
// what B has.
func (d *takeover) reconcile() {
	d.Helper()
	d.end()
	l := d.load
	l.installation = d.b
	for n := range l.acknowledged {
		l.acknowledged[n].location = strings.Replace(l.acknowledged[n].location, d.a.address, d.b.address, 1)
	}
	acknowledged := len(l.acknowledged)
	require.Greater(d, acknowledged, 10)
	l.resend()
	first := sent{key: "first", charts: []string{"first"}, body: apptest.Course{Chart: "first"}.Bundle()}
	require.NoError(d, l.submit(first))
	reconcile(d.T, d.b, l.acknowledged)
	require.Contains(d, d.b.command("check"), "ok")
	d.b.command("audit", "verify")
}

func TestAnotherMachineTakesOverTheVolumeWithEverythingAcknowledged(t *testing.T) {
	at := func(d *takeover) string { return filepath.Dir(d.a.db) }
	for _, c := range []struct {
		name   string
		volume func(*testing.T, int64) *volume
		cut    func(*takeover)
	}{
		{"the process was killed", newVolume, func(d *takeover) {
			d.a.kill()
			d.volume.unmount(at(d))
		}},
		{"the volume was unmounted", newVolume, func(d *takeover) {
			d.volume.unmount(at(d))
			d.ends()
		}},
		{"the machine died", newDisk, func(d *takeover) {
			d.volume.detach(at(d))
			d.a.kill()
		}},
		{"the volume was detached", newDisk, func(d *takeover) {
			d.volume.detach(at(d))
			d.ends()
		}},
		{"the volume turned read-only", newDisk, func(d *takeover) {
			d.volume.makeReadOnly(at(d))
			d.ends()
		}},
		{"the volume of an idle service was detached", newDisk, func(d *takeover) {
			d.idle()
			d.volume.detach(at(d))
			d.ends()
		}},
		{"the volume of an idle service turned read-only", newDisk, func(d *takeover) {
			d.idle()
			d.volume.makeReadOnly(at(d))
			d.ends()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newTakeover(t, c.volume(t, 300))
			d.cutAt = time.Now()
			c.cut(d)
			took := d.takeOver()
			defer d.b.kill()
			d.reconcile()
			t.Logf("injected: %s; the other machine's first 202 after %v; %d Bundles acknowledged, lost none, doubled none",
				c.name, took.Round(time.Millisecond), len(d.load.acknowledged))
		})
	}
}

// A is frozen, its disk is taken away (fencing), B takes over, and A wakes up after B has
// served for a while.
func TestAMachineThatWakesUpLateRefusesRequestsAndStops(t *testing.T) {
	d := newTakeover(t, newDisk(t, 300))
	require.NoError(t, d.a.server.Process.Signal(syscall.SIGSTOP))
	d.volume.detach(filepath.Dir(d.a.db))
	took := d.takeOver()
	defer d.b.kill()
	time.Sleep(time.Second)
	d.cutAt = time.Now()
	require.NoError(t, d.a.server.Process.Signal(syscall.SIGCONT))
	late := &load{installation: d.a}
	late.next.Store(1_000_000) // under new keys, since acknowledged submissions may be repeated
	for !d.a.ended() {
		_, err := late.post(late.submission())
		require.Error(t, err, "A accepts what B will never have")
	}
	d.ends()
	d.reconcile()
	t.Logf("injected: a machine that froze under load, was fenced, and woke up late; the other machine's first 202 after %v; %d Bundles acknowledged, lost none, doubled none",
		took.Round(time.Millisecond), len(d.load.acknowledged))
}

// A thinly provisioned disk, as many clouds have, fails writes for which the file system has
// room.
func TestADiskThatFailsUnderTheFileSystemLosesNothing(t *testing.T) {
	thin := mounted(t, 100, "tmpfs")
	d := newTakeover(t, newDiskIn(t, thin, 1000))
	free := ballast(t, thin, 0)
	require.Eventually(t, d.a.ended, patience, 10*time.Millisecond)
	require.Error(t, d.a.server.Wait())
	require.Contains(t, d.a.log.String(), "the volume of the database is lost")
	d.volume.detach(filepath.Dir(d.a.db))
	free()
	took := d.takeOver()
	defer d.b.kill()
	d.reconcile()
	t.Logf("injected: a disk that failed under the file system; the other machine's first 202 after %v; %d Bundles acknowledged, lost none, doubled none",
		took.Round(time.Millisecond), len(d.load.acknowledged))
}

// The machine died with a long queue and a WAL that a reader had kept from being checkpointed.
func TestTheOtherMachineIsReadyInSecondsWhateverTheQueueHolds(t *testing.T) {
	d := newTakeover(t, newDisk(t, 1500))
	d.a.kill()
	d.a.start("--workers", "0")
	reader, err := sql.Open("sqlite", "file:"+d.a.db+"?mode=ro")
	require.NoError(t, err)
	defer reader.Close() //nolint:errcheck // its disk is gone
	tx, err := reader.Begin()
	require.NoError(t, err)
	defer tx.Rollback() //nolint:errcheck // its disk is gone
	var n int
	require.NoError(t, tx.QueryRow("select count(*) from records").Scan(&n))
	queued := 0
	for ; d.a.logged() < 60<<20; queued++ {
		require.NoError(t, d.load.submit(d.load.submission()))
	}
	log := d.a.logged()
	d.volume.detach(filepath.Dir(d.a.db))
	d.a.kill()
	took := d.takeOver()
	defer d.b.kill()
	d.reconcile()
	t.Logf("injected: a machine that died with %d Bundles in its queue and %d MiB in its log; the other machine's first 202 after %v; %d Bundles acknowledged, lost none, doubled none",
		queued, log>>20, took.Round(time.Millisecond), len(d.load.acknowledged))
}
