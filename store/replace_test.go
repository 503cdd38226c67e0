package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// killed leaves a database as a killed process does: with rows in the WAL.
func killed(t *testing.T, practices int) (path string) {
	t.Helper()
	db := opened(t)
	raw(t, db, "pragma wal_autocheckpoint = 0")
	for range practices {
		addPractice(t, db)
	}
	path = filepath.Join(t.TempDir(), "registry.db")
	for _, ending := range []string{"", "-wal"} {
		content, err := os.ReadFile(db.Path() + ending)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path+ending, content, 0o600))
	}
	info, err := os.Stat(path + "-wal")
	require.NoError(t, err)
	require.Positive(t, info.Size())
	return path
}

func backedUp(t *testing.T, practices int) (path string) {
	t.Helper()
	db := opened(t)
	for range practices {
		addPractice(t, db)
	}
	path = filepath.Join(t.TempDir(), "backup.db")
	require.NoError(t, db.Backup(t.Context(), path))
	return path
}

func count(t *testing.T, path string) int {
	t.Helper()
	return asked(t, openedAt(t, path), "select count(*) from practices")
}

func TestACopyPutInPlaceByHandNextToAnotherFilesWALIsRefused(t *testing.T) {
	path, backup := killed(t, 40), backedUp(t, 3)
	content, err := os.ReadFile(backup)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	for range 2 {
		_, err = Open(t.Context(), path)
		require.ErrorIs(t, err, ErrStaleWAL)
		_, err = Inspect(t.Context(), path)
		require.ErrorIs(t, err, ErrStaleWAL)
	}
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, content, after, "nothing of the WAL went into it")
	require.NoError(t, os.Rename(path+"-wal", path+".away")) // the error message asks for this
	require.Equal(t, 3, count(t, path))
}

func TestTheWALOfAKilledProcessBelongsToItsDatabase(t *testing.T) {
	require.Equal(t, 40, count(t, killed(t, 40)))
}

func TestAReplacedDatabaseIsKeptWithTheContentOfItsWAL(t *testing.T) {
	path, backup := killed(t, 40), backedUp(t, 3)
	require.NoError(t, os.WriteFile(path+"-shm", nil, 0o600))
	aside, err := Replace(t.Context(), backup, path)
	require.NoError(t, err)
	require.NoFileExists(t, path+"-wal")
	require.NoFileExists(t, path+"-shm")
	require.NoFileExists(t, backup)
	require.Equal(t, 3, count(t, path))
	require.Equal(t, 40, count(t, aside))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.EqualValues(t, 1, info.Sys().(*syscall.Stat_t).Nlink, "the two share nothing")
}

func TestADamagedDatabaseIsReplacedAndKept(t *testing.T) {
	path, backup := filepath.Join(t.TempDir(), "registry.db"), backedUp(t, 3)
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("damaged ", 1000)), 0o600))
	aside, err := Replace(t.Context(), backup, path)
	require.NoError(t, err)
	require.Equal(t, 3, count(t, path))
	kept, err := os.ReadFile(aside)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("damaged ", 1000), string(kept))
}

func TestAWALThatCannotBeCheckpointedIsMovedAside(t *testing.T) {
	t.Parallel()
	path, backup := killed(t, 40), backedUp(t, 3)
	slow := openedAt(t, path) // a command that is still reading
	require.NoError(t, slow.View(t.Context(), func(v *View) error {
		_, err := v.Practices()
		require.NoError(t, err)
		addPractice(t, slow) // into the WAL, which the command's snapshot needs
		var aside string
		if aside, err = Replace(t.Context(), backup, path); err != nil {
			return err
		}
		require.FileExists(t, aside+"-wal")
		require.NoFileExists(t, path+"-wal")
		content := filepath.Join(t.TempDir(), "aside.db") // copied, because this process holds no locks on the copy
		for _, ending := range []string{"", "-wal"} {
			text, err := os.ReadFile(aside + ending)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(content+ending, text, 0o600))
		}
		require.Equal(t, 41, count(t, content))
		return nil
	}))
	require.Equal(t, 3, count(t, path))
}

func TestALeftoverWALWithoutADatabaseIsDropped(t *testing.T) {
	path, backup := killed(t, 40), backedUp(t, 3)
	require.NoError(t, os.Remove(path))
	aside, err := Replace(t.Context(), backup, path)
	require.NoError(t, err)
	require.Empty(t, aside)
	require.Equal(t, 3, count(t, path))
}

func TestInspectReportsWhatAFileIs(t *testing.T) {
	schema, err := Inspect(t.Context(), backedUp(t, 1))
	require.NoError(t, err)
	require.Equal(t, latest(t), schema)
	schema, err = Inspect(t.Context(), killed(t, 40))
	require.NoError(t, err)
	require.Equal(t, latest(t), schema)

	newer := opened(t)
	raw(t, newer, "insert into goose_db_version (version_id, is_applied) values (99999, 1)")
	require.NoError(t, newer.Close())
	_, err = Inspect(t.Context(), newer.Path())
	require.ErrorIs(t, err, ErrNewer)

	text := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text, []byte("no database at all, but some text that goes on for a while"), 0o600))
	_, err = Inspect(t.Context(), text)
	require.ErrorIs(t, err, ErrNotDatabase)
	require.NoError(t, os.WriteFile(text, nil, 0o600))
	_, err = Inspect(t.Context(), text)
	require.ErrorIs(t, err, ErrNotDatabase)

	damaged := backedUp(t, 500)
	content, err := os.ReadFile(damaged)
	require.NoError(t, err)
	for at := len(content) / 8192 * 4096; at < len(content); at += 4096 {
		copy(content[at:], "damaged")
	}
	require.NoError(t, os.WriteFile(damaged, content, 0o600))
	_, err = Inspect(t.Context(), damaged)
	require.ErrorIs(t, err, ErrCorrupt)
}

