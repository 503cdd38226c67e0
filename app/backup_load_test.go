package app_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
)

// whole requires that a file is a sound database and returns how many ingestions and record
// versions it holds.
func whole(t *testing.T, path string) (ingestions, versions int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&immutable=1")
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // read only
	var sound string
	require.NoError(t, db.QueryRow("pragma integrity_check").Scan(&sound))
	require.Equal(t, "ok", sound)
	require.NoError(t, db.QueryRow("select (select count(*) from ingestions), (select count(*) from versions)").Scan(&ingestions, &versions))
	return ingestions, versions
}

// loaded returns an installation under the load of two integrators, which lasts until end is
// called.
func loaded(t *testing.T) (s *installation, l *load, end func()) {
	t.Helper()
	s = newInstallation(t)
	s.start()
	l = &load{installation: s, singles: true, pace: 10 * time.Millisecond}
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 2 {
		callers.Go(func() { l.run(stop) })
	}
	return s, l, sync.OnceFunc(func() {
		close(stop)
		callers.Wait()
	})
}

// FILE-4 for backups that finish.
func TestFILE_4_AHundredBackupsUnderLoadAreWholeAndRestore(t *testing.T) {
	longtest.Only(t, "a hundred backups under load")
	s, l, end := loaded(t)
	defer end()
	defer func() { s.kill() }()
	folder, copied := t.TempDir(), ""
	var ingestions, versions int
	var acknowledged []sent
	for n := range 100 {
		l.limit.Store(int64(10 * (n + 1))) // keeps the database from outgrowing a slow machine, where larger backups take still longer
		if copied != "" && n%10 != 1 {     // keeps one in ten
			require.NoError(t, os.Remove(copied))
		}
		if n == 99 {
			l.mu.Lock()
			acknowledged = append(acknowledged, l.acknowledged...)
			l.mu.Unlock()
		}
		copied = filepath.Join(folder, fmt.Sprint(n, ".db"))
		s.command("backup", copied)
		nowIn, nowVersions := whole(t, copied)
		require.GreaterOrEqual(t, nowIn, max(ingestions, len(acknowledged)), "backup %d", n)
		require.GreaterOrEqual(t, nowVersions, versions, "backup %d", n)
		ingestions, versions = nowIn, nowVersions
	}
	end()
	s.kill()
	require.Positive(t, versions)
	key, err := os.ReadFile(filepath.Join(filepath.Dir(s.db), "registry.key"))
	require.NoError(t, err)
	s.db = filepath.Join(t.TempDir(), "registry.db") // as on another machine
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(s.db), "registry.key"), key, 0o600))
	s.command("restore", copied)
	s.start()
	for _, p := range acknowledged[max(len(acknowledged)-50, 0):] {
		require.NotEmpty(t, s.receipt(p.location).Status)
	}
	_, err = l.post(sent{key: "after", body: l.submission().body})
	require.NoError(t, err)
	require.Contains(t, s.command("check"), "ok")
	t.Logf("injected: 100 backups under load; the last of %d Bundles was restored, with all of %d acknowledged before it; lost none", ingestions, len(acknowledged))
}

// FILE-4 for backups that are killed.
func TestFILE_4_AKilledBackupLeavesNoFileUnderItsNameAndNothingUnsealed(t *testing.T) {
	longtest.Only(t, "kills of backups")
	s, _, end := loaded(t)
	defer func() { s.kill() }()
	defer end()
	for _, way := range [][]string{nil, {"--sealed"}} {
		folder, began := t.TempDir(), time.Now()
		backup := func(name string) *exec.Cmd {
			return exec.Command(s.binary, append([]string{"backup", filepath.Join(folder, name), "--db", s.db}, way...)...)
		}
		out, err := backup("first").CombinedOutput()
		require.NoError(t, err, "%s", out)
		takes := time.Since(began)
		killed, finished := 0, 0
		for n := 0; n < 40 || killed == 0; n++ {
			require.Less(t, n, 400, "none was killed in time")
			name := fmt.Sprint(n)
			cmd := backup(name)
			require.NoError(t, cmd.Start())
			time.Sleep(rand.N(takes))
			_ = cmd.Process.Kill() // it may have ended
			ended := cmd.Wait() == nil
			_, err := os.Stat(filepath.Join(folder, name))
			if err != nil {
				require.False(t, ended, "it reported that it was done")
				killed++
				continue
			}
			finished++
			if way == nil {
				whole(t, filepath.Join(folder, name))
			}
		}
		if way != nil {
			requireSealed(t, folder)
		}
		out, err = backup("last").CombinedOutput()
		require.NoError(t, err, "%s", out)
		for _, at := range []string{folder, filepath.Dir(s.db)} {
			left, err := filepath.Glob(filepath.Join(at, ".birthregistry-*"))
			require.NoError(t, err)
			require.Empty(t, left, "the next one takes away what was left")
		}
		t.Logf("injected: %d backups %v killed, %d had ended before", killed, way, finished)
	}
}

// requireSealed requires that no file in a folder is an unencrypted database.
func requireSealed(t *testing.T, folder string) {
	t.Helper()
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		content, err := os.ReadFile(filepath.Join(folder, f.Name()))
		require.NoError(t, err)
		require.False(t, bytes.Contains(content, []byte("SQLite format 3")), f.Name())
		require.False(t, bytes.Contains(content, []byte("CREATE TABLE")), f.Name())
	}
}
