package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Inspect checks a database file that nobody has open, with its WAL if there is one, and
// returns the number of its last migration. It returns ErrStaleWAL if the WAL belongs to another
// database, ErrNotDatabase if the file isn't a registry, ErrCorrupt if a page is damaged, and
// ErrNewer if a later version of this program wrote it.
func Inspect(ctx context.Context, path string) (schema int64, err error) {
	if err := staleWAL(ctx, path); err != nil {
		return 0, err
	}
	pool, err := sql.Open("sqlite", dsn(path, "mode=rw", pragmas[:1]))
	if err != nil {
		return 0, fmt.Errorf("store: inspect: %w", err)
	}
	defer pool.Close() //nolint:errcheck // read only
	var id int
	if err := pool.QueryRowContext(ctx, "pragma application_id").Scan(&id); err != nil {
		return 0, decode(err)
	}
	if id != applicationID {
		return 0, ErrNotDatabase
	}
	if err := sound(ctx, pool); err != nil {
		return 0, err
	}
	if schema, err = schemaVersion(ctx, pool); err != nil {
		return 0, err
	}
	switch {
	case schema == 0:
		return 0, ErrNotDatabase
	case schema > LatestSchema():
		return schema, ErrNewer
	}
	return schema, nil
}

// Replace replaces the database at path with a prepared one that nobody has open. It moves the old
// database with its WAL aside, and returns the new path, or "" if there was no old database. The
// old database stays at path until the new one takes its place. On a file system without hard
// links, no file is at path for a moment. The caller must hold the lock of the file (Lock).
func Replace(ctx context.Context, prepared, path string) (aside string, err error) {
	_, err = os.Stat(path)
	switch {
	case err == nil:
		if err := ChownLike(path, prepared); err != nil {
			return "", err
		}
		if aside, err = setAside(ctx, path); err != nil {
			return "", err
		}
	case errors.Is(err, os.ErrNotExist):
		if err := ChownLike(filepath.Dir(path), prepared); err != nil {
			return "", err
		}
	default:
		return "", fmt.Errorf("store: restore: %w", err)
	}
	if err := dropWAL(path); err != nil { // there may be a WAL even if the database is gone
		return aside, err
	}
	// After a power cut, the old WAL must not be next to the new database.
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return aside, err
	}
	return aside, Rename(prepared, path)
}

// setAside gives the database a second name, because the new database takes its first one. Before
// that, it moves the WAL's content into the database. If that isn't possible, because the database
// is damaged or the WAL belongs to another one, the WAL stays as it is and is renamed together with
// the database.
func setAside(ctx context.Context, path string) (aside string, err error) {
	if staleWAL(ctx, path) == nil {
		_ = foldWAL(ctx, path) // the database may be damaged, which may be the reason for the restore
	}
	stem := fmt.Sprintf("%s.replaced-%s", path, time.Now().UTC().Format("20060102T150405Z"))
	aside = stem
	for n := 2; Vacant(aside) != nil; n++ { // the name is taken if another replacement happened in the same second
		aside = fmt.Sprint(stem, "-", n)
	}
	if err := os.Link(path, aside); err != nil { // without links, the name is missing for a moment
		if err := os.Rename(path, aside); err != nil {
			return "", fmt.Errorf("store: restore: %w", err)
		}
	}
	if err := syncFolder(filepath.Dir(path)); err != nil { // the database's second name must be durable before its WAL is renamed
		return "", err
	}
	err = os.Rename(path+"-wal", aside+"-wal")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("store: restore: %w", err)
	}
	return aside, nil
}

// foldWAL moves the WAL's content into the database, and deletes the WAL if nobody else has
// the file open.
func foldWAL(ctx context.Context, path string) error {
	pool, err := sql.Open("sqlite", dsn(path, "mode=rw", pragmas[:1]))
	if err != nil {
		return err
	}
	pool.SetMaxOpenConns(1)
	_, err = pool.ExecContext(ctx, "pragma wal_checkpoint(truncate)")
	return errors.Join(err, pool.Close())
}

func dropWAL(path string) error {
	for _, ending := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + ending); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("store: restore: %w", err)
		}
	}
	return nil
}

// staleWAL returns ErrStaleWAL if the WAL next to a file belongs to another database.
//
// Somebody may replace a database with a copy by hand after its process was killed. The old
// database's WAL is then still there, and SQLite would write the WAL's pages into the copy.
// staleWAL recognizes the copy by a mark that is missing: SQLite marks a database as having a WAL
// before it creates one, but Backup writes files without that mark. staleWAL looks for the WAL
// first and reads the mark afterwards. It takes no locks.
func staleWAL(ctx context.Context, path string) error {
	log, err := os.Stat(path + "-wal")
	if err != nil || log.Size() == 0 {
		return nil
	}
	pool, err := sql.Open("sqlite", dsn(path, "mode=ro&immutable=1", nil))
	if err != nil {
		return nil
	}
	defer pool.Close() //nolint:errcheck // read only
	var logged bool
	err = pool.QueryRowContext(ctx, "select hex(substr(data, 19, 1)) = '02' from sqlite_dbpage where pgno = 1").Scan(&logged)
	if err == nil && !logged {
		return ErrStaleWAL
	}
	return nil // opening the file reports any other problem
}

// PrepareFolder makes a folder for preparing a database that will replace another,
// and deletes the folders of killed processes. The caller must hold the lock of the
// file (Lock).
func PrepareFolder(path string) (folder string, err error) {
	stem := ".birthregistry-restore-" + filepath.Base(path) + "-"
	old, _ := filepath.Glob(filepath.Join(filepath.Dir(path), stem+"*")) // if the name has pattern characters, none are deleted
	for _, folder := range old {
		if err := os.RemoveAll(folder); err != nil {
			return "", fmt.Errorf("store: restore: %w", err)
		}
	}
	if folder, err = os.MkdirTemp(filepath.Dir(path), stem); err != nil { // mode 0700
		return "", fmt.Errorf("store: restore: %w", err)
	}
	return folder, nil
}