func TestUnfinishedFilesOfAKilledProcessAreDeletedByTheNext(t *testing.T) {
	db := opened(t)
	folder := t.TempDir()
	working, err := Unfinished(folder) // from a process that is still working
	require.NoError(t, err)
	defer Discard(working) //nolint:errcheck // a temporary folder
	left := filepath.Join(folder, leftover+"killed")
	others := filepath.Join(folder, ".backup-of-another-program")
	for _, name := range []string{left, others} {
		require.NoError(t, os.WriteFile(name, []byte("x"), 0o600))
	}
	require.NoError(t, db.Backup(t.Context(), filepath.Join(folder, "backup.db")))
	require.NoFileExists(t, left)
	require.FileExists(t, others)
	require.FileExists(t, working.Name())

	path := filepath.Join(folder, "registry.db")
	old, err := PrepareFolder(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(old.Name(), "registry.db"), []byte("x"), 0o600))
	info, err := old.Stat()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	other, err := PrepareFolder(path)
	require.NoError(t, err)
	require.DirExists(t, old.Name(), "its process is still working")
	require.NoError(t, old.Close()) // it was killed
	sweepLeftovers(folder)
	require.NoDirExists(t, old.Name())
	require.DirExists(t, other.Name())
	require.NoError(t, Discard(other))
	require.NoDirExists(t, other.Name())
}

func TestABackupCanGoToARelativePath(t *testing.T) {
	db := opened(t)
	t.Chdir(t.TempDir())
	require.NoError(t, db.Backup(t.Context(), "backup.db"))
	require.Equal(t, []string{"backup.db"}, entries(t, "."))
}

func TestACopyThatDoesNotFitIsNotStarted(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, CheckSpace(1, folder))
	err := CheckSpace(1<<60, folder)
	require.ErrorIs(t, err, ErrFull)
	require.Contains(t, err.Error(), "1.0 EiB")
}

func TestTheNewestThreeCopiesFromBeforeMigrationsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.db")
	for _, n := range []int{2, 3, 4, 6} {
		require.NoError(t, os.WriteFile(fmt.Sprintf("%s.before-%05d", path, n), []byte("x"), 0o600))
	}
	mine := path + ".before-holiday"
	require.NoError(t, os.WriteFile(mine, []byte("x"), 0o600))
	migratedTo(t, path, 7)
	openedAt(t, path)
	require.Equal(t, []string{path + ".before-00004", path + ".before-00006", path + ".before-00008", mine}, copies(t, path))
}

func TestTheLockFileHoldsANoteForOtherProcesses(t *testing.T) {
	db := opened(t)
	lock, err := db.Lock()
	require.NoError(t, err)
	_, err = lock.WriteString("/etc/registry.key\n")
	require.NoError(t, err)
	note, err := db.LockNote()
	require.NoError(t, err)
	require.Equal(t, "/etc/registry.key\n", note)
	require.NoError(t, lock.Close())
	lock, err = db.Lock()
	require.NoError(t, err)
	defer lock.Close() //nolint:errcheck // nothing was written
	note, err = db.LockNote()
	require.NoError(t, err)
	require.Empty(t, note, "the note of the one before is gone")

	keys, err := db.LockKeys()
	require.NoError(t, err)
	_, err = db.LockKeys()
	require.ErrorContains(t, err, "changing the keys")
	require.NoError(t, keys.Close())
}

func TestTheListOfRecipientsIsNumbered(t *testing.T) {
	db := opened(t)
	list := func() int64 {
		n, _, err := db.Recipients()
		require.NoError(t, err)
		return n
	}
	require.NoError(t, db.AdoptBox("box"))
	require.NoError(t, db.AdoptBox("another"))
	require.Zero(t, list(), "who is adopted has opened what there is")
	first, err := db.PutEpoch([]byte("a"), 0)
	require.NoError(t, err)
	require.NoError(t, db.AddRecovery("zoe"))
	time.Sleep(2 * time.Millisecond)
	require.NoError(t, db.AddRecovery("anna"))
	require.ErrorIs(t, db.AddRecovery("anna"), ErrConflict)
	require.ErrorIs(t, db.AddRecovery("box"), ErrConflict)
	require.EqualValues(t, 2, list())
	_, err = db.PutEpoch([]byte("b"), 1)
	require.ErrorIs(t, err, ErrConflict)
	keys, err := db.SealingKeys()
	require.NoError(t, err)
	require.Equal(t, 1, keys.Headers)
	require.Equal(t, 1, keys.Behind)
	_, texts, err := db.Recipients()
	require.NoError(t, err)
	require.Equal(t, []string{"box", "zoe", "anna"}, texts)
	require.NoError(t, db.SetBox("box"))
	require.EqualValues(t, 2, list(), "nothing has changed")
	require.ErrorIs(t, db.RemoveRecovery("box"), ErrNotFound)
	require.NoError(t, db.RemoveRecovery("zoe"))
	require.ErrorIs(t, db.RewrapEpochs(2, []int64{first}, [][]byte{{1}}), ErrConflict)
	require.ErrorIs(t, db.RewrapEpochs(3, []int64{first, 77}, [][]byte{[]byte("c"), []byte("c")}), ErrNotFound)
	header, err := db.Epoch(first)
	require.NoError(t, err)
	require.Equal(t, "a", string(header), "all or none")
	require.NoError(t, db.RewrapEpochs(3, []int64{first}, [][]byte{[]byte("c")}))
	behind, err := db.CountBehind(3)
	require.NoError(t, err)
	require.Zero(t, behind)
}
