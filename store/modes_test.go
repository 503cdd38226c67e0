package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// everyFileOfATour creates every kind of file under umask 0 and requires that only the owner
// may read each.
func everyFileOfATour(path string) error {
	syscall.Umask(0)
	db, err := Open(context.Background(), path)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // the test checks the modes
	lock, err := db.Lock()
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // as above
	if err := errors.Join(db.Update(countUp), db.Backup(context.Background(), path+".backup")); err != nil {
		return err
	}
	if _, err := copyBefore(context.Background(), db.write, path, 3); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	if len(entries) != 6 { // database, WAL, index, lock, backup, copy
		return fmt.Errorf("files: %v", entries)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return err
		}
		if info.Mode() != 0o600 {
			return fmt.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
	}
	return nil
}

// FILE-1.
func TestFILE_1_NobodyElseMayReadAnyFileWhateverTheUmask(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Chmod(folder, 0o755))
	path := filepath.Join(folder, "registry.db")
	out, err := process("umask", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	info, err := os.Stat(folder)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o755), info.Mode().Perm(), "the folder is not ours to change")
}

func TestAFileOrFolderThatCannotBeWrittenIsAClearError(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "registry.db")
	open := func() string {
		out, err := process("nobody", path).CombinedOutput()
		if err == nil {
			return "written"
		}
		return string(out)
	}
	require.NoError(t, errors.Join(os.Chmod(filepath.Dir(folder), 0o755), os.Chmod(folder, 0o777)))
	require.Equal(t, "written", open())
	require.NoError(t, os.Chmod(path, 0o400))
	require.Contains(t, open(), "store: the database file cannot be opened for writing")
	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, os.Chmod(folder, 0o555))
	if os.Getuid() == 0 {
		require.NoError(t, os.Chown(path, nobody, nobody))
	}
	require.Contains(t, open(), ErrReadOnly.Error()+", nor can its folder: open "+folder)
	require.NoError(t, os.Chmod(folder, 0o777))
	require.Equal(t, "written", open())
}

func TestADatabaseThatOthersMayReadIsClosedToThem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	openedAt(t, path)
	require.NoError(t, os.Chmod(path, 0o644))
	openedAt(t, path)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
}
