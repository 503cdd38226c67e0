package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

func TestFilesOfAKilledDownloadAndOfAKilledRestoreAreDeletedAtTheNextStart(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	i.Stop()
	left := filepath.Join(filepath.Dir(i.Config.DB), ".birthregistry-copy-123")
	require.NoError(t, os.WriteFile(left, []byte("sealed"), 0o600))
	restoring := filepath.Join(filepath.Dir(i.Config.DB), ".birthregistry-restore-registry.db-123")
	require.NoError(t, os.Mkdir(restoring, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(restoring, "registry.db"), []byte("a backup"), 0o600))
	i.Run()
	defer i.Stop()
	i.Push(apptest.Course{Chart: "1"}.Bundle())
	require.NoFileExists(t, left)
	require.NoDirExists(t, restoring)
}
