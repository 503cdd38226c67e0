package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOpenMakesADatabaseThatHoldsWhatIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	db, err := Open(t.Context(), path)
	require.NoError(t, err)
	require.Equal(t, path, db.Path())
	p := addPractice(t, db)
	require.NoError(t, db.Close())
	db = openedAt(t, path)
	view(t, db, func(v *View) error {
		_, err := v.Practice(p)
		return err
	})
}

func TestOpenAcceptsRelativePathsAndOddCharacters(t *testing.T) {
	t.Chdir(t.TempDir())
	db := openedAt(t, "registry ü?&#%20.db")
	addPractice(t, db)
	require.True(t, filepath.IsAbs(db.Path()))
	require.FileExists(t, "registry ü?&#%20.db")
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	require.Len(t, entries, 4, "the database, its log, its index and its lock")
}

// stranger makes a file that is not a registry's, and requires that Open leaves it unchanged.
func stranger(t *testing.T, content func(path string)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other")
	content(path)
	require.NoError(t, os.Chmod(path, 0o644))
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = Open(t.Context(), path)
	require.ErrorIs(t, err, ErrNotDatabase)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after, "a file that is no registry was changed")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o644), info.Mode(), "the mode of a file that is no registry was changed")
	return path
}

func TestOpenRefusesAFileThatIsNotADatabaseAndLeavesItAlone(t *testing.T) {
	stranger(t, func(path string) {
		require.NoError(t, os.WriteFile(path, []byte("root:x:0:0:root:/root:/bin/bash\n"), 0o644))
	})
	stranger(t, func(path string) {
		require.NoError(t, os.WriteFile(path, make([]byte, 8192), 0o644))
	})
}

func TestOpenRefusesAnotherProgramsDatabaseAndLeavesItAlone(t *testing.T) {
	for _, id := range []int{0, 42} {
		stranger(t, func(path string) {
			other, err := sql.Open("sqlite", path)
			require.NoError(t, err)
			_, err = other.Exec(fmt.Sprintf("pragma application_id = %d; create table notes (text)", id))
			require.NoError(t, err)
			require.NoError(t, other.Close())
		})
	}
}

func TestOpenRefusesADatabaseFromANewerVersionAndLeavesItAlone(t *testing.T) {
	db := opened(t)
	raw(t, db, `insert into goose_db_version (version_id, is_applied) values (99999, 1)`)
	_, err := Open(t.Context(), db.Path())
	require.ErrorIs(t, err, ErrNewer)
	require.Equal(t, 99999, asked(t, db, `select max(version_id) from goose_db_version`))
}

func TestOpenRefusesAMissingFolderAndAFolderInPlaceOfAFile(t *testing.T) {
	folder := t.TempDir()
	_, err := Open(t.Context(), filepath.Join(folder, "none", "registry.db"))
	require.ErrorContains(t, err, "store: the database file cannot be opened for writing")
	_, err = Open(t.Context(), folder)
	require.ErrorIs(t, err, ErrNotDatabase)
}

func TestADamagedDatabaseIsAClearError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	db, err := Open(t.Context(), path)
	require.NoError(t, err)
	for range 300 {
		addPractice(t, db)
	}
	require.NoError(t, db.Close())
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := 4096; i < len(content); i++ { // damage every page but the first
		content[i] ^= 0x5a
	}
	require.NoError(t, os.WriteFile(path, content, 0o600))
	db, err = Open(t.Context(), path)
	if err == nil {
		err = errors.Join(db.View(t.Context(), func(v *View) error {
			_, err := v.Practices()
			return err
		}), db.Close())
	}
	require.ErrorIs(t, err, ErrCorrupt)

	require.NoError(t, os.Truncate(path, int64(len(content)/2)))
	_, err = Open(t.Context(), path)
	require.Error(t, err)
}

func TestManySimultaneousFirstOpensMakeOneDatabase(t *testing.T) {
	t.Parallel()
	for range 3 {
		path := filepath.Join(t.TempDir(), "registry.db")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				out, err := process("open", path).CombinedOutput()
				if err != nil {
					t.Errorf("%v: %s", err, out)
				}
			})
			wg.Go(func() {
				db, err := Open(context.Background(), path)
				if err == nil {
					err = db.Close()
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		db := openedAt(t, path)
		require.Equal(t, 1, asked(t, db, `select count(*) from goose_db_version where version_id = 1`))
		addPractice(t, db)
	}
}

func TestAFirstOpenDoesNotWaitForAProcessThatAlreadyServesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	lock, err := lockFile(path)
	require.NoError(t, err)
	defer lock.Close() //nolint:errcheck // closing releases it, and nothing was written
	done := make(chan error, 1)
	go func() { // waits while another process creates the database
		db, err := Open(context.Background(), path)
		if err == nil {
			err = db.Close()
		}
		done <- err
	}()
	time.Sleep(100 * time.Millisecond)
	require.Empty(t, done)
	migratedTo(t, path, latest(t)) // the process that created it keeps the lock and serves it
	require.NoError(t, <-done)
}

func TestAServedDatabaseIsLockedUnderEveryNameOfItsFile(t *testing.T) {
	folder := t.TempDir()
	file, link := filepath.Join(folder, "registry.db"), filepath.Join(folder, "link.db")
	db, err := Open(t.Context(), file)
	require.NoError(t, err)
	require.NoError(t, os.Symlink("registry.db", link))
	lock, err := db.Lock()
	require.NoError(t, err)
	other, err := Open(t.Context(), link)
	require.NoError(t, err)
	require.Equal(t, db.Path(), other.Path())
	_, err = other.Lock()
	require.ErrorIs(t, err, ErrServed)
	_, err = Lock(link)
	require.ErrorIs(t, err, ErrServed)
	require.NoError(t, errors.Join(lock.Close(), other.Close(), db.Close()))
}

func TestADatabaseThatRootMakesBelongsToTheService(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	folder := t.TempDir()
	require.NoError(t, os.Chown(folder, 65534, 65534))
	db, err := Open(t.Context(), filepath.Join(folder, "registry.db"))
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // nothing was written
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.NotEmpty(t, entries)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		require.EqualValues(t, 65534, info.Sys().(*syscall.Stat_t).Uid, e.Name())
	}
}
