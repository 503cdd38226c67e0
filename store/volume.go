package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// anchor is a file that is open and has to stay where it is: whatever is written
// into it elsewhere is not there at the next start.
type anchor struct {
	path          string
	device, inode uint64
}

// anchorOf returns which file has a name now.
func anchorOf(path string) (a anchor, err error) {
	var s syscall.Stat_t
	if err := syscall.Stat(path, &s); err != nil {
		return a, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return anchor{path, uint64(s.Dev), s.Ino}, nil //nolint:unconvert // 32 bits on some systems
}

// hold notes the files that SQLite has open, and the folder. Without the
// index of the WAL (-shm), which is shared memory with a name, another process
// would not see what this one holds locked.
func (db *DB) hold() (err error) {
	for _, ending := range []string{"", "-wal", "-shm"} {
		if err := db.anchor(db.path + ending); err != nil {
			return err
		}
	}
	if db.folder, err = os.Open(filepath.Dir(db.path)); err != nil {
		return fmt.Errorf("store: open: %w", err)
	}
	return nil
}

// anchor notes that a file has to stay where it is from now on.
func (db *DB) anchor(path string) error {
	a, err := anchorOf(path)
	if err != nil {
		return fmt.Errorf("store: open: %w", err)
	}
	var all []anchor
	if was := db.anchors.Load(); was != nil {
		all = slices.Clone(*was)
	}
	all = append(slices.DeleteFunc(all, func(b anchor) bool { return b.path == path }), a)
	db.anchors.Store(&all)
	return nil
}

// inPlace is ErrMoved when a file was moved, deleted or replaced, as when its
// volume was taken away.
func (db *DB) inPlace() error { return held(*db.anchors.Load()) }

// attached is inPlace for the database file alone: it's gone with its volume.
func (db *DB) attached() error { return held((*db.anchors.Load())[:1]) }

func held(anchors []anchor) error {
	for _, was := range anchors {
		now, err := anchorOf(was.path)
		if errors.Is(err, os.ErrNotExist) || err == nil && now != was {
			return ErrMoved
		}
	}
	return nil // what else is wrong, writing tells
}

// Lost is an error when the volume of the database is lost to this process: a
// file is no longer in its place (ErrMoved), or the disk refuses to be written
// whatever is deleted from it (ErrReadOnly). It is to be asked a few times a
// second, so it writes nothing, but for one empty file after a write has failed:
// it reads a page from the disk itself, which fails when that is gone, and syncs
// what has long been written, which fails when the file system has given up.
func (db *DB) Lost() error {
	if err := db.inPlace(); err != nil {
		return err
	}
	err := errors.Join(syscall.Access(db.folder.Name(), readAndWrite), lasting(db.folder.Sync()))
	if err == nil && db.direct != nil {
		err = lasting(readDirect(db.direct))
	}
	if err == nil && db.readOnly.Load() {
		err = db.refused()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	return nil
}

// refused writes a file beside the database, and is an error when the disk
// refuses that.
func (db *DB) refused() error {
	f, err := os.CreateTemp(filepath.Dir(db.path), leftover+"*")
	if err == nil {
		err = Discard(f)
	}
	return lasting(err)
}

// passing are the errors that say nothing against a disk: it is full, too many
// files are open, or its file system does not sync folders.
var passing = []error{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EINVAL, syscall.ENOTSUP, syscall.ENOSYS,
}

// lasting is nil for a passing error.
func lasting(err error) error {
	if slices.ContainsFunc(passing, func(p error) bool { return errors.Is(err, p) }) {
		return nil
	}
	return err
}

// Probe looks whether the disk still lets itself be written: a transaction that
// changes nothing does not tell.
func (db *DB) Probe() { db.readOnly.Store(db.refused() != nil) }

// Writable is ErrCorrupt or ErrReadOnly when one of these was met, ErrMoved when
// a file is no longer where it was, nil else. It tries nothing.
func (db *DB) Writable() error {
	switch {
	case db.damaged.Load():
		return ErrCorrupt
	case db.readOnly.Load():
		return ErrReadOnly
	}
	return db.inPlace()
}
