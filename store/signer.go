package store

import (
	"errors"
	"log/slog"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// signer records which rows of signed tables a write transaction changes, and updates the signed
// sums before the transaction commits. It belongs to the only write connection. Read connections
// use only its codes and tables.
type signer struct {
	*codes
	tables map[string]*signed
	noted  []change
	off    bool  // set while the signer writes sums, because these writes don't have to be signed
	failed error // set if a changed row couldn't be read
}

// change describes how a statement changes one row.
type change struct {
	table    *signed
	practice int64  // the ID of the practice; 0 for the installation; unknown if the row belongs to its parent's practice
	group    rowKey // the row whose mac includes the changed row, or to whose practice the changed row belongs
	sum      sum    // the difference that must be added to the sums
	rows     int8   // 1 for a new row, -1 for a deleted row
}

const unknown = -1

// note records how a row changes. A panic must not reach SQLite, which would then never release its
// locks.
func (s *signer) note(d *sqlite.SQLitePreUpdateData) {
	t := s.tables[d.TableName]
	if t == nil {
		return
	}
	defer func() {
		if recover() != nil {
			s.failed = errPanic
		}
	}()
	var was, is change
	var had, has bool
	var err error
	before, after := rowsOfChange(d)
	if d.Op != lib.SQLITE_INSERT {
		was, had, err = s.read(t, before)
	}
	if d.Op != lib.SQLITE_DELETE && err == nil {
		is, has, err = s.read(t, after)
	}
	if err != nil {
		s.failed = err
		return
	}
	if had && has && was.practice == is.practice && was.group == is.group {
		if was.sum != is.sum {
			is.sum.sub(was.sum)
			s.noted = append(s.noted, is)
		}
		return
	}
	if had {
		was.rows, was.sum = -1, negative(was.sum)
		s.noted = append(s.noted, was)
	}
	if has {
		is.rows = 1
		s.noted = append(s.noted, is)
	}
}

// read reads a row as it is before or after a change. counts reports whether the row is signed in
// this state (signed.counts).
func (s *signer) read(t *signed, from hookedRow) (c change, counts bool, err error) {
	if t.ended != "" {
		output, err := from.value(t.places[t.ended])
		if err != nil || !t.final(from.bytes(output)) {
			return c, false, err
		}
	}
	c.table = t
	if c.sum, err = s.hooked(t, from); err != nil {
		return c, false, err
	}
	return c, true, s.belongs(&c, from)
}

// belongs sets the practice to which a changed row belongs, and its group, which is the row whose
// mac includes the changed row.
func (s *signer) belongs(c *change, from hookedRow) error {
	t := c.table
	switch {
	case t.practice != "":
		value, err := from.value(t.places[t.practice])
		if err != nil {
			return err
		}
		c.practice = lib.Xsqlite3_value_int64(from.tls, value) // null stands for the installation
	case t.up != nil && t.up.practice != "":
		c.practice = unknown
	}
	of, columns := t, t.key
	switch {
	case t.mac:
	case t.up != nil:
		of, columns = t.up, []string{t.via}
	default:
		return nil
	}
	c.group = rowKey{table: of}
	for _, column := range columns {
		value, err := from.value(t.places[column])
		if err != nil {
			return err
		}
		c.group.push(from.keyPart(value))
	}
	return nil
}

func negative(s sum) (n sum) {
	n.sub(s)
	return n
}

// mark returns the number of changes that were recorded so far. If a statement or a job is rolled
// back, forgetFrom discards the changes that were recorded after that.
func (s *signer) mark() int {
	if s == nil {
		return 0
	}
	return len(s.noted)
}

func (s *signer) forgetFrom(mark int) {
	if s != nil {
		s.noted = s.noted[:mark]
	}
}

// begin prepares the signer for a new transaction. It discards the changes and the error of the
// previous one.
func (s *signer) begin() {
	if s != nil {
		s.noted, s.failed = s.noted[:0], nil
	}
}

// ErrDamaged means that a row isn't as the program wrote it.
var ErrDamaged = errors.New("store: this was not written by the program, or was damaged since: restore the latest backup that passes this check: birthregistry restore BACKUP --check")

// damagedRow logs that a row is damaged and is therefore ignored, and returns ErrDamaged.
func damagedRow(k rowKey) error {
	slog.Error("a row of the database is not as the program wrote it and counts for nothing: run birthregistry check, then birthregistry restore with the latest sound backup",
		"table", k.table.name, "row", k.b)
	return ErrDamaged
}
