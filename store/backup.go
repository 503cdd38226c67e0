package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
)

// Backup writes a consistent, compact copy of the database to a new file (mode
// 0600) while others go on writing, and verifies it before it gets its name.
// The copy has no freed pages, so nothing that was deleted travels with it.
func (db *DB) Backup(ctx context.Context, dest string) error {
	if _, err := os.Lstat(dest); err == nil {
		return fmt.Errorf("store: backup: %s is there already; name a new file", filepath.Base(dest))
	}
	// A connection of its own: the readers are query-only, which this is not to
	// SQLite, and the writer has better to do.
	pool, err := sql.Open("sqlite", dsn(db.path, "mode=ro", pragmas))
	if err != nil {
		return fmt.Errorf("store: backup: %w", err)
	}
	return errors.Join(vacuumInto(ctx, pool, dest), pool.Close())
}

// vacuumInto copies through a temporary name in the same folder. The stepwise
// backup API is not used: it starts over at every write and never ends.
func vacuumInto(ctx context.Context, pool *sql.DB, dest string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(dest), ".backup-*") // mode 0600
	if err != nil {
		return fmt.Errorf("store: backup: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if _, err := pool.ExecContext(ctx, "vacuum into ?", f.Name()); err != nil {
		return errors.Join(decode(err), f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("store: backup: %w", err)
	}
	if err := verify(ctx, f.Name()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), dest); err != nil {
		return fmt.Errorf("store: backup: %w", err)
	}
	return syncFolder(filepath.Dir(dest))
}

// verify opens a copy and checks every page of it.
func verify(ctx context.Context, path string) error {
	u := url.URL{Scheme: "file", Path: path, RawQuery: "mode=ro&immutable=1"}
	pool, err := sql.Open("sqlite", u.String())
	if err != nil {
		return fmt.Errorf("store: verify: %w", err)
	}
	defer pool.Close() //nolint:errcheck // read only
	var answer string
	if err := pool.QueryRowContext(ctx, "pragma integrity_check(1)").Scan(&answer); err != nil {
		return decode(err)
	}
	if answer != "ok" {
		return ErrCorrupt
	}
	return nil
}

// syncFolder makes a new name in a folder durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("store: backup: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}
