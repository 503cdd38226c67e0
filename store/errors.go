package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// These are the errors of this package. decode is the only function that makes them from SQLite's
// error codes.
var (
	ErrNotFound    = errors.New("store: not found")
	ErrConflict    = errors.New("store: already exists")
	ErrInvalid     = errors.New("store: a row breaks a rule of its table")
	ErrFull        = errors.New("store: the disk is full; free some space on it")
	ErrReadOnly    = errors.New("store: the database cannot be written")
	ErrBusy        = errors.New("store: another process holds the database; try again")
	ErrCorrupt     = errors.New("store: the database file is damaged; restore the latest backup")
	ErrNotDatabase = errors.New("store: the file is not a database of this program")
	ErrNewer       = errors.New("store: the database was written by a newer version of this program; use that version, " +
		"or go back to the copy that it made before it changed the file: birthregistry docs upgrade")
	ErrStaleWAL = errors.New("store: the WAL (-wal) next to the database belongs to another database, probably because a copy was put in the place of this one by hand. " +
		"Move the WAL away; the next time use: birthregistry restore COPY")
	ErrMoved  = errors.New("store: the database file was moved or deleted while it was open; put it back, or stop the service and restore a backup")
	ErrClosed = errors.New("store: the database is closed")
	// ErrRevoked means that the API key used for a write is revoked or unknown.
	ErrRevoked = errors.New("store: the API key is not in force")
)

// decode converts an error of the database driver to an error of this package. It leaves out
// SQLite's message, which may contain the value that violated a constraint.
func decode(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() {
	case lib.SQLITE_CONSTRAINT_UNIQUE, lib.SQLITE_CONSTRAINT_PRIMARYKEY:
		return ErrConflict
	case lib.SQLITE_IOERR_SHMSIZE: // no space for the memory that readers share
		return ErrFull
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_FULL:
		return ErrFull
	case lib.SQLITE_READONLY, lib.SQLITE_IOERR, lib.SQLITE_CANTOPEN, lib.SQLITE_PERM:
		return fmt.Errorf("%w (SQLite code %d)", ErrReadOnly, e.Code())
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL: // SQLite returns PROTOCOL after it has tried for ten seconds
		return ErrBusy
	case lib.SQLITE_CORRUPT:
		return ErrCorrupt
	case lib.SQLITE_CONSTRAINT:
		return fmt.Errorf("%w (SQLite code %d)", ErrInvalid, e.Code())
	case lib.SQLITE_NOTADB:
		return ErrNotDatabase
	case lib.SQLITE_INTERRUPT: // the caller gave up
		return context.Canceled
	}
	return fmt.Errorf("store: SQLite code %d: %s", e.Code(), sqlite.ErrorCodeString[e.Code()&0xff])
}

// Translate converts one error (from) into another (to). It returns any other error unchanged.
func Translate(err, from, to error) error {
	if errors.Is(err, from) {
		return to
	}
	return err
}

// IsUnavailable reports whether err means that nothing can be stored at present, because of the
// disk, the file or another process. Such an error isn't a defect of the program.
func IsUnavailable(err error) bool {
	return errors.Is(err, ErrFull) || errors.Is(err, ErrReadOnly) || errors.Is(err, ErrBusy) || errors.Is(err, ErrClosed) ||
		errors.Is(err, ErrCorrupt) || errors.Is(err, ErrMoved)
}
