package app_test

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
)

// filed counts the records on file.
func (s *installation) filed() (n int) {
	s.t.Helper()
	db, err := sql.Open("sqlite", "file:"+s.db+"?mode=ro&_pragma=busy_timeout(10000)")
	require.NoError(s.t, err)
	defer db.Close() //nolint:errcheck // only read
	require.NoError(s.t, db.QueryRow("select count(*) from records").Scan(&n))
	return n
}

func TestAnImportResumesAfterKillsAndAppliesEveryRowOnce(t *testing.T) {
	longtest.Only(t, "kills of an import")
	const rows = 12_000
	s := newInstallation(t)
	var file strings.Builder
	file.WriteString("chart_number,mother_family_name,birth_datetime,birth_weight_g\n")
	for n := range rows {
		fmt.Fprintf(&file, "row-%d,Mother %d,2026-03-%02d 04:%02d,%d\n", n, n, 1+n%28, n%60, 2000+n%2000)
	}
	path := filepath.Join(t.TempDir(), "births.csv")
	require.NoError(t, os.WriteFile(path, []byte(file.String()), 0o600))

	s.start()
	importing := exec.Command(s.binary, "import", path, "--practice", "1", "--db", s.db)
	var output strings.Builder
	importing.Stdout = &output
	require.NoError(t, importing.Start())
	s.kill()
	const kills = 4
	for range kills {
		before := s.filed()
		s.killedIn("the middle of the import", func() bool { n := s.filed(); return n > before && n < rows })
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
