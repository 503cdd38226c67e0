package cli

import (
	"database/sql"
	"os"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

func TestCompactingRefusesWhileTheServiceRunsAndReportsTheSizeOfTheFileAfterwards(t *testing.T) {
	i := apptest.Start(t)
	for _, chart := range []string{"1", "2", "3"} {
		i.Push(apptest.Course{Chart: chart}.Bundle())
	}
	t.Setenv("REGISTRY_DB", i.Config.DB)
	served := command(t, "", "compact")
	require.Equal(t, exitFailed, served.code)
	require.Empty(t, served.out)
	require.Contains(t, served.talk, "birthregistry: the service runs, and could not write meanwhile; stop it, compact, and start it again\n")
	i.Push(apptest.Course{Chart: "4"}.Bundle())
	i.Stop()
	require.Zero(t, command(t, "", "practice", "forget", "1", "--without-export", "--yes").code)

	r := command(t, "", "compact", "--json")
	require.Zero(t, r.code, r.talk)
	require.Regexp(t, `^Compacting [0-9.]+ [KM]iB. This may take a minute for each GiB.\n$`, r.talk)
	var done compacted
	require.NoError(t, json.Unmarshal([]byte(r.out), &done))
	info, err := os.Stat(i.Config.DB)
	require.NoError(t, err)
	require.Equal(t, info.Size(), done.After)
	require.LessOrEqual(t, done.After, done.Before)
	require.Contains(t, command(t, "", "compact").out, "Nothing that was deleted is left in it or in its write-ahead log.\n")
	require.Zero(t, command(t, "", "check").code)
	require.Contains(t, command(t, "", "audit", "verify").out, "were erased with their practice")
	db, err := sql.Open("sqlite", i.Config.DB)
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // only read
	var noted int
	require.NoError(t, db.QueryRow(`select count(*) from audit where action = 'database.compact'`).Scan(&noted))
	require.Equal(t, 2, noted)
}
