package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// anchor identifies an open file that must stay at its path. If the file were moved away, what is
// written to it would be missing at the next start.
type anchor struct {
	path          string
	device, inode uint64
}

// anchorOf returns an anchor for the file that is at a path now.
func anchorOf(path string) (a anchor, err error) {
	var s syscall.Stat_t
	if err := syscall.Stat(path, &s); err != nil {
		return a, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return anchor{path, uint64(s.Dev), s.Ino}, nil //nolint:unconvert // 32 bits on some systems
}

// hold records the files that SQLite has open, and opens their folder. The files include the index
// of the WAL (-shm), because other processes see this process's locks only through this shared
// memory.
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

// anchor records that the file at a path must stay there from now on.
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

// inPlace returns ErrMoved if one of the files that must stay in place (hold) was moved, deleted or
// replaced, for example because a disk was unmounted.
func (db *DB) inPlace() error { return held(*db.anchors.Load()) }

// Durable returns an error if a commit may be lost although SQLite has reported success. The error
// is ErrMoved if the database file is no longer at its path, for example because a disk was
// unmounted, and ErrReadOnly if the file system has stopped writing. Durable is called after each
// commit, but readers may see the commit before that. A caller that reads a change, and then
// reports to the outside that it is stored, must therefore call Durable after reading.
func (db *DB) Durable() error {
	if err := held((*db.anchors.Load())[:1]); err != nil {
		return err
	}
	if err := givenUp(db.folder); err != nil {
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	return nil
}

// trusted returns the error of Durable while it isn't certain that the last commit survives.
// Otherwise it returns nil. Every View and Lookup calls it first, because a read could show a lost
// commit as stored.
func (db *DB) trusted() error {
	if db.doubted.Load() {
		return db.Durable()
	}
	return nil
}

func held(anchors []anchor) error {
	for _, was := range anchors {
		now, err := anchorOf(was.path)
		if errors.Is(err, os.ErrNotExist) || err == nil && now != was {
			return ErrMoved
		}
	}
	return nil // a write reports any other problem
}

// Lost returns an error if this process can no longer use the disk of the database. The error is
// ErrMoved if a file is no longer at its path, and ErrReadOnly if the disk refuses writes for
// another reason than a lack of space. Lost is called several times a second, so it writes only
// after a write has failed, and then only an empty file. It reads a page without the page
// cache; that read fails if the disk is gone. It syncs the folder; that fails if the file system has
// stopped writing.
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

// refused writes a file next to the database, and returns an error if the disk refuses the write.
func (db *DB) refused() error { return refusedIn(filepath.Dir(db.path)) }

func refusedIn(folder string) error {
	f, err := os.CreateTemp(folder, leftover+"*")
	if err == nil {
		err = Discard(f)
	}
	return lasting(err)
}

// passing lists the errors that don't show that a disk is broken: the disk or the memory is full,
// too many files are open, or the file system doesn't sync folders.
var passing = []error{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EINVAL, syscall.ENOTSUP, syscall.ENOSYS,
}

// lasting returns nil if err is one of the errors in passing. Otherwise it returns err unchanged.
func lasting(err error) error {
	if slices.ContainsFunc(passing, func(p error) bool { return errors.Is(err, p) }) {
		return nil
	}
	return err
}

// Probe checks whether the disk accepts writes again. It writes a file, because a transaction
// without changes wouldn't show that a disk is failing.
func (db *DB) Probe() { db.readOnly.Store(db.refused() != nil) }

// Writable reports whether the database can be written, without trying to write. It returns
// ErrCorrupt if a damaged page was found, ErrReadOnly if the disk has refused a write and no Probe
// has succeeded since then, and ErrMoved if a file is no longer at its path. Otherwise it returns
// nil.
func (db *DB) Writable() error {
	switch {
	case db.damaged.Load():
		return ErrCorrupt
	case db.readOnly.Load():
		return ErrReadOnly
	}
	return db.inPlace()
}
