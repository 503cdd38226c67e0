package app_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
)

// leaving is an installation with a practice that is exported, and the key of its archive.
type leaving struct {
	*installation
	recipient, secret string
}

// newLeaving makes an installation with this many births, each of a mother whose name begins
// with canaryFamily.
func newLeaving(t *testing.T, births int) *leaving {
	l := &leaving{installation: newInstallation(t)}
	l.secret = filepath.Join(t.TempDir(), "secret.txt")
	l.recipient = filepath.Join(t.TempDir(), "recipient.txt")
	require.NoError(t, os.WriteFile(l.recipient, []byte(l.command("secrets", "recovery", "make", l.secret)), 0o600))
	file := fileOf(t, births)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(content, []byte("Mother "), []byte(canaryFamily)), 0o600))
	l.command("import", file, "--practice", "1")
	return l
}

const canaryFamily = "Zyxwvutmother"

// took runs a command of the real binary and returns how long it took.
func (s *installation) took(args ...string) (took time.Duration) {
	began := time.Now()
	s.command(args...)
	return time.Since(began)
}

// cut starts a command and kills it after a while, unless it ends before. It reports whether
// it was killed. A command that fails by itself fails the test, with what it printed.
func (s *installation) cut(after time.Duration, args ...string) bool {
	s.t.Helper()
	cmd := exec.Command(s.binary, append(args, "--db", s.db)...)
	var printed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &printed
	require.NoError(s.t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the exit code says how it ended
	}()
	select {
	case <-ended:
		require.True(s.t, cmd.ProcessState.Success(), "%s: %s", strings.Join(args, " "), &printed)
		return false
	case <-time.After(after):
		_ = cmd.Process.Kill() // it may have ended just now
		<-ended
		return cmd.ProcessState.ExitCode() != 0
	}
}

func TestAnExportThatIsKilledLeavesNoFileUnderItsName(t *testing.T) {
	t.Parallel()
	longtest.Only(t, "kills of exports of a practice")
	l := newLeaving(t, 3_000)
	folder := t.TempDir()
	export := func(name string) []string {
		return []string{"practice", "export", "1", filepath.Join(folder, name), "--recipient", l.recipient}
	}
	whole := l.took(export("whole.age")...)
	require.NoError(t, os.Remove(filepath.Join(folder, "whole.age")))
	seed := rand.Uint64()
	moments := rand.New(rand.NewPCG(seed, 0))
	t.Logf("the moments of seed %d, within %s", seed, whole)
	killed := 0
	for killed < 50 {
		if l.cut(time.Duration(moments.Int64N(int64(whole))), export("riverside.age")...) {
			killed++
		}
		file := filepath.Join(folder, "riverside.age")
		if _, err := os.Stat(file); err == nil { // it has its name only once it is complete
			b := emptyInstallation(t, t.TempDir())
			b.command("practice", "import", file, "--identity", l.secret)
			require.NoError(t, os.Remove(file))
		}
	}
	l.command(export("riverside.age")...)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1, "the next export deletes what the others have left")
	require.Contains(t, l.command("check"), "ok")
	l.command("audit", "verify")
	t.Logf("injected: %d kills of exports", killed)
}

func TestAnImportOfAPracticeThatIsKilledChangesNothing(t *testing.T) {
	t.Parallel()
	longtest.Only(t, "kills of imports of a practice")
	l := newLeaving(t, 2_000)
	file := filepath.Join(t.TempDir(), "riverside.age")
	l.command("practice", "export", "1", file, "--recipient", l.recipient)
	into := func(b *installation) []string { return []string{"practice", "import", file, "--identity", l.secret} }
	other := newInstallation(t)
	whole := other.took(into(other)...)

	b := newInstallation(t)
	b.start() // the service runs meanwhile
	defer func() { b.kill() }()
	seed := rand.Uint64()
	moments := rand.New(rand.NewPCG(seed, 0))
	t.Logf("the moments of seed %d, within %s", seed, whole)
	written, killed := 0, 0
	for killed < 50 || written == 0 { // the machine may be slower than when it was measured
		require.Less(t, killed, 1000, "no kill was in the middle of writing")
		dead := b.cut(time.Duration(moments.Int64N(int64(whole))), into(b)...)
		if b.practices() > 1 { // its last write was done before its moment
			require.Equal(t, 2_000, b.filed(), "a practice that is seen is whole")
			b.kill()
			whole = whole * 2 / 3
			b = newInstallation(t)
			b.start()
			continue
		}
		require.True(t, dead, "an import that ends by itself has made a practice")
		killed++
		if b.filed() > 0 {
			written++
		}
		if killed > 50 {
			whole = whole * 5 / 4
		}
	}
	require.Contains(t, b.command("check"), "ok", "also with what was written so far")
	b.command("audit", "verify")
	b.kill()
	b.start() // its sweep deletes what is left
	require.Eventually(t, func() bool { return b.counted("select count(*) from incoming") == 0 }, patience, 50*time.Millisecond)
	require.Eventually(t, func() bool { return !b.holds("row-17") }, patience, 50*time.Millisecond, "the chart numbers are gone from the file, too")
	for _, table := range []string{"records", "versions", "fingerprints", "names", "providers", "ingestions", "former_audit", "users"} {
		require.Zero(t, b.counted("select count(*) from "+table), table)
	}
	require.True(t, b.healthy())
	imported := b.command(into(b)...)
	require.True(t, b.holds("row-17"))
	require.Equal(t, 2_000, b.filed())
	require.Contains(t, b.command("check"), "ok")
	b.command("audit", "verify")
	require.Contains(t, b.command("record", "show", "row-7", "--practice", imported, "--reveal"), canaryFamily)
	t.Logf("injected: %d kills of imports, %d of them while rows were written", killed, written)
}

// practices returns how many practices the command lists.
func (s *installation) practices() int {
	s.t.Helper()
	return strings.Count(s.command("practice", "list"), "Crash")
}

// holds reports whether the database file or its WAL contains a text.
func (s *installation) holds(text string) bool {
	for _, file := range []string{s.db, s.db + "-wal"} {
		content, err := os.ReadFile(file)
		require.NoError(s.t, err)
		if bytes.Contains(content, []byte(text)) {
			return true
		}
	}
	return false
}
