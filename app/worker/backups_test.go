package worker

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// problem is an error that the next backup meets.
type problem struct{ now atomic.Pointer[error] }

func (t *problem) set(err error) { t.now.Store(&err) }

func (t *problem) get() error {
	if err := t.now.Load(); err != nil {
		return *err
	}
	return nil
}

// errPanics makes the next backup panic.
var errPanics = errors.New("panics")

// scheduled runs a daily schedule that keeps three backups in a folder until the test ends.
func scheduled(t *testing.T, folder string, wrong *problem) *Backups {
	t.Helper()
	b := NewBackups(Schedule{
		Folder: folder, Every: 24 * time.Hour, Keep: 3, Stem: "registry", Ending: ".db",
		Make: func(_ context.Context, dest string) error {
			err := wrong.get()
			if errors.Is(err, errPanics) {
				panic("CNRY")
			}
			if err != nil {
				return err
			}
			return os.WriteFile(dest, []byte("x"), 0o600)
		},
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		b.run(ctx, slog.New(slog.NewTextHandler(io.Discard, nil)))
		close(ended)
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	synctest.Wait()
	return b
}

func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestABackupIsMadeEveryDayAndTheNewestAreKept(t *testing.T) {
	folder := t.TempDir()
	mine := []string{"registry-2000.db", "registry-20000101T000000Z.db.age", "other-20000101T000000Z.db", "registry-20000101T000000Z.db-wal"}
	for _, name := range mine {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	synctest.Test(t, func(t *testing.T) {
		var wrong problem
		b := scheduled(t, folder, &wrong)
		require.Len(t, names(t, folder), len(mine)+1, "the first one at once")
		age, problem := b.State()
		require.Empty(t, problem)
		require.Less(t, age, time.Minute)
		time.Sleep(23 * time.Hour)
		require.Len(t, names(t, folder), len(mine)+1)
		for range 10 {
			time.Sleep(25 * time.Hour)
			_, problem := b.State()
			require.Empty(t, problem)
		}
		all := names(t, folder)
		require.Len(t, all, len(mine)+3)
		require.Subset(t, all, mine, "nothing else in the folder is ours")
		require.Contains(t, all, "registry-20000110T000000Z.db")
	})
}

func TestARestartMakesNoBackupBeforeItIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		yesterday := time.Now().UTC().Add(-23 * time.Hour).Format(stamp)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "registry-"+yesterday+".db"), nil, 0o600))
		var wrong problem
		b := scheduled(t, folder, &wrong)
		require.Len(t, names(t, folder), 1)
		age, problem := b.State()
		require.Equal(t, 23*time.Hour, age)
		require.Empty(t, problem)
		time.Sleep(time.Hour + 2*time.Minute)
		require.Len(t, names(t, folder), 2)
	})
}

func TestABackupThatFailsIsAnAlarmAndIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		var wrong problem
		wrong.set(errors.New("the disk is full"))
		b := scheduled(t, folder, &wrong)
		age, problem := b.State()
		require.Negative(t, age)
		require.Contains(t, problem, "failed")
		wrong.set(nil)
		time.Sleep(retryAfter - time.Minute)
		require.Empty(t, names(t, folder), "not at every look")
		time.Sleep(2 * time.Minute)
		require.Len(t, names(t, folder), 1)
		_, problem = b.State()
		require.Empty(t, problem)
	})
}

func TestAMissingBackupFolderIsAnAlarmAndIsNotCreated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := filepath.Join(t.TempDir(), "nas")
		var wrong problem
		b := scheduled(t, folder, &wrong)
		_, problem := b.State()
		require.NotEmpty(t, problem)
		require.NoDirExists(t, folder)
		require.NoError(t, os.Mkdir(folder, 0o700)) // as if mounted
		time.Sleep(retryAfter + time.Minute)
		require.Len(t, names(t, folder), 1)
	})
}

func TestABackupDatedInTheFutureDoesNotStopBackups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		later := time.Now().UTC().AddDate(10, 0, 0).Format(stamp)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "registry-"+later+".db"), nil, 0o600))
		var wrong problem
		b := scheduled(t, folder, &wrong)
		require.Len(t, names(t, folder), 2)
		time.Sleep(time.Hour)
		require.Len(t, names(t, folder), 2)
		_, problem := b.State()
		require.Empty(t, problem)
	})
}

func TestAPanicInABackupIsAnAlarmAndStopsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		var wrong problem
		b := scheduled(t, folder, &wrong)
		wrong.set(errPanics)
		time.Sleep(25 * time.Hour)
		_, problem := b.State()
		require.NotEmpty(t, problem)
		wrong.set(nil)
		time.Sleep(time.Hour)
		_, problem = b.State()
		require.Empty(t, problem)
	})
}

func TestBackupsDatedInTheFutureAreDeletedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		for n := range 3 { // the clock was ten years ahead for three days
			later := time.Now().UTC().AddDate(10, 0, n).Format(stamp)
			require.NoError(t, os.WriteFile(filepath.Join(folder, "registry-"+later+".db"), nil, 0o600))
		}
		var wrong problem
		b := scheduled(t, folder, &wrong)
		require.Equal(t, []string{"registry-20000101T000000Z.db", "registry-20100102T000000Z.db", "registry-20100103T000000Z.db"}, names(t, folder))
		time.Sleep(23 * time.Hour)
		require.Contains(t, names(t, folder), "registry-20000101T000000Z.db", "it stays")
		require.Len(t, names(t, folder), 3, "and is not made again and again")
		time.Sleep(3 * 24 * time.Hour)
		all := names(t, folder)
		require.Len(t, all, 3)
		require.Less(t, all[2], "registry-2001", "those of today are left")
		_, problem := b.State()
		require.Empty(t, problem)
	})
}

func TestTheAlarmEndsWhenTheBackupFolderIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := filepath.Join(t.TempDir(), "nas")
		require.NoError(t, os.Mkdir(folder, 0o700))
		var wrong problem
		b := scheduled(t, folder, &wrong)
		require.NoError(t, os.Rename(folder, folder+"-unplugged"))
		time.Sleep(2 * time.Minute)
		_, problem := b.State()
		require.NotEmpty(t, problem)
		require.NoError(t, os.Rename(folder+"-unplugged", folder))
		time.Sleep(retryAfter + time.Minute)
		_, problem = b.State()
		require.Empty(t, problem, "the backup of an hour ago is there")
	})
}
