package app_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
)

func TestAnImportGoesOnOverKillsAndAppliesEveryRowOnce(t *testing.T) {
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
	kills := 0
	for before := len(s.records()); kills < 4 && before < rows; before = len(s.records()) { // while some are to come
		require.Eventually(t, func() bool { return len(s.records()) > before }, 30*time.Second, 5*time.Millisecond)
		s.kill()
		s.start()
		kills++
	}
	defer s.kill()
	require.NoError(t, importing.Wait(), "%s", output.String())
	require.Contains(t, output.String(), fmt.Sprintf("%7d  births were added", rows))
	versions := s.records()
	require.Len(t, versions, rows)
	for chart, version := range versions {
		require.Equal(t, 1, version, chart)
	}
	require.Greater(t, kills, 1, "it was killed in the middle")
	require.Contains(t, s.command("check"), "ok")
	t.Logf("injected: %d kills during an import of %d rows; lost none", kills, rows)
}
