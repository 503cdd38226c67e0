package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"
)

// Backup writes a consistent copy of the database to a new file (mode 0600), and verifies it. Other
// writes continue while it runs. The file gets the name dest only after it was verified. The copy
// has no freed pages, so it contains nothing that was deleted.
func (db *DB) Backup(ctx context.Context, dest string) error {
	if err := Vacant(dest); err != nil {
		return err
	}
	return db.WithCopy(ctx, filepath.Dir(dest), func(path string) error { return Rename(path, dest) })
}

// Vacant returns an error if a file named dest exists, because a backup never overwrites a file.
func Vacant(dest string) error {
	if _, err := os.Lstat(dest); err == nil {
		return fmt.Errorf("store: %s already exists; choose another name", filepath.Base(dest))
	}
	return nil
}

// Rename renames a file and syncs its folder, so that the new name survives a crash.
func Rename(path, name string) error {
	if err := os.Rename(path, name); err != nil {
		return fmt.Errorf("store: rename: %w", err)
	}
	return syncFolder(filepath.Dir(name))
}

// WithCopy makes a verified copy of the database under a temporary name in a folder, and calls use
// with the copy's path. Afterwards it deletes the copy, unless use has renamed it.
func (db *DB) WithCopy(ctx context.Context, folder string, use func(path string) error) error {
	if err := db.inPlace(); err != nil { // without this check, a different file might be copied
		return err
	}
	// The copy is made on a separate connection. SQLite counts making a copy as a write, so the
	// read connections refuse it, and it must not block the write connection.
	pool, err := sql.Open("sqlite", dsn(db.path, "mode=ro", pragmas))
	if err != nil {
		return fmt.Errorf("store: backup: %w", err)
	}
	return errors.Join(withCopy(ctx, pool, folder, db.signer.Load(), use), pool.Close())
}

// leftover is the prefix of the names of unfinished copies, and preparing that of folders in which a
// backup is prepared (PrepareFolder). sweepLeftovers finds them by these prefixes.
const (
	leftover  = ".birthregistry-copy-"
	preparing = ".birthregistry-restore-"
)

// withCopy makes a copy of the database with the statement VACUUM INTO, syncs and verifies it, and
// calls use with its path. SQLite's backup API isn't used, because it copies in steps, starts over
// after every write, and might never end.
func withCopy(ctx context.Context, pool *sql.DB, folder string, s *signer, use func(path string) error) (err error) {
	if err := checkSpace(ctx, pool, folder); err != nil {
		return err
	}
	f, err := Unfinished(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, Discard(f)) }()
	if _, err := pool.ExecContext(ctx, "vacuum into ?", f.Name()); err != nil {
		return decode(err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("store: backup: %w", err)
	}
	if err := verify(ctx, f.Name(), s); err != nil {
		return err
	}
	return use(f.Name())
}

// Unfinished creates a file (mode 0600) with a temporary name in a folder. The file stays locked
// while this process runs. A later process deletes such files that aren't locked, because their
// process was killed.
func Unfinished(folder string) (*os.File, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("store: backup: %w", err)
	}
	sweepLeftovers(folder)
	for {
		f, err := os.CreateTemp(folder, leftover+"*") // mode 0600
		if err != nil {
			return nil, fmt.Errorf("store: backup: %w", err)
		}
		if lockUnfinished(f) {
			return f, nil
		}
	}
}

// lockUnfinished locks a file or folder that was just created, so that sweepLeftovers doesn't delete
// it. It returns false if another process has deleted it before it was locked.
func lockUnfinished(f *os.File) bool {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_EX) // if the file system has no locks, no process deletes the file
	if _, err := os.Lstat(f.Name()); !errors.Is(err, os.ErrNotExist) {
		return true
	}
	_ = f.Close() // nothing was written
	return false
}

// Discard closes an unfinished file or folder, and deletes it unless it was renamed.
func Discard(f *os.File) error { return errors.Join(os.RemoveAll(f.Name()), f.Close()) }

