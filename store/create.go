package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// applicationID is the number ("BRTH") that marks a database file as this program's, so that
// another program's database is never migrated by mistake.
const applicationID = 0x42525448

// creating is held while create has a file open, so that SQLite doesn't use the file meanwhile.
// When a process closes any descriptor of a file, it loses all its locks on that file, including
// SQLite's locks.
var creating sync.Mutex

// create creates the database file with mode 0600 if it doesn't exist. SQLite gives the same mode
// to the WAL and its index, whatever the umask. create doesn't open an existing file, because
// closing it would release SQLite's locks.
func create(path string) error {
	creating.Lock()
	defer creating.Unlock()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		err = errors.Join(f.Close(), ChownLike(filepath.Dir(path), path))
	} else if errors.Is(err, os.ErrExist) {
		err = syscall.Access(path, readAndWrite)
	}
	if err != nil {
		return fmt.Errorf("store: the database file cannot be opened for writing: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("store: open: %w", err)
	}
	if !info.Mode().IsRegular() {
		return ErrNotDatabase
	}
	return nil
}

const readAndWrite = 4 | 2

// identify marks an empty file as this program's, and returns ErrNotDatabase if the file belongs to
// another program. It also removes other users' access to the file. It uses a separate connection,
// which doesn't change the journal mode if the database belongs to another program.
func identify(ctx context.Context, path string) error {
	pool, err := sql.Open("sqlite", dsn(path, "_txlock=immediate", pragmas[:1]))
	if err != nil {
		return fmt.Errorf("store: open: %w", err)
	}
	defer pool.Close() //nolint:errcheck // what it wrote is committed
	var id int
	if err := pool.QueryRowContext(ctx, "pragma application_id").Scan(&id); err != nil {
		return decode(err)
	}
	if id != applicationID {
		if err := markEmpty(ctx, pool); err != nil {
			return err
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("store: open: %w", err)
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return fmt.Errorf("store: the database file is readable by others and its mode cannot be changed: %w", err)
	}
	return nil
}

// markEmpty marks an empty file as this program's, and returns ErrNotDatabase if the file belongs
// to another program. It reads and writes in one transaction, because another process may be making
// the same database.
func markEmpty(ctx context.Context, pool *sql.DB) error {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return decode(err)
	}
	defer tx.Rollback() //nolint:errcheck // without effect after the commit
	var id, tables int
	if err := tx.QueryRowContext(ctx, "pragma application_id").Scan(&id); err != nil {
		return decode(err)
	}
	if err := tx.QueryRowContext(ctx, "select count(*) from sqlite_schema").Scan(&tables); err != nil {
		return decode(err)
	}
	if id == applicationID {
		return nil
	}
	if id != 0 || tables > 0 {
		return ErrNotDatabase
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("pragma application_id = %d", applicationID)); err != nil {
		return decode(err)
	}
	return decode(tx.Commit())
}
