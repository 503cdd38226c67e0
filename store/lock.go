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
func (db *DB) Lock() (*os.File, error) { return lockFile(db.path) }

// lockFile takes the lock beside the file; ErrServed when another has it.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("store: lock: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(ErrServed, f.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: lock: %w", err), f.Close())
	}
	return f, nil
}
