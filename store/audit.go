package store

import (
	"database/sql"
	"errors"
	"time"
)

// Audit is a row of the audit trail.
type Audit struct {
	ID       int64
	At       time.Time
	Practice PracticeID // 0 when it concerns none
	User     int64      // 0 for the operator
	Actor    string
	Action   string
	Object   string
	Address  string
	MAC      []byte
}

// AddAudit appends a row to the trail. chain computes its code from the code of
// the row before it. Rows are numbered without gaps: the table never loses one.
func (tx *Tx) AddAudit(row Audit, chain func(before []byte, row Audit) []byte) error {
	var before []byte
	err := tx.one(`select id, mac from audit order by id desc limit 1`, nil, &row.ID, &before)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	row.ID++
	row.At = tx.Now
	_, err = tx.exec(`
		insert into audit (id, at, practice, user, actor, action, object, address, mac)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		row.ID, millis(row.At), nullable(row.Practice), nullable(row.User), row.Actor, row.Action, row.Object, row.Address,
		chain(before, row))
	return err
}

// Trail visits the whole trail in order.
func (v *View) Trail(visit func(Audit) error) error { return v.TrailFrom(1, visit) }

// TrailFrom visits the trail in order from a row on, for its verification.
func (v *View) TrailFrom(from int64, visit func(Audit) error) error {
	return v.each(`
		select id, at, coalesce(practice, 0), coalesce(user, 0), actor, action, object, address, mac
		from audit
		where id >= ?
		order by id`, func(rows *sql.Rows) error {
		row, err := scanAudit(rows)
		if err != nil {
			return err
		}
		return visit(row)
	}, from)
}

func scanAudit(rows *sql.Rows) (a Audit, err error) {
	var at int64
	err = rows.Scan(&a.ID, &at, &a.Practice, &a.User, &a.Actor, &a.Action, &a.Object, &a.Address, &a.MAC)
	a.At = fromMillis(at)
	return a, err
}
