package store

import (
	"errors"
	"fmt"
)

// group is a row with a mac, together with the changes to this row and to its dependent rows.
type group struct {
	rowKey
	practice   int64
	mac        []byte
	born, gone bool
	within     bool // whether the mac must be changed by sum; if not, only the row's practice is needed
	sum        sum
}

// sign writes the signatures that change because of a transaction: the totals of practices, and the
// MACs of rows.
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

// grouped adds up the changes that belong to the same group.
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

// writeMACs writes the new MACs of rows. A row whose MAC is wrong isn't changed, so that the damage
// can still be detected.
func (tx *Tx) writeMACs(order []*group) error {
	rows := map[*signed][]any{} // each row's mac and key
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

// setMACs writes the MACs of rows, several rows in each statement. rows holds each row's MAC,
// followed by its key.
func (tx *Tx) setMACs(t *signed, rows []any) error {
	width := 1 + len(t.key)
	for len(rows) > 0 {
		n := rowsPerInsert
		for n*width > len(rows) {
			n /= 2
		}
		if err := tx.do(t.sql.set[n], rows[:n*width]...); err != nil {
			return err
		}
		rows = rows[n*width:]
	}
	return nil
}

// writeTotals adds the changes to the signed totals of practices. It skips a practice whose totals
// are missing or wrongly signed, unless this transaction has created the practice.
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
	return tx.do(`insert into sums (practice, sealed) values (?1, ?2) on conflict (practice) do update set sealed = ?2`,
		practice, tx.signer.sealTotals(practice, t))
}
