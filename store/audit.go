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
	Practice PracticeID // 0 if the action concerns no practice
	User     int64      // 0 for an actor without an account, such as the operator
	Actor    string
	Action   string
	Object   string
	Address  string
	MAC      []byte
}

// TrailHead names the last row of the audit trail.
type TrailHead struct {
	Last int64  // the number of the last row, or 0 if there is none
	MAC  []byte // a keyed hash of Last and the last row's MAC
}

// TrailHead returns the head of the audit trail. It returns ErrNotFound if somebody has removed it.
func (v *View) TrailHead() (h TrailHead, err error) {
	err = v.one(`select last, mac from audit_head where id = 1`, nil, &h.Last, &h.MAC)
	return h, err
}

// SomebodySignedIn reports whether any existing account has ever been used to sign in.
func (v *View) SomebodySignedIn() (bool, error) {
	return only[bool](v, `select exists (select 1 from users where signed_in_at is not null)`)
}

// Noted reports whether the audit trail has an entry with this action and object.
func (v *View) Noted(action, object string) (bool, error) {
	return only[bool](v, `select exists (select 1 from audit where action = ? and object = ?)`, action, object)
}

// AddAudit appends a row to the audit trail. It calls chain to compute the MACs of the new row and
// of the new head. chain gets the present head, the last row (the zero Audit in an empty trail) and
// the new row. Rows are numbered without gaps, because no row is ever deleted. AddAudit returns
// ErrForgotten if the practice is being forgotten. An action that began before that therefore
// leaves no entry.
func (tx *Tx) AddAudit(row Audit, chain func(head TrailHead, last, row Audit) (mac, headMAC []byte)) error {
	var last Audit
	err := tx.one(`select id, mac from audit order by id desc limit 1`, nil, &last.ID, &last.MAC)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	head, err := tx.TrailHead()
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	row.ID = max(last.ID, head.Last) + 1
	row.At = tx.Now
	mac, headMAC := chain(head, last, row)
	added, err := tx.exec(`
		insert into audit (id, at, practice, user, actor, action, object, address, mac)
		select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
		where not exists (select 1 from forgotten where practice = ?3)`,
		row.ID, millis(row.At), nullable(row.Practice), nullable(row.User), row.Actor, row.Action, row.Object, row.Address, mac)
	if err == nil && added == 0 {
		err = ErrForgotten
	}
	if err != nil {
		return err
	}
	return tx.do(`
		insert into audit_head (id, last, mac) values (1, ?, ?)
		on conflict (id) do update set last = excluded.last, mac = excluded.mac`, row.ID, headMAC)
}

// Trail calls visit for every row of the audit trail, in order.
func (v *View) Trail(visit func(Audit) error) error { return v.TrailFrom(1, visit) }

// TrailFrom calls visit for the rows of the audit trail, in order, starting with the row whose
// number is given. It is used to verify the trail.
func (v *View) TrailFrom(from int64, visit func(Audit) error) error {
	return v.each(`
		select id, at, coalesce(practice, 0), coalesce(user, 0), actor, action, object, address, mac
		from audit
		where id >= ?
		order by id`, func(rows *sql.Rows) error {
		var row Audit
		if err := row.scan(rows); err != nil {
			return err
		}
		return visit(row)
	}, from)
}

func (a *Audit) scan(rows *sql.Rows) error {
	return rows.Scan(&a.ID, asTime(&a.At), &a.Practice, &a.User, &a.Actor, &a.Action, &a.Object, &a.Address, &a.MAC)
}
