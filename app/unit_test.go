package app_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/longtest"
)

// The service manager's own tools read the unit that the program prints: they find no mistake,
// and the unit leaves the service little that it could do to the machine.
func TestTheSystemdUnitIsValidAndHardened(t *testing.T) {
	program := apptest.Binary(t)
	unit, err := exec.Command(program, "unit").Output()
	require.NoError(t, err)
	require.Contains(t, string(unit), "ExecStart="+program+" serve\n")
	require.Contains(t, string(unit), "\nReadWritePaths=-/mnt/backup\n", "where the guide puts the backups")
	require.Contains(t, string(unit), "\nTimeoutStartSec=1h\n", "an upgrade that systemd ends after 90 seconds would begin again forever")
	unit, err = exec.Command(program, "unit", "--backup-dir", "/mnt/nas", "--db", "/srv/births/registry.db").Output()
	require.NoError(t, err)
	require.Contains(t, string(unit), "\nReadWritePaths=-/mnt/nas /srv/births\n")
	packaged, err := exec.Command(program, "unit", "--program", "/usr/bin/birthregistry").Output()
	require.NoError(t, err)
	require.Contains(t, string(packaged), "ExecStart=/usr/bin/birthregistry serve\n", "as the packages install it")
	analyze, err := exec.LookPath("systemd-analyze")
	longtest.Needs(t, "systemd-analyze", err)
	path := filepath.Join(t.TempDir(), "birthregistry.service")
	require.NoError(t, os.WriteFile(path, unit, 0o600))
	output, err := exec.Command(analyze, "verify", "--man=no", path).CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.NotContains(t, string(output), "birthregistry.service:", "%s", output)
	litestream, err := exec.Command(program, "unit", "litestream").Output()
	require.NoError(t, err)
	require.Contains(t, string(litestream), "\nReadWritePaths=-/mnt/backup/birthregistry\n")
	other := filepath.Join(t.TempDir(), "birthregistry-litestream.service") // naming a program that exists
	require.NoError(t, os.WriteFile(other, []byte(strings.Replace(string(litestream), "/usr/bin/litestream", program, 1)), 0o600))
	output, err = exec.Command(analyze, "verify", "--man=no", path, other).CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.NotContains(t, string(output), "litestream.service:", "%s", output)
	output, err = exec.Command(analyze, "security", "--offline=yes", "--threshold=20", path).CombinedOutput()
	require.NoError(t, err, "%s", output)
	t.Logf("%s", output)
}

// The service manager treats a death by SIGHUP as a clean exit and doesn't restart the
// service, and tools that renew certificates often send SIGHUP.
func TestAReloadSignalDoesNotEndTheService(t *testing.T) {
	s := newInstallation(t)
	s.start()
	defer s.kill()
	require.NoError(t, s.server.Process.Signal(syscall.SIGHUP))
	s.command("practice", "list") // by now the signal has arrived
	for range 20 {
		code, _, _ := s.status("GET", "/health/json", "")
		require.Equal(t, 200, code)
	}
	require.NotContains(t, s.command("unit"), "ExecReload")
}

func TestTheServiceWritesNoCoreDumpEvenWithoutTheUnit(t *testing.T) {
	s := newInstallation(t)
	s.start()
	defer s.kill()
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", s.server.Process.Pid))
	if os.IsNotExist(err) {
		t.Skip("no /proc here")
	}
	require.NoError(t, err)
	require.Regexp(t, `Max core file size +0 +0 `, string(limits))
}

func TestAskingAgainDoesNotWaitForWorkInProgress(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	conn, err := net.Dial("tcp", s.address) // a request that never ends
	require.NoError(t, err)
	defer conn.Close() //nolint:errcheck // the other side is gone
	_, err = fmt.Fprintf(conn, "POST /api/registry/fhir/Bundle HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", s.key)
	require.NoError(t, err)
	code, _, _ := s.status("GET", "/health/json", "") // by now the request has begun
	require.Equal(t, 200, code)
	require.NoError(t, s.server.Process.Signal(os.Interrupt))
	require.Eventually(t, func() bool {
		other, err := net.Dial("tcp", s.address)
		if err == nil {
			_ = other.Close() // still accepted
		}
		return err != nil
	}, patience, time.Millisecond)
	var asking sync.WaitGroup
	over := make(chan struct{})
	asking.Go(func() { // repeated, since the second signal may arrive before the first is handled
		for again := time.NewTicker(100 * time.Millisecond); ; <-again.C {
			select {
			case <-over:
				return
			default:
				_ = s.server.Process.Signal(os.Interrupt) // it may have exited already
			}
		}
	})
	_ = s.server.Wait() // the test looks at its state instead
	close(over)
	asking.Wait()
	ended := s.server.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ended.Signaled(), "exit code %d after waiting", ended.ExitStatus())
}
