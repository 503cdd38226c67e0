package app_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/store"
)

// manager is the service manager's end of the socket.
type manager struct {
	t    *testing.T
	conn *net.UnixConn
	path string
}

func newManager(t *testing.T) *manager {
	path := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return &manager{t, conn, path}
}

// hears returns the next notification, or "" if none comes in time.
func (m *manager) hears(within time.Duration) string {
	require.NoError(m.t, m.conn.SetReadDeadline(time.Now().Add(within)))
	b := make([]byte, 100)
	n, err := m.conn.Read(b)
	if err != nil {
		return ""
	}
	return string(b[:n])
}

func TestTheServiceManagerHearsReadyAliveAndStopping(t *testing.T) {
	m := newManager(t)
	cmd := exec.Command(apptest.Binary(t), "serve", "--db", filepath.Join(t.TempDir(), "registry.db"), "--listen", "127.0.0.1:0")
	cmd.Env = append(cmd.Environ(), "NOTIFY_SOCKET="+m.path, "WATCHDOG_USEC=100000")
	talk := &strings.Builder{}
	cmd.Stderr = talk
	require.NoError(t, cmd.Start())
	require.Equal(t, "READY=1", m.hears(patience), talk)
	for range 3 {
		require.Equal(t, "WATCHDOG=1", m.hears(patience))
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	heard := "WATCHDOG=1"
	for heard == "WATCHDOG=1" {
		heard = m.hears(patience)
	}
	require.Equal(t, "STOPPING=1", heard)
	require.NoError(t, cmd.Wait())
}

func TestTheWatchdogIsSilentWhileTheDatabaseDoesNotAnswer(t *testing.T) {
	m := newManager(t)
	t.Setenv("NOTIFY_SOCKET", m.path)
	t.Setenv("WATCHDOG_USEC", "100000")
	i := apptest.Start(t)
	require.Equal(t, "READY=1", m.hears(patience))
	require.Equal(t, "WATCHDOG=1", m.hears(patience))
	ctx, free := context.WithCancel(context.Background())
	begun, stuck := make(chan struct{}), make(chan error, 1)
	go func() {
		stuck <- i.App.DB.Update(func(*store.Tx) error { close(begun); <-ctx.Done(); return nil })
	}()
	<-begun
	quiet := false
	for range 20 { // notifications already under way may still arrive
		if quiet = m.hears(500*time.Millisecond) == ""; quiet {
			break
		}
	}
	require.True(t, quiet, "nothing is heard of a service whose database is stuck")
	free()
	require.NoError(t, <-stuck)
	require.Equal(t, "WATCHDOG=1", m.hears(patience), "and again when it answers")
}

func TestTheKeyComesFromACredentialOfTheServiceManager(t *testing.T) {
	folder, credentials := t.TempDir(), t.TempDir()
	db := filepath.Join(folder, "registry.db")
	registry := func(env ...string) string {
		cmd := exec.Command(apptest.Binary(t), "practice", "add", "Riverside", "--db", db)
		cmd.Env = append(cmd.Environ(), env...)
		output, err := cmd.CombinedOutput()
		if err != nil {
			return string(output)
		}
		return ""
	}
	require.Empty(t, registry(), "the first start makes the key")
	handed := filepath.Join(credentials, "registry.key")
	require.NoError(t, os.Rename(filepath.Join(folder, "registry.key"), handed))
	require.Contains(t, registry(), "key file is missing")
	require.NoError(t, os.Chmod(handed, 0o440))
	require.Empty(t, registry("CREDENTIALS_DIRECTORY="+credentials))
	require.NoError(t, os.Chmod(handed, 0o444))
	require.Contains(t, registry("CREDENTIALS_DIRECTORY="+credentials), "can be read by others")
}
