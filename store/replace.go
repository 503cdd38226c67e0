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

// Inspect checks a database file that no process has open, together with its WAL if there is one,
// and returns the number of its last migration. It returns ErrStaleWAL if the WAL belongs to
// another database, ErrNotDatabase if the file isn't a registry, ErrCorrupt if a page is damaged,
// and ErrNewer if a later version of this program wrote the file.
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

// UpgradePending reports whether an upgrade of a database file isn't finished, although all
// migrations have run. After the migrations, Open and its callers still recompute values in records
// of earlier versions. The file must have the latest schema. UpgradePending changes nothing.
func UpgradePending(ctx context.Context, path string) (pending bool, err error) {
	pool, err := sql.Open("sqlite", dsn(path, "mode=rw", pragmas[:1]))
	if err != nil {
		return false, fmt.Errorf("store: inspect: %w", err)
	}
	defer pool.Close() //nolint:errcheck // read only
	err = pool.QueryRowContext(ctx, `
		select exists (
			select 1 from records r indexed by records_underived
			join versions c on c.record = r.id and c.version = r.content
			where r.outcome is null
		) or exists (
			select 1 from practices indexed by practices_untallied where tallied = 0
		) or exists (
			select 1 from records r indexed by records_unfingerprinted
			join versions c on c.record = r.id and c.version = r.content
			where r.fingerprinted is null
		) or exists (
			select 1 from names_due n
			join records r on r.id = n.record
			join versions c on c.record = r.id and c.version = r.content
		)`).Scan(&pending)
	return pending, decode(err)
}

// Replace replaces the database at path with a prepared one, which no process has open. It renames
// the old database and its WAL, and returns the new name, or "" if there was no old database. The
// old database stays at path until the new one takes its place. If the file system has no hard
// links, there is no file at path for a moment. The caller must hold the lock of the file (Lock).
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
	// After a power cut, the old WAL must not be found next to the new database.
	if err := syncFolder(filepath.Dir(path)); err != nil {
		return aside, err
	}
	return aside, Rename(prepared, path)
}

// setAside gives the old database a second name, because the new database takes its first one.
// Before that, it moves the content of the WAL into the database. If that isn't possible, because
// the database is damaged or the WAL belongs to another database, the WAL stays unchanged and is
// renamed together with the database.
func setAside(ctx context.Context, path string) (aside string, err error) {
	if staleWAL(ctx, path) == nil {
		_ = foldWAL(ctx, path) // if this fails, the database may be damaged, which may be why it is being replaced
	}
	stem := fmt.Sprintf("%s.replaced-%s", path, time.Now().UTC().Format("20060102T150405Z"))
	aside = stem
	for n := 2; Vacant(aside) != nil; n++ { // the name is taken if the database was already replaced once in the same second
		aside = fmt.Sprint(stem, "-", n)
	}
	if err := os.Link(path, aside); err != nil { // without hard links, there is no file at path for a moment
		if err := os.Rename(path, aside); err != nil {
			return "", fmt.Errorf("store: restore: %w", err)
		}
	}
	if err := syncFolder(filepath.Dir(path)); err != nil { // the second name must be on the disk before the WAL is renamed
		return "", err
	}
	err = os.Rename(path+"-wal", aside+"-wal")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("store: restore: %w", err)
	}
	return aside, nil
}

// foldWAL moves the content of the WAL into the database file. If no other process has the file
// open, the WAL is deleted.
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

// staleWAL returns ErrStaleWAL if the WAL next to a database file belongs to another database.
//
// After a process was killed, somebody may replace the database by hand with a copy. The WAL of the
// old database is then still there, and SQLite would write its pages into the copy. staleWAL
// recognizes such a copy by a flag in the file's header: SQLite sets this flag before it creates a
// WAL, but Backup writes files without the flag. staleWAL first looks for the WAL, and then reads
// the flag. It takes no locks.
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

// PrepareFolder creates a folder in which to prepare a database that will replace the one at path.
// (In a rehearsal, it replaces nothing.) The folder stays locked while this process runs, so that
// no other process deletes it. The caller must call Discard with it.
func PrepareFolder(path string) (*os.File, error) {
	sweepLeftovers(filepath.Dir(path))
	for {
		folder, err := os.MkdirTemp(filepath.Dir(path), preparing+filepath.Base(path)+"-") // mode 0700
		if err != nil {
			return nil, fmt.Errorf("store: restore: %w", err)
		}
		f, err := os.Open(folder)
		if err == nil {
			if !lockUnfinished(f) {
				continue
			}
			if err := ChownLike(filepath.Dir(path), folder); err != nil { // the service deletes it if this process is killed
				return nil, errors.Join(err, Discard(f))
			}
			return f, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return nil, errors.Join(fmt.Errorf("store: restore: %w", err), os.Remove(folder))
		}
	}
}
