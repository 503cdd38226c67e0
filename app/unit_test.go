package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

// The service manager's own tools read the unit that the program prints: it
// has no mistake, and little is left that the service could do to the machine.
func TestTheUnitIsSoundAndHardened(t *testing.T) {
	program := apptest.Binary(t)
	unit, err := exec.Command(program, "unit").Output()
	require.NoError(t, err)
	require.Contains(t, string(unit), "ExecStart="+program+" serve\n")
	require.Contains(t, string(unit), "\nReadWritePaths=-/mnt/backup\n", "where the guide puts the backups")
	unit, err = exec.Command(program, "unit", "--backup-dir", "/mnt/nas").Output()
	require.NoError(t, err)
	require.Contains(t, string(unit), "\nReadWritePaths=-/mnt/nas\n")
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze here")
	}
	path := filepath.Join(t.TempDir(), "birthregistry.service")
	require.NoError(t, os.WriteFile(path, unit, 0o600))
	said, err := exec.Command(analyze, "verify", "--man=no", path).CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.NotContains(t, string(said), "birthregistry.service:", "%s", said)
	beside, err := exec.Command(program, "unit", "litestream").Output()
	require.NoError(t, err)
	require.Contains(t, string(beside), "\nReadWritePaths=-/mnt/backup/birthregistry\n")
	other := filepath.Join(t.TempDir(), "birthregistry-litestream.service") // with a program that is there
	require.NoError(t, os.WriteFile(other, []byte(strings.Replace(string(beside), "/usr/bin/litestream", program, 1)), 0o600))
	said, err = exec.Command(analyze, "verify", "--man=no", path, other).CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.NotContains(t, string(said), "litestream.service:", "%s", said)
	said, err = exec.Command(analyze, "security", "--offline=yes", "--threshold=20", path).CombinedOutput()
	require.NoError(t, err, "%s", said)
	t.Logf("%s", said)
}

// The service manager takes a death by SIGHUP for a clean end, after which it
// starts nothing again; and whoever renews a certificate is used to send it.
func TestWhoeverSendsAReloadDoesNotEndTheService(t *testing.T) {
	s := newSite(t)
	s.start()
	defer s.kill()
	require.NoError(t, s.server.Process.Signal(syscall.SIGHUP))
	s.command("practice", "list") // by now it has come
	for range 20 {
		code, _, _ := s.status("GET", "/health/json", "")
		require.Equal(t, 200, code)
	}
	require.NotContains(t, s.command("unit"), "ExecReload")
}