// SweepLeftovers deletes unfinished copies and archives next to the database, and backups that were
// being restored there, if the processes that made them were killed.
func (db *DB) SweepLeftovers() { sweepLeftovers(filepath.Dir(db.Path())) }

// sweepLeftovers deletes unfinished copies in a folder, together with SQLite's files for them, and
// the folders of PrepareFolder, if the processes that made them were killed. It leaves all files of
// a copy that is still being made, which would fail without them.
func sweepLeftovers(folder string) {
	copies, _ := filepath.Glob(filepath.Join(folder, leftover+"*")) // the patterns are valid
	prepared, _ := filepath.Glob(filepath.Join(folder, preparing+"*"))
	for _, name := range append(copies, prepared...) {
		f, err := os.Open(strings.TrimSuffix(name, "-journal"))
		if errors.Is(err, os.ErrNotExist) {
			_ = os.Remove(name) // the copy to which the file belongs is gone
		}
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(name) // if this fails, the next sweep tries again
		}
		_ = f.Close() // only read
	}
}

// spare is how many bytes must stay free on the disk to which a copy is written, because the
// database may be on the same disk.
const spare = 64 << 20

// checkSpace returns an error if a folder has no space for a copy of the database.
func checkSpace(ctx context.Context, pool *sql.DB, folder string) error {
	size, err := liveSize(ctx, pool)
	if err != nil {
		return err
	}
	return CheckSpace(size, folder)
}

// liveSize returns the size that a copy of the database has: the size of the database in bytes,
// without its free pages.
func liveSize(ctx context.Context, pool *sql.DB) (size int64, err error) {
	err = pool.QueryRowContext(ctx, `
		select (p.page_count - f.freelist_count) * s.page_size
		from pragma_page_count p, pragma_freelist_count f, pragma_page_size s`).Scan(&size)
	return size, decode(err)
}

// CheckSpace returns an error unless a folder has space for size bytes, with spare more bytes left
// free on the disk.
func CheckSpace(size int64, folder string) error {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return fmt.Errorf("store: the folder %s cannot be used: %w", folder, err)
	}
	free := int64(s.Bavail) * int64(s.Bsize) //nolint:unconvert // 32 bits on some systems
	if s.Blocks > 0 && free < size+spare {   // some file systems don't report their size
		return fmt.Errorf("%w: a copy needs %s in %s, but only %s are free", ErrFull, humanize.IBytes(uint64(size+spare)), folder, humanize.IBytes(uint64(free)))
	}
	return nil
}

// verify checks every page of a copy of the database. If s isn't nil, it also checks every signed
// row.
func verify(ctx context.Context, path string, s *signer) error {
	u := url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro&immutable=1"}
	pool, err := sql.Open("sqlite", u.String())
	if err != nil {
		return fmt.Errorf("store: verify: %w", err)
	}
	defer pool.Close() //nolint:errcheck // read only
	if err := sound(ctx, pool); err != nil || s == nil {
		return err
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return decode(err)
	}
	defer tx.Rollback() //nolint:errcheck // only read
	stmts := statements{pool: pool}
	damage, err := (&View{ctx, stmts.begin(tx), nil, s, false}).Verify(ctx)
	if err == nil && len(damage) > 0 {
		err = DamageError(damage)
	}
	return err
}

// sound checks every page of an open database. It returns ErrCorrupt if a page is damaged.
func sound(ctx context.Context, pool *sql.DB) error {
	var answer string
	if err := pool.QueryRowContext(ctx, "pragma integrity_check(1)").Scan(&answer); err != nil {
		return decode(err)
	}
	if answer != "ok" {
		return ErrCorrupt
	}
	return nil
}

// syncFolder syncs a folder, so that new and changed names in it survive a crash.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("store: backup: %w", err)
	}
	return errors.Join(d.Sync(), givenUp(d), d.Close())
}
