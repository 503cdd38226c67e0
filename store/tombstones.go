package store

import (
	"database/sql"
	"time"
)

// Tombstone stands for an erased birth. It keeps the birth's chart number from being recorded again
// without an admin's consent.
type Tombstone struct {
	ID int64
	// Chart is a keyed hash of the practice and the chart number (app/changes).
	Chart []byte
	// UUID is the public ID of the erased record. Reason is ErasedOnRequest or ErasedByMistake.
	UUID, Reason string
	User         int64
	By           string // the name of User
	CreatedAt    time.Time
	// Refused is the number of submissions that were rejected because of the tombstone since an
	// admin last checked. RefusedAt is when the last of them was rejected, or zero.
	Refused   int
	RefusedAt time.Time
}

// The possible reasons for erasing a birth. Free text isn't allowed, because it could name a
// patient.
const (
	ErasedOnRequest = "request" // the mother has asked for it
	ErasedByMistake = "mistake" // the record was a test, or was entered by mistake
)

// AddTombstone stores a tombstone. If there is already one for the chart number, it replaces that
// tombstone's UUID, reason and user.
func (tx *Tx) AddTombstone(p PracticeID, t Tombstone) error {
	return tx.do(`
		insert into tombstones (practice, chart, uuid, reason, user, created_at)
		values (?, ?, ?, ?, ?, ?)
		on conflict (practice, chart) do update set uuid = excluded.uuid, reason = excluded.reason, user = excluded.user`,
		p, t.Chart, t.UUID, t.Reason, nullable(t.User), millis(tx.Now))
}

// TombstonesOf returns the IDs of the tombstones for hashed chart numbers, by hash.
func (v *View) TombstonesOf(p PracticeID, charts [][]byte) (map[string]int64, error) {
	found := map[string]int64{}
	err := pairs(v, `
		select t.id, t.chart
		from json_each(?) wanted
		cross join tombstones t on t.practice = ? and t.chart = unhex(wanted.value)`,
		func(id int64, chart string) { found[chart] = id }, inHex(charts), p)
	return found, err
}

// Tombstones returns up to limit tombstones of a practice. Those that have rejected a submission
// since an admin last checked come first. Apart from that, the newest come first.
func (v *View) Tombstones(p PracticeID, limit int) ([]Tombstone, error) {
	return all(v, `
		select t.id, t.chart, t.uuid, t.reason, coalesce(t.user, 0), coalesce(u.name, ''), t.created_at, t.refused, t.refused_at
		from tombstones t
		left join users u on u.id = t.user
		where t.practice = ?
		order by t.refused > 0 desc, t.id desc
		limit ?`, func(t *Tombstone, rows *sql.Rows) error {
		return rows.Scan(&t.ID, &t.Chart, &t.UUID, &t.Reason, &t.User, &t.By, asTime(&t.CreatedAt), &t.Refused, asTime(&t.RefusedAt))
	}, p, limit)
}

// CountRefused adds to the numbers of submissions that tombstones have rejected. times maps the ID
// of a tombstone to the number to add.
func (tx *Tx) CountRefused(p PracticeID, times map[int64]int) error {
	for id, n := range times {
		err := tx.do(`update tombstones set refused = refused + ?, refused_at = ? where id = ? and practice = ?`, n, millis(tx.Now), id, p)
		if err != nil {
			return err
		}
	}
	return nil
}

// KeepTombstone records that an admin has seen which submissions a tombstone rejected, and has
// decided to keep the tombstone. It returns the ID of the erased record, or ErrNotFound if the
// practice has no such tombstone.
func (tx *Tx) KeepTombstone(p PracticeID, id int64) (uuid string, err error) {
	err = tx.one(`update tombstones set refused = 0 where id = ? and practice = ? returning uuid`, []any{id, p}, &uuid)
	return uuid, err
}

// LiftTombstone deletes a tombstone, and returns the ID of the erased record. It returns
// ErrNotFound if the practice has no such tombstone.
func (tx *Tx) LiftTombstone(p PracticeID, id int64) (uuid string, err error) {
	err = tx.one(`delete from tombstones where id = ? and practice = ? returning uuid`, []any{id, p}, &uuid)
	return uuid, err
}
