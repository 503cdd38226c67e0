package app_test

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// everything performs every step: pushes, a pull, the form, a spreadsheet, a review, backups,
// a key rotation, and a restore, after which the service runs again.
func (r *canaryRun) everything() {
	r.t.Helper()
	r.pushes()
	r.record(r.step(200, r.b.Get("/registry/capture")))
	r.pull()
	r.spreadsheet()
	r.reviews()
	r.passkey()
	r.command("backup", r.at("out/plain.db"))
	r.command("backup", r.at("out/sealed.age"), "--sealed")
	r.command("secrets", "rotate")
	require.Eventually(r.t, func() bool {
		made, err := filepath.Glob(r.at("backups/registry-*"))
		return err == nil && len(made) > 0
	}, patience, 100*time.Millisecond, "a scheduled backup")
	r.command("backup", r.at("out/later.db"))
	r.kill()
	r.command("restore", r.at("out/later.db"))
	r.serve()
	for _, address := range []string{"http://" + r.address + "/health/json", "http://" + r.metrics + "/metrics"} {
		answer, err := http.Get(address)
		require.NoError(r.t, err)
		content, err := io.ReadAll(answer.Body)
		require.NoError(r.t, err)
		require.NoError(r.t, answer.Body.Close())
		require.Equal(r.t, http.StatusOK, answer.StatusCode)
		fmt.Fprintln(&r.seen, string(content))
	}
	for _, command := range [][]string{{"audit", "list", "--practice", "1"}, {"record", "list", "--practice", "1", "--json"}, {"check"}, {"audit", "verify"}} {
		output := r.command(command...)
		if command[0] != "record" { // its list shows chart numbers
			fmt.Fprintln(&r.seen, output)
		}
	}
	found, _ := r.doctor()
	fmt.Fprintln(&r.seen, found)
	r.messages()
	for _, name := range []string{"cmdline", "environ"} {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", r.server.Process.Pid, name))
		if err == nil { // not every system has /proc
			r.seen.Write(content)
		}
	}
	r.seen.WriteString(r.log.String())
}

// messages records what the receiver of the webhook got, and what is shown of it.
func (r *canaryRun) messages() {
	r.t.Helper()
	r.hook.mu.Lock()
	defer r.hook.mu.Unlock()
	require.NotEmpty(r.t, r.hook.bodies)
	fmt.Fprintln(&r.seen, r.hook.bodies, r.hook.headers, r.command("key", "deliveries", "1", "--json"))
}

// files visits every file that the program wrote, including those in its temporary folder.
func (r *canaryRun) files(visit func(path string, d fs.DirEntry)) {
	r.t.Helper()
	require.NoError(r.t, filepath.WalkDir(r.folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != r.folder && path != r.binary && path != r.at("out/password") {
			visit(path, d)
		}
		return err
	}))
}

// PHI-1 and FILE-1 check what one run through everything leaves behind.
// TestPHI_1_APanicFailsThatIngestionOnlyAndRevealsNothingOfIt in app/ingest checks that a
// panic reveals nothing.
func TestPHI_1_FILE_1_ARunThroughEverythingLeavesNoPlainValueAndNoFileForOthers(t *testing.T) {
	t.Parallel()
	r := newCanaryRun(t)
	defer func() { r.kill() }()
	r.everything()
	t.Run("PHI_1 nothing that it shows", func(t *testing.T) {
		for token, path := range r.c.tokens {
			if path == "search" || path == "nowhere" || path == "state" || path == "code" || path == "launch" || path == "iss" {
				continue // in addresses that this test requested
			}
			before, after, shown := strings.Cut(r.seen.String(), token)
			require.False(t, shown, "an answer, the log or the metrics show %s: …%s%s%s…", path, before[max(len(before)-300, 0):], token, after[:min(len(after), 100)])
		}
		require.NotContains(t, r.log.String(), "CNRY", "the log")
	})
	t.Run("PHI_1 nothing in its files", func(t *testing.T) {
		found, searched := 0, 0
		r.files(func(path string, d fs.DirEntry) {
			if d.IsDir() {
				return
			}
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			searched++
			for token, what := range r.c.tokens {
				if strings.Contains(string(content), token) {
					found++
					require.True(t, kept(what), "%s holds %s in clear", filepath.Base(path), what)
				}
			}
		})
		require.Greater(t, searched, 6)
		require.Positive(t, found, "the search itself finds nothing")
	})
	t.Run("FILE_1 no file is for others", func(t *testing.T) {
		seen := 0
		r.files(func(path string, d fs.DirEntry) {
			if d.IsDir() { // the operator made these
				return
			}
			info, err := d.Info()
			require.NoError(t, err)
			require.Zero(t, info.Mode().Perm()&0o077, "%s: %s", path, info.Mode())
			seen++
		})
		require.Greater(t, seen, 6)
		left, err := os.ReadDir(r.at("temp"))
		require.NoError(t, err)
		require.Empty(t, left, "in the temporary folder")
	})
	require.Greater(t, len(r.c.tokens), 250)
}
