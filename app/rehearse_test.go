package app_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/ops"
)

func (v *vault) rehearse(source, with string) (ops.Restored, error) {
	return ops.Rehearse(context.Background(), v.Config.Config, ops.Restoring{Source: source, With: with, Stage: func(string) {}})
}

// contents returns the contents of a folder's files by name.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = fmt.Sprintf("%x", sha256.Sum256(text))
		return err
	}))
	return all
}

func TestARestoreIsRehearsedWhileTheServiceRunsAndLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.Push(apptest.Course{Chart: "kept"}.Bundle())
	plain, sealed := v.backup("plain.db"), v.backup("sealed.db.age", v.recipient)
	rehearse := func(source, with string) {
		done, err := v.rehearse(source, with)
		require.NoError(t, err)
		v.sound(done)
		require.Empty(t, done.Aside)
	}
	backups := contents(t, v.folder)
	rehearse(plain, "")
	rehearse(sealed, v.recovery)
	require.Equal(t, "kept", v.Record("kept").ChartNumber, "the service goes on")

	v.Stop()
	home := contents(t, filepath.Dir(v.Config.DB))
	rehearse(plain, "")
	rehearse(plain, v.recovery)
	require.Equal(t, home, contents(t, filepath.Dir(v.Config.DB)))
	require.Equal(t, backups, contents(t, v.folder))
}

func TestARestoreIsRehearsedWithOnlyTheRecoveryKey(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.Push(apptest.Course{Chart: "kept"}.Bundle())
	backup, elsewhere := v.backup("backup.db"), t.TempDir()
	v.Config.DB, v.Config.KeyFile = filepath.Join(elsewhere, "registry.db"), ""
	done, err := v.rehearse(backup, v.recovery)
	require.NoError(t, err)
	v.sound(done)
	require.Empty(t, contents(t, elsewhere), "no database and no key file is made")
	_, err = v.rehearse(backup, "")
	require.ErrorIs(t, err, ops.ErrNeedsKey)
	require.Empty(t, contents(t, elsewhere))
}

func TestARehearsalDoesNotDisturbAnotherOneOrARestore(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	v.Push(apptest.Course{Chart: "kept"}.Bundle())
	backup := v.backup("backup.db")
	v.Stop()
	for name, do := range map[string]func(context.Context, ops.Config, ops.Restoring) (ops.Restored, error){
		"rehearsal": ops.Rehearse, "restore": ops.Restore,
	} {
		done, err := do(context.Background(), v.Config.Config, ops.Restoring{Source: backup, Stage: func(string) {
			_, err := v.rehearse(backup, "")
			require.NoError(t, err, name)
		}})
		require.NoError(t, err, name)
		v.sound(done)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(v.Config.DB), ".birthregistry-*"))
	require.NoError(t, err)
	require.Empty(t, left)
	v.Run()
	defer v.Stop()
	require.Equal(t, "kept", v.Record("kept").ChartNumber)
}

func TestTheServedDatabaseIsNotAcceptedAsABackup(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	link := filepath.Join(v.folder, "link.db")
	require.NoError(t, os.Symlink(v.Config.DB, link))
	for _, source := range []string{v.Config.DB, link} {
		_, err := v.rehearse(source, "")
		require.ErrorIs(t, err, ops.ErrInPlace)
	}
}
