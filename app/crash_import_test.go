package app_test

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/longtest"
)

// filed returns the number of records on file.
func (s *installation) filed() (n int) { return s.counted("select count(*) from records") }

// counted returns the one number that a query yields, or -1 while a stopped process holds the
// file's lock.
func (s *installation) counted(query string) (n int) {
	s.t.Helper()
	db, err := sql.Open("sqlite", "file:"+s.db+"?mode=ro&_pragma=busy_timeout(100)")
	require.NoError(s.t, err)
	defer db.Close() //nolint:errcheck // read only
	err = db.QueryRow(query).Scan(&n)
	if err != nil && (strings.Contains(err.Error(), "locked") || strings.Contains(err.Error(), "SQLITE_BUSY") || strings.Contains(err.Error(), "locking protocol")) {
		return -1 // the file is still being recovered
	}
	require.NoError(s.t, err)
	return n
}

// fileOf writes a spreadsheet of this many births.
func fileOf(t testing.TB, rows int) (path string) {
	t.Helper()
	var file strings.Builder
	file.WriteString("chart_number,mother_family_name,birth_datetime,birth_weight_g\n")
	for n := range rows {
		fmt.Fprintf(&file, "row-%d,Mother %d,2026-03-%02d 04:%02d,%d\n", n, n, 1+n%28, n%60, 2000+n%2000)
	}
	path = filepath.Join(t.TempDir(), "births.csv")
	require.NoError(t, os.WriteFile(path, []byte(file.String()), 0o600))
	return path
}

func TestAnImportResumesAfterKillsAndAppliesEveryRowOnce(t *testing.T) {
	t.Parallel()
	longtest.Only(t, "kills of an import")
	const rows = 12_000
	s := newInstallation(t)
	path := fileOf(t, rows)

	s.start()
	importing := exec.Command(s.binary, "import", path, "--practice", "1", "--db", s.db)
	var output strings.Builder
	importing.Stdout = &output
	require.NoError(t, importing.Start())
	const kills = 4
	for n := range kills {
		before := s.filed()
		if n > 0 { // the first process runs since before the command, which would process the file itself otherwise
			s.launch()
		}
		s.killIn("the middle of the import", func() bool { n := s.filed(); return n > before && n < rows })
	}
	s.start()
	defer s.kill()
	require.NoError(t, importing.Wait(), "%s", output.String())
	require.Contains(t, output.String(), fmt.Sprintf("%7d  births were added", rows))
	versions := s.records()
	require.Len(t, versions, rows)
	for chart, version := range versions {
		require.Equal(t, 1, version, chart)
	}
	require.Contains(t, s.command("check"), "ok")
	t.Logf("injected: %d kills during an import of %d rows; lost none", kills, rows)
}

func TestAnUndoResumesAfterKillsAndRevertsEveryRecordOnce(t *testing.T) {
	t.Parallel()
	longtest.Only(t, "kills of an undo")
	const rows = 6_000
	s := newInstallation(t)
	password := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(password, []byte(canaryPassword), 0o600))
	s.command("user", "add", "olive@example.org", "--practice", "1", "--role", "admin", "--password-file", password)
	s.command("import", fileOf(t, rows), "--practice", "1")
	s.start()
	b := apptest.NewBrowser(t, "http://"+s.address)
	require.Equal(t, 303, b.Post("/sign-in", url.Values{"email": {"olive@example.org"}, "password": {canaryPassword}}).StatusCode)
	at := regexp.MustCompile(`/registry/imports/[0-9a-f-]{36}/undo`).FindString(b.Get("/registry/import").Body)
	require.NotEmpty(t, at)
	require.Equal(t, 303, b.Post(at, url.Values{}).StatusCode)
	s.kill()
	voided := func() int { return s.counted("select count(*) from records where state = 'voided'") }
	const kills = 4
	for range kills {
		before := voided()
		s.killedIn("the middle of the undo", func() bool { n := voided(); return n > before && n < rows })
	}
	s.start()
	defer s.kill()
	require.Eventually(t, func() bool { return s.counted("select count(ended_at) from undos") == 1 }, patience, 50*time.Millisecond)
	require.Equal(t, rows, voided())
	require.Equal(t, 2*rows, s.counted("select count(*) from versions"), "each record was voided once")
	require.Equal(t, rows, s.counted("select voided from undos"))
	require.Contains(t, s.command("check"), "ok")
	t.Logf("injected: %d kills during the undo of an import of %d rows", kills, rows)
}
