package app_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/longtest"
)

// fingerprints returns the fingerprints of an installation's records, and how many still have
// the earlier form.
func (s *installation) fingerprints() (all map[string]int64, left int) {
	s.t.Helper()
	db, err := sql.Open("sqlite", "file:"+s.db+"?mode=ro&_pragma=busy_timeout(10000)")
	require.NoError(s.t, err)
	defer db.Close() //nolint:errcheck // read only
	require.NoError(s.t, db.QueryRow("select count(*) from records where fingerprinted is null").Scan(&left))
	rows, err := db.Query("select hex(print), record from fingerprints")
	require.NoError(s.t, err)
	defer rows.Close() //nolint:errcheck // read to the end
	all = map[string]int64{}
	for rows.Next() {
		var print string
		var record int64
		require.NoError(s.t, rows.Scan(&print, &record))
		all[print] = record
	}
	require.NoError(s.t, rows.Err())
	return all, left
}

// aged turns the fingerprints back into those of an earlier form.
func (s *installation) aged() {
	s.t.Helper()
	behind(s.t, s.db, "update fingerprints set print = unhex(hex(substr(print, 9)) || hex(substr(print, 1, 8)))")
	behind(s.t, s.db, "update records set fingerprinted = null")
	apptest.Sign(s.t, s.db)
}

// A start computes the fingerprints of an earlier version again before it serves anything. One
// process is killed in the middle, and another continues.
func TestRecomputingFingerprintsResumesAfterAKill(t *testing.T) {
	t.Parallel()
	longtest.Only(t, "kills of an upgrade")
	const births = 4000
	s := newInstallation(t)
	s.start()
	s.pushBirths(births)
	s.stop()
	want, left := s.fingerprints()
	require.Zero(t, left)
	require.Len(t, want, births)
	s.aged()
	s.killedIn("the middle of its recomputation", func() bool {
		left := s.counted("select count(*) from records where fingerprinted is null")
		return left > 0 && left < births
	})
	_, left = s.fingerprints()
	killed := births - left
	s.log.Reset()
	s.start()
	got, left := s.fingerprints()
	require.Zero(t, left, "it serves once it is done")
	require.Equal(t, want, got)
	s.stop() // its log is complete only once it has ended
	require.Contains(t, s.log.String(), fmt.Sprintf(`"count":0,"items":%d`, births-killed), "what was done before is kept")
	require.Contains(t, s.log.String(), fmt.Sprintf(`"count":%d,"items":%d`, births-killed, births-killed))
	require.Contains(t, s.command("check"), "ok")
}

// Records from an earlier version must match as new ones do.
func TestABirthFromAnEarlierVersionIsRecognizedRegardlessOfWhiteSpaceInTheName(t *testing.T) {
	t.Parallel()
	db, _ := earlier(t, "00008")
	i := apptest.Start(t, func(c *app.Config) { c.DB = db })
	i.Practice = 1
	i.Key = i.Mint(1, "ingest:write", "ingest:read")
	stated := map[string]string{}
	on := i.Record("SAMPLE-0001")
	for _, v := range append(on.Mother, on.Children[0]...) {
		stated[v.Field.Name] = v.Value.Text
	}
	family := stated["mother_family_name"] + stated["mother_given_names"] // the same name without white space
	again := apptest.Course{Chart: "again", Mother: family, Born: stated["birth_datetime"]}.Bundle()
	again = strings.Replace(again, `,"given":["Amara"]`, "", 1)
	again = strings.Replace(again, `"given":["Amara"],`, "", 1)
	require.True(t, i.Push(again).Accepted[0].Suspected, "%s, %s", family, stated["birth_datetime"])
	i.Clean()
}
