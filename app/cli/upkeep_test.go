package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

func TestABackupIsACompleteDatabase(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "kept", Weight: 3400}.Bundle())
	t.Setenv("REGISTRY_DB", i.Config.DB)
	copied := filepath.Join(t.TempDir(), "copy.db")
	r := command(t, "", "backup", copied)
	require.Zero(t, r.code, r.talk)
	info, err := os.Stat(copied)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	again := command(t, "", "backup", copied)
	require.Equal(t, 1, again.code, "it overwrites nothing")
	nowhere := command(t, "", "backup", "/nowhere/copy.db")
	require.Equal(t, 1, nowhere.code)
	require.Contains(t, nowhere.talk, "/nowhere", "it says what is not there")
	key := strings.TrimSuffix(i.Config.DB, ".db") + ".key"
	shown := command(t, "", "record", "show", "kept", "--practice", "1", "--db", copied, "--key-file", key, "--reveal")
	require.Zero(t, shown.code, shown.talk)
	require.Contains(t, shown.out, "Okonkwo")
	require.Zero(t, command(t, "", "check", "--db", copied, "--key-file", key).code)
}

func TestCheckSaysWhatIsNotClean(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "fine"}.Bundle())
	t.Setenv("REGISTRY_DB", i.Config.DB)
	clean := command(t, "", "check")
	require.Zero(t, clean.code, clean.out)
	require.NotContains(t, clean.out, "PROBLEM")
	require.Contains(t, command(t, "", "check", "--json").out, `"clean": true`)
	i.Stop()
	file, err := os.ReadFile(i.Config.DB)
	require.NoError(t, err)
	const page = 4096
	for at := len(file) / page / 2 * page; at < len(file); at += page { // the second half, behind the schema
		for n := range 8 {
			file[at+n] ^= 0xff
		}
	}
	require.NoError(t, os.WriteFile(i.Config.DB, file, 0o600))
	damaged := command(t, "", "check")
	require.Equal(t, 1, damaged.code, damaged.out)
	require.Contains(t, damaged.out+damaged.talk, "restore")
}

func TestTheDemoRunsTheMainJob(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	r := command(t, "", "demo", "--once", "--listen", "127.0.0.1:0")
	require.Zero(t, r.code, r.talk)
	for _, printed := range []string{
		"births of the last three years: 301 accepted, 0 rejected", "01-single-birth.json: ok", "02-twins.json: ok", "03-fetal-death.json: ok",
		"amended, version 2", "retracted, version 2", "1 rejected", "left to do: two drafts, a spreadsheet to confirm, an invitation, and a weight of DEMO-", "curl -si http://127.0.0.1:", "rgk_",
	} {
		require.Contains(t, r.out, printed)
	}
	left, err := filepath.Glob(filepath.Join(os.TempDir(), "birthregistry-demo-*"))
	require.NoError(t, err)
	require.Empty(t, left, "nothing is kept")
}

func TestTheDemoIsCalledAtTheAddressOnWhichItListens(t *testing.T) {
	for listen, called := range map[string]string{
		"127.0.0.2:0": "http://127.0.0.2:", // as a LAN address: nothing answers on 127.0.0.1
		"0.0.0.0:0":   "http://127.0.0.1:",
	} {
		t.Setenv("TMPDIR", t.TempDir())
		r := command(t, "", "demo", "--once", "--listen", listen)
		require.Zero(t, r.code, r.talk)
		require.Contains(t, r.out, "Pushing to "+called)
		require.Contains(t, r.out, "curl -si "+called)
	}
}

func TestTheDemoStaysUpUntilItIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(context.Background())
	read, write, err := os.Pipe()
	require.NoError(t, err)
	ended := make(chan int, 1)
	go func() {
		ended <- Run(ctx, []string{"demo", "--listen", "127.0.0.1:0"}, strings.NewReader(""), write, os.Stderr)
		_ = write.Close()
	}()
	var printed strings.Builder
	buffer := make([]byte, 4096)
	for !strings.Contains(printed.String(), "health/json") {
		n, err := read.Read(buffer)
		require.NoError(t, err, printed.String())
		printed.Write(buffer[:n])
	}
	select {
	case code := <-ended:
		require.Failf(t, "it ended by itself", "code %d", code)
	default:
	}
	interrupt()
	require.Zero(t, <-ended)
}

func TestADemoThatIsInterruptedWhileItPushesIsNoFailure(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	ctx, interrupt := context.WithCancel(context.Background())
	var talk strings.Builder
	interrupts := writer(func(p []byte) (int, error) {
		interrupt() // with the first line
		return len(p), nil
	})
	require.Zero(t, Run(ctx, []string{"demo", "--listen", "127.0.0.1:0"}, strings.NewReader(""), interrupts, &talk))
	require.Equal(t, "The demo has ended, and has deleted everything that it made.\n", talk.String())
}

// writer is a function that is an io.Writer.
type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }
