package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// FreeSpace returns the bytes that are free for this process on the disk of
// the database file.
func (db *DB) FreeSpace() (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(db.path), &s); err != nil {
		return 0, fmt.Errorf("store: free space: %w", err)
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // 32 bits on some systems
}

// disk is how a commit has found the disk.
type disk struct {
	free, log int64
	err       error
}

// Room returns the bytes that are free on the disk of the database file, and those
// of the log beside it. The callers of one commit look at the disk once together;
// what those before have put in (Accept, AddImportPart) counts as taken, and as
// being in the log, which is where it goes first.
func (tx *Tx) Room() (free, log int64, err error) {
	if tx.disk == nil {
		_, log := tx.db.Size()
		free, err := tx.db.FreeSpace()
		tx.disk = &disk{free, log, err}
	}
	return tx.disk.free - tx.taken, tx.disk.log + tx.taken, tx.disk.err
}

// Probe writes a file beside the database, to see whether the disk still lets
// itself be written: a transaction that changes nothing does not tell.
func (db *DB) Probe() {
	f, err := os.CreateTemp(filepath.Dir(db.path), leftover+"*")
	if err == nil {
		err = Discard(f)
	}
	db.readOnly.Store(err != nil && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT))
}

// Writable is ErrCorrupt or ErrReadOnly when one of these was met, ErrMoved when
// the file is no longer where it was, nil else. It tries nothing.
func (db *DB) Writable() error {
	switch {
	case db.damaged.Load():
		return ErrCorrupt
	case db.readOnly.Load():
		return ErrReadOnly
	}
	return db.inPlace()
}

// inPlace is ErrMoved when the file was moved, deleted or replaced. Writing goes
// on into a file that is open, wherever it is, and what was acknowledged so is
// not there at the next start.
func (db *DB) inPlace() error {
	now, err := os.Stat(db.path)
	if errors.Is(err, os.ErrNotExist) || err == nil && !os.SameFile(db.file, now) {
		return ErrMoved
	}
	return nil // what else is wrong, writing tells
}

// Size returns the bytes of the database file and of the log beside it.
func (db *DB) Size() (file, log int64) {
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	return size(db.path), size(db.path + "-wal")
}
