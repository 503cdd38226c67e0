package app_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/seal"
)

// earlier unpacks one of the databases in testdata/upgrade and its key. Earlier versions of
// the program made them from the sample Bundles, one for every released schema. The people in
// them are invented, so the keys may be public.
func earlier(t *testing.T, name string) (db, key string) {
	t.Helper()
	folder := t.TempDir()
	db, key = filepath.Join(folder, "registry.db"), filepath.Join(folder, "registry.key")
	packed, err := os.Open("testdata/upgrade/" + name + ".db.gz")
	require.NoError(t, err)
	defer packed.Close() //nolint:errcheck // read only
	unpacked, err := gzip.NewReader(packed)
	require.NoError(t, err)
	content, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(db, content, 0o600))
	text, err := os.ReadFile("testdata/upgrade/" + name + ".key")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(key, text, 0o600))
	return db, key
}

func TestADatabaseFromAnEarlierVersionStillWorks(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob("testdata/upgrade/*.db.gz")
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for _, file := range found {
		name := strings.TrimSuffix(filepath.Base(file), ".db.gz")
		t.Run(name, func(t *testing.T) {
			db, _ := earlier(t, name)
			i := apptest.Start(t, func(c *app.Config) { c.DB = db })
			i.Practice = 1
			i.Key = i.Mint(1, "ingest:write", "ingest:read")
			i.Clean()
			require.Equal(t, 5, i.Count())
			require.Equal(t, 2, i.Record("SAMPLE-0001").Version)
			require.NotEmpty(t, i.RecordAt("SAMPLE-0001", 1).Mother, "what was sealed opens")

			out := i.Push(apptest.Course{Chart: "SAMPLE-0001", Stamp: "2030-01-01T00:00:00Z"}.Bundle())
			require.Equal(t, 3, out.Accepted[0].Version)
			_, err := i.App.RotateKey(t.Context(), silent)
			require.NoError(t, err)
			recipient, err := seal.NewRecovery(filepath.Join(t.TempDir(), "recovery.key"))
			require.NoError(t, err)
			require.NoError(t, i.App.AddRecovery(t.Context(), recipient, silent))
			i.Clean()
			i.Stop()
			i.Run()
			require.NotEmpty(t, i.RecordAt("SAMPLE-0001", 1).Mother)
		})
		t.Run(name+" restored", func(t *testing.T) {
			backup, key := earlier(t, name)
			v := newVault(t)
			v.Stop()
			done := v.restored(backup, key)
			require.True(t, done.Rekeyed)
			v.Run()
			defer v.Stop()
			v.Practice = 1
			require.Equal(t, 5, v.Count())
			require.NotEmpty(t, v.Record("SAMPLE-0001").Mother)
		})
	}
}
