package store

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// writing starts this many goroutines, each of which keeps writing until stop is called.
func writing(t *testing.T, db *DB, callers int) (stop func()) {
	t.Helper()
	var wg sync.WaitGroup
	ended := make(chan struct{})
	for range callers {
		wg.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
				}
				if err := db.Update(countUp); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	return func() {
		close(ended)
		wg.Wait()
	}
}

func entries(t *testing.T, folder string) (names []string) {
	t.Helper()
	found, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range found {
		names = append(names, e.Name())
	}
	return names
}

// FILE-4 at the level of the store.
func TestFILE_4_ABackupWhileOthersWriteIsWholeAndOpens(t *testing.T) {
	db := opened(t)
	folder := t.TempDir()
	stop := writing(t, db, 8)
	defer stop()
	last := 0
	for n := range 5 {
		before := asked(t, db, `select count(*) from practices`)
		path := filepath.Join(folder, fmt.Sprint(n, ".db"))
		require.NoError(t, db.Backup(t.Context(), path))
		after := asked(t, db, `select count(*) from practices`)
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode())
		require.NoError(t, verify(t.Context(), path, nil))
		copied := openedAt(t, path)
		require.NoError(t, copied.Check(t.Context(), func(check, problem string) { require.Empty(t, problem, check) }))
		count := asked(t, copied, `select count(*) from practices`)
		require.GreaterOrEqual(t, count, max(before, last))
		require.LessOrEqual(t, count, after)
		countedTo(t, copied, count)
		last = count
	}
}

func TestABackupOverwritesNothing(t *testing.T) {
	db := opened(t)
	folder := t.TempDir()
	there, link := filepath.Join(folder, "there"), filepath.Join(folder, "link")
	require.NoError(t, os.WriteFile(there, []byte("precious"), 0o600))
	require.NoError(t, os.Symlink(filepath.Join(folder, "nowhere"), link))
	for _, path := range []string{there, link, folder, db.Path()} {
		require.ErrorContains(t, db.Backup(t.Context(), path), "already exists", path)
	}
	content, err := os.ReadFile(there)
	require.NoError(t, err)
	require.Equal(t, "precious", string(content))
	require.Equal(t, []string{"link", "there"}, entries(t, folder))
}

func TestABackupThatFailsLeavesNothingBehind(t *testing.T) {
	db := opened(t)
	addPractice(t, db)
	folder := t.TempDir()
	dest := filepath.Join(folder, "backup.db")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, db.Backup(ctx, dest))
	require.Empty(t, entries(t, folder))
	require.Error(t, db.Backup(t.Context(), filepath.Join(folder, "none", "backup.db")))

	// Once a page is damaged, a backup either can't be made or doesn't verify.
	raw(t, db, `pragma wal_checkpoint(truncate)`)
	root := asked(t, db, `select rootpage from sqlite_schema where name = 'practices'`)
	f, err := os.OpenFile(db.Path(), os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt(make([]byte, 4096), int64(root-1)*4096)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	db = openedAt(t, db.Path()) // a connection that hasn't cached the page
	require.ErrorIs(t, db.Backup(t.Context(), dest), ErrCorrupt)
	require.Empty(t, entries(t, folder))
}

// When a scheduled backup and a manual one use the same folder, the second one deletes what
// killed backups left. It must not delete the journal that SQLite keeps for the first one.
func TestABackupInProgressIsNotDisturbedByAnotherInItsFolder(t *testing.T) {
	folder := t.TempDir()
	underWay, err := Unfinished(folder)
	require.NoError(t, err)
	journal := underWay.Name() + "-journal"
	killed := filepath.Join(folder, leftover+"killed")
	for _, name := range []string{journal, killed, killed + "-journal", filepath.Join(folder, leftover+"alone-journal")} {
		require.NoError(t, os.WriteFile(name, nil, 0o600))
	}
	other, err := Unfinished(folder)
	require.NoError(t, err)
	require.FileExists(t, underWay.Name())
	require.FileExists(t, journal)
	require.NoError(t, Discard(other))
	require.NoError(t, os.Remove(journal))
	require.NoError(t, Discard(underWay))
	require.Empty(t, entries(t, folder))
}

func TestManySimultaneousBackupsIntoOneFolderAllSucceed(t *testing.T) {
	t.Parallel()
	db, folder := opened(t), t.TempDir()
	addPractice(t, db)
	const at, each = 4, 8
	var wg sync.WaitGroup
	for n := range at {
		wg.Go(func() {
			for m := range each {
				if err := db.Backup(t.Context(), filepath.Join(folder, fmt.Sprintf("%d-%d.db", n, m))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Len(t, entries(t, folder), at*each)
}

func TestACopyThatBreaksARuleOfTheSchemaIsRefused(t *testing.T) {
	db := opened(t)
	addRecord(t, db, addPractice(t, db), "")
	raw(t, db, `
		pragma writable_schema = on;
		update sqlite_schema set sql = replace(sql, 'chart text', 'chart text not null') where name = 'records'`)
	db = openedAt(t, db.Path()) // a connection that reads the schema again
	folder := t.TempDir()
	require.ErrorIs(t, db.Backup(t.Context(), filepath.Join(folder, "backup.db")), ErrCorrupt)
	require.Empty(t, entries(t, folder))
}

func TestABackupThatIsDamagedIsNotVerified(t *testing.T) {
	db := opened(t)
	for range 300 {
		addPractice(t, db)
	}
	path := filepath.Join(t.TempDir(), "backup.db")
	require.NoError(t, db.Backup(t.Context(), path))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, damage := range []func([]byte) []byte{
		func(b []byte) []byte { return b[:len(b)-4096] },
		func(b []byte) []byte { return append(b[:4096:4096], make([]byte, len(b)-4096)...) },
		func([]byte) []byte { return []byte("no database") },
	} {
		require.NoError(t, os.WriteFile(path, damage(content), 0o600))
		require.Error(t, verify(t.Context(), path, nil))
	}
}

func TestASecondServerIsRefusedAndCommandsWorkWhileTheFirstRuns(t *testing.T) {
	db := opened(t)
	lock, err := db.Lock()
	require.NoError(t, err)
	_, err = db.Lock()
	require.ErrorIs(t, err, ErrServed)
	out, err := process("serve", db.Path()).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), ErrServed.Error())
	out, err = process("write", db.Path()).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, lock.Close())

	server := process("serve", db.Path())
	output, err := server.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, server.Start())
	_, err = output.Read(make([]byte, 1))
	require.NoError(t, err)
	_, err = db.Lock()
	require.ErrorIs(t, err, ErrServed)
	require.NoError(t, server.Process.Kill())
	require.Error(t, server.Wait())
	lock, err = db.Lock()
	require.NoError(t, err, "the lock of a process that was killed is gone with it")
	require.NoError(t, lock.Close())
}

func TestFreeDiskSpaceIsMeasured(t *testing.T) {
	free, err := opened(t).FreeSpace()
	require.NoError(t, err)
	require.Positive(t, free)
}
