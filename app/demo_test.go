package app_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

// aDemo is a demo that runs as its own process.
type aDemo struct {
	cmd     *exec.Cmd
	printed string // until it waits to be interrupted
	talk    *strings.Builder
}

// startDemo starts a demo whose temporary folder is in folder.
func startDemo(t *testing.T, folder string, flags ...string) aDemo {
	t.Helper()
	d := aDemo{cmd: exec.Command(apptest.Binary(t), append([]string{"demo"}, flags...)...), talk: &strings.Builder{}}
	d.cmd.Env = append(os.Environ(), "TMPDIR="+folder)
	d.cmd.Stderr = d.talk
	out, err := d.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, d.cmd.Start())
	t.Cleanup(func() { _ = d.cmd.Process.Kill() })
	read := bufio.NewReader(out)
	for !strings.HasSuffix(d.printed, "/health/json\n") {
		line, err := read.ReadString('\n')
		require.NoError(t, err, "%s%s", d.printed, d.talk)
		d.printed += line
	}
	go func() { _, _ = io.Copy(io.Discard, read) }()
	return d
}

// pasted returns the commands that a demo printed, for a shell.
func (d aDemo) pasted() string {
	_, all, _ := strings.Cut(d.printed, "For integrators")
	var commands []string
	for line := range strings.Lines(all) {
		if strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "  http") {
			commands = append(commands, line)
		}
	}
	return strings.Join(commands, "")
}

func TestTheCommandsThatTheDemoPrintsWorkAsTheyArePasted(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	folder := filepath.Join(t.TempDir(), "with a space")
	require.NoError(t, os.Mkdir(folder, 0o700))
	d := startDemo(t, folder, "--listen", ":0")
	script := d.pasted()
	output, err := exec.Command("sh", "-c", script).CombinedOutput()
	require.NoError(t, err, "%s", output)
	answers := string(output)
	require.Contains(t, answers, "HTTP/1.1 202 Accepted")
	require.Contains(t, answers, `"status":"completed","accepted":2,"rejected":1`, "the receipt")
	require.Contains(t, answers, "6 files: 6 accepted, 2 rejected, 0 pushes failed")
	require.Contains(t, answers, "  SAMPLE-0001  active  ", "the list")
	require.Contains(t, answers, `"openapi": "3.1.0"`)
	require.Contains(t, answers, `"status":"pass"`)
	require.NoError(t, d.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, d.cmd.Wait())
	require.Empty(t, entries(t, folder))
}

func TestTheDemoLeavesNothingHoweverItIsEnded(t *testing.T) {
	// If nohup runs the tests, the demo would ignore a hangup, too.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	defer signal.Stop(heard)
	for _, signals := range [][]syscall.Signal{{syscall.SIGHUP}, {syscall.SIGINT, syscall.SIGINT}} {
		t.Run(fmt.Sprint(signals), func(t *testing.T) {
			folder := t.TempDir()
			d := startDemo(t, folder, "--listen", "127.0.0.1:0")
			hang(t, d)
			for _, s := range signals {
				require.NoError(t, d.cmd.Process.Signal(s))
			}
			tooLate := time.AfterFunc(patience, func() { _ = d.cmd.Process.Kill() })
			_ = d.cmd.Wait() // a second signal ends it with 1
			require.True(t, tooLate.Stop(), "it does not end")
			require.Empty(t, entries(t, folder))
		})
	}
}

// hang begins a request to the demo and never ends it, so that the demo doesn't end at once.
func hang(t *testing.T, d aDemo) {
	t.Helper()
	_, address, _ := strings.Cut(d.printed, "Pushing to http://")
	address, _, _ = strings.Cut(address, " ")
	c, err := net.Dial("tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	_, err = c.Write([]byte("POST /api/registry/fhir/Bundle HTTP/1.1\r\nHost: demo\r\nContent-Length: 9\r\n\r\n{"))
	require.NoError(t, err)
}

func entries(t *testing.T, folder string) []os.DirEntry {
	t.Helper()
	all, err := os.ReadDir(folder)
	require.NoError(t, err)
	return all
}
