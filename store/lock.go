package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// ErrServed means that another process serves the database file.
var ErrServed = errors.New("store: another process serves this database; stop it first, such as with: systemctl stop birthregistry")

// LockFile is a lock on a file. It is held until the file is closed or the process ends.
type LockFile struct{ *os.File }

// Close releases the lock and closes the file. Closing the file alone isn't enough, because a child
// process that is just being started may briefly have a copy of the descriptor, which also holds
// the lock.
func (l *LockFile) Close() error {
	return errors.Join(syscall.Flock(int(l.Fd()), syscall.LOCK_UN), l.File.Close())
}

// Lock makes this process the only one that serves the database, until the returned file is closed
// or the process ends. It returns ErrServed if another process has the lock. Other commands can
// still use the database. The process may write a note for other processes into the file
// (LockNote).
func (db *DB) Lock() (*LockFile, error) {
	f, err := lockFile(db.path)
	if err != nil {
		return nil, err
	}
	if err := db.anchor(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if db.direct == nil {
		db.direct = openDirect(f.Name())
	}
	return f, nil
}

// Lock acquires the same lock for a database that isn't open and may not exist.
func Lock(path string) (*LockFile, error) {
	path, err := Real(path)
	if err != nil {
		return nil, err
	}
	return lockFile(path)
}

// LockKeys makes this process the only one that may change the keys that seal the database, until
// the returned file is closed. It returns an error if another process has this lock.
func (db *DB) LockKeys() (*LockFile, error) {
	f, err := lockFile(db.path + ".keys")
	return f, Translate(err, ErrServed, errors.New("store: another process is changing the keys; try again when it has finished"))
}

// LockNote returns the note that the process that holds the lock has written into the lock file.
func (db *DB) LockNote() (string, error) {
	note, err := os.ReadFile(db.path + ".lock")
	if err != nil {
		return "", fmt.Errorf("store: lock: %w", err)
	}
	return string(note), nil
}

// lockFile creates and locks the file path+".lock". It returns ErrServed if another process has
// locked the file.
func lockFile(path string) (*LockFile, error) {
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("store: lock: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(ErrServed, f.Close())
	}
	if err == nil {
		err = errors.Join(ChownLike(filepath.Dir(path), f.Name()), f.Truncate(0))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("store: lock: %w", err), f.Close())
	}
	return &LockFile{f}, nil
}

// Real returns the absolute path of a file, with all links resolved. SQLite puts the WAL next to
// this path. The lock files are there, too, so that a process that opens the database through a
// link finds them. If the file doesn't exist, Real only makes the path absolute.
func Real(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("store: open: %w", err)
	}
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, os.ErrNotExist) {
		return path, nil
	}
	if err != nil {
		return "", fmt.Errorf("store: open: %w", err)
	}
	return real, nil
}
