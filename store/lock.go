package store

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// ErrServed says that another process serves the database file.
var ErrServed = errors.New("store: another process serves this database; stop it first")

// Lock makes this process the one that serves the file, until the returned
// file is closed or the process ends. Other commands work beside it.
func (db *DB) Lock() (*os.File, error) { return lockFile(db.path, false) }

// lockFile takes the lock beside the file; wait says whether to wait for it.
func lockFile(path string, wait bool) (*os.File, error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("store: lock: %w", err)
	}
	how := syscall.LOCK_EX | syscall.LOCK_NB
	if wait {
		how = syscall.LOCK_EX
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		return nil, errors.Join(ErrServed, f.Close())
	}
	return f, nil
}
