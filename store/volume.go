package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// anchor identifies an open file that must stay where it is. If it were moved, its writes would
// be missing at the next start.
type anchor struct {
	path          string
	device, inode uint64
}

// anchorOf identifies the file that is at a path now.
func anchorOf(path string) (a anchor, err error) {
	var s syscall.Stat_t
	if err := syscall.Stat(path, &s); err != nil {
		return a, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return anchor{path, uint64(s.Dev), s.Ino}, nil //nolint:unconvert // 32 bits on some systems
}

// hold records the files that SQLite has open, and the folder. The files include the index of the
// WAL (-shm), because other processes see this process's locks only through that shared memory.
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

// anchor records that a file must stay where it is from now on.
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
// replaced, for example because its volume was removed.
func (db *DB) inPlace() error { return held(*db.anchors.Load()) }

// Durable returns an error if a commit may be lost although SQLite has reported success: ErrMoved
// if the database file is no longer in its place, for example because its volume was removed, and
// ErrReadOnly if the file system has stopped writing. The writer calls Durable after each commit,
// but readers see the commit before that. So a caller that reads a change and then reports to the
// outside that it is stored must call Durable after reading.
func (db *DB) Durable() error {
	if err := held((*db.anchors.Load())[:1]); err != nil {
		return err
	}
	if err := givenUp(db.folder); err != nil {
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	return nil
}

// trusted returns the error of Durable while the last commit may be lost. Otherwise it returns nil.
// Each View and Lookup begins with it, because a read could show the lost commit as stored.
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

// Lost returns an error if this process has lost the database's volume: a file is no longer in its
// place (ErrMoved), or the disk refuses writes for a reason other than a lack of space
// (ErrReadOnly). Lost is called a few times a second, so it writes only after a failed write, and
// then only an empty file. It reads a page without the page cache, which fails if the disk is gone.
// It syncs the folder, which fails if the file system has stopped writing.
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

// refused writes a file next to the database, and returns an error if the disk refuses to write
// it.
func (db *DB) refused() error { return refusedIn(filepath.Dir(db.path)) }

func refusedIn(folder string) error {
	f, err := os.CreateTemp(folder, leftover+"*")
	if err == nil {
		err = Discard(f)
	}
	return lasting(err)
}

// passing are the errors that don't show a broken disk: the disk or memory is full, too many files
// are open, or the file system doesn't sync folders.
var passing = []error{
	syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EINVAL, syscall.ENOTSUP, syscall.ENOSYS,
}

// lasting returns nil for a passing error, and every other error unchanged.
func lasting(err error) error {
	if slices.ContainsFunc(passing, func(p error) bool { return errors.Is(err, p) }) {
		return nil
	}
	return err
}

// Probe checks whether the disk still accepts writes. It writes a file, because a transaction
// that changes nothing doesn't show a failing disk.
func (db *DB) Probe() { db.readOnly.Store(db.refused() != nil) }

// Writable returns ErrCorrupt if a damaged page was found, ErrReadOnly if the disk has refused a
// write and no Probe has succeeded since, ErrMoved if a file is no longer in its place, and nil
// otherwise. It doesn't try to write.
func (db *DB) Writable() error {
	switch {
	case db.damaged.Load():
		return ErrCorrupt
	case db.readOnly.Load():
		return ErrReadOnly
	}
	return db.inPlace()
}
