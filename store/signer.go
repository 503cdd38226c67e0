package store

import (
	"errors"
	"fmt"
	"log/slog"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// signer notes what each transaction of the writer changes in signed tables, and
// adds it to the sums before the transaction commits. It belongs to the one write
// connection; only codes and tables are read by others.
type signer struct {
	*codes
	tables map[string]*signed
	noted  []change
	off    bool  // its own writes change no code
	failed error // a row could not be read
}

// change is what became of a row.
type change struct {
	table    *signed
	practice int64  // 0 is the installation; unknown when it is the parent's
	group    rowKey // the row in whose mac it counts, or whose practice it has
	sum      sum    // to be added
	rows     int8   // 1 for a new row, -1 for one that is gone
}

const unknown = -1

// note notes a change of a row. A panic must not get through to SQLite, which would
// never let go of its locks.
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

// read reads a row as it was, or as it is now, and reports whether it counts.
func (s *signer) read(t *signed, from hookedRow) (c change, counts bool, err error) {
	if t.ended != "" {
		said, err := from.value(t.places[t.ended])
		if err != nil || !t.final(from.bytes(said)) {
			return c, false, err
		}
	}
	c.table = t
	if c.sum, err = s.hooked(t, from); err != nil {
		return c, false, err
	}
	return c, true, s.belongs(&c, from)
}

// belongs says whose a row is, and in whose mac it counts.
func (s *signer) belongs(c *change, from hookedRow) error {
	t := c.table
	switch {
	case t.practice != "":
		value, err := from.value(t.places[t.practice])
		if err != nil {
			return err
		}
		c.practice = lib.Xsqlite3_value_int64(from.tls, value) // null is the installation
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

// group is a row with a mac of which something has changed.
type group struct {
	rowKey
	practice   int64
	mac        []byte
	born, gone bool
	within     bool // the sum counts: some changes only need its practice
	sum        sum
}

// sign adds what a transaction has changed to the sums.
func (tx *Tx) sign() error {
	s := tx.signer
	if s == nil || len(s.noted) == 0 && s.failed == nil {
		return nil
	}
	if s.failed != nil {
		return fmt.Errorf("store: a row could not be signed: %w", s.failed)
	}
	noted := s.noted
	s.noted, s.off = nil, true
	defer func() { s.noted, s.off = noted[:0], false }()
	groups, order := grouped(noted)
	for _, g := range order {
		if g.born || g.gone {
			continue
		}
		err := tx.one(g.table.sql.owner, g.args(), &g.practice, &g.mac)
		if errors.Is(err, ErrNotFound) {
			g.gone, err = true, nil
		}
		if err != nil {
			return err
		}
	}
	if err := tx.writeTotals(noted, groups); err != nil {
		return err
	}
	return tx.writeMACs(order)
}

// grouped adds the changes up by the rows they belong to.
func grouped(noted []change) (groups map[rowKey]*group, order []*group) {
	groups = map[rowKey]*group{}
	for i := range noted {
		c := &noted[i]
		if c.group.table == nil {
			continue
		}
		g := groups[c.group]
		if g == nil {
			g = &group{rowKey: c.group}
			groups[c.group] = g
			order = append(order, g)
		}
		if c.table.mac || c.table.within {
			g.within = true
			g.sum.add(c.sum)
		}
		if c.table == g.table {
			g.practice = c.practice
			switch c.rows {
			case 1:
				g.born, g.gone = true, false
			case -1:
				g.born, g.gone, g.sum = false, true, sum{}
			}
		}
	}
	return groups, order
}

// writeMACs signs rows anew. One that was not signed as it should be is left as it
// is, and so is found.
func (tx *Tx) writeMACs(order []*group) error {
	rows := map[*signed][]any{} // mac and key, row by row
	var tables []*signed
	for _, g := range order {
		if !g.within || g.gone {
			continue
		}
		total := g.sum
		if !g.born {
			was, ok := tx.signer.openRow(g.rowKey, g.mac)
			if !ok {
				continue
			}
			total.add(was)
		}
		if rows[g.table] == nil {
			tables = append(tables, g.table)
		}
		rows[g.table] = append(append(rows[g.table], tx.signer.sealRow(g.rowKey, total)), g.args()...)
	}
	for _, t := range tables {
		if err := tx.setMACs(t, rows[t]); err != nil {
			return err
		}
	}
	return nil
}

// setMACs sets the macs of rows, many at a time.
func (tx *Tx) setMACs(t *signed, rows []any) error {
	width := 1 + len(t.key)
	for len(rows) > 0 {
		n := rowsPerInsert
		for n*width > len(rows) {
			n /= 2
		}
		if _, err := tx.exec(t.sql.set[n], rows[:n*width]...); err != nil {
			return err
		}
		rows = rows[n*width:]
	}
	return nil
}

// writeTotals adds the changes to the totals of the practices. A practice whose
// totals are gone, or not signed as they should be, stays without.
func (tx *Tx) writeTotals(noted []change, groups map[rowKey]*group) error {
	by, founded := map[int64]totals{}, map[int64]bool{}
	for i := range noted {
		c := &noted[i]
		practice := c.practice
		if g := groups[c.group]; practice == unknown && g != nil {
			practice = g.practice
		}
		if by[practice] == nil {
			by[practice] = totals{}
		}
		by[practice].add(c.table.number, int64(c.rows), c.sum)
		if c.table.name == "practices" && c.rows > 0 {
			founded[practice] = true
		}
	}
	for practice, changed := range by {
		sealed, err := tx.sealedTotals(practice)
		if errors.Is(err, ErrNotFound) && !founded[practice] {
			continue
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		sums := totals{}
		if err == nil {
			var ok bool
			if sums, ok = tx.signer.openTotals(practice, sealed); !ok {
				continue
			}
		}
		for number, c := range changed {
			sums.add(number, c.rows, c.sum)
		}
		if err := tx.putTotals(practice, sums); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) putTotals(practice int64, t totals) error {
	_, err := tx.exec(`insert into sums (practice, sealed) values (?1, ?2) on conflict (practice) do update set sealed = ?2`,
		practice, tx.signer.sealTotals(practice, t))
	return err
}

// mark and forgetFrom let go of what a statement or a job has changed that was
// rolled back.
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

// begin begins a transaction.
func (s *signer) begin() {
	if s != nil {
		s.noted, s.failed = s.noted[:0], nil
	}
}

// ErrDamaged says that a row is not as the program wrote it.
var ErrDamaged = errors.New("store: this was not written by the program, or was damaged since: restore the latest backup that birthregistry check calls sound")

// damagedRow tells the log of a row that grants nothing any more.
func damagedRow(k rowKey) error {
	slog.Error("a row of the database is not as the program wrote it and counts for nothing: run birthregistry check, then birthregistry restore with the latest sound backup",
		"table", k.table.name, "row", k.b)
	return ErrDamaged
}
