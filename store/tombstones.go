package store

import (
	"database/sql"
	"time"
)

// Tombstone keeps the chart number of an erased birth from being recorded again without an
// admin's consent.
type Tombstone struct {
	ID int64
	// Chart is a keyed hash of the practice and the chart number (app/changes).
	Chart []byte
	// UUID is the erased record's public ID. Reason is ErasedOnRequest or ErasedByMistake.
	UUID, Reason string
	User         int64
	By           string // the name of User
	CreatedAt    time.Time
	// Refused counts the submissions that were rejected because of the tombstone since an admin
	// last looked. RefusedAt is the time of the last one, or zero.
	Refused   int
	RefusedAt time.Time
}

// The reasons to erase a birth. Free text isn't allowed, because it could name a patient.
const (
	ErasedOnRequest = "request" // the client asked for it
	ErasedByMistake = "mistake" // it was a test, or was entered by mistake
)

// AddTombstone stores a tombstone. If the chart number already has one, AddTombstone replaces its
// UUID, reason and user.
func (tx *Tx) AddTombstone(p PracticeID, t Tombstone) error {
	return tx.do(`
		insert into tombstones (practice, chart, uuid, reason, user, created_at)
		values (?, ?, ?, ?, ?, ?)
		on conflict (practice, chart) do update set uuid = excluded.uuid, reason = excluded.reason, user = excluded.user`,
		p, t.Chart, t.UUID, t.Reason, nullable(t.User), millis(tx.Now))
}

// TombstonesOf returns the IDs of the tombstones for these hashes of chart numbers, by hash.
func (v *View) TombstonesOf(p PracticeID, charts [][]byte) (map[string]int64, error) {
	found := map[string]int64{}
	err := pairs(v, `
		select t.id, t.chart
		from json_each(?) wanted
		cross join tombstones t on t.practice = ? and t.chart = unhex(wanted.value)`,
		func(id int64, chart string) { found[chart] = id }, inHex(charts), p)
	return found, err
}

// Tombstones lists a practice's tombstones, newest first, but those that rejected a submission
// since an admin last looked come before all others.
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

// CountRefused adds to the numbers of submissions that tombstones have rejected. times has the
// number to add, by the tombstone's ID.
func (tx *Tx) CountRefused(p PracticeID, times map[int64]int) error {
	for id, n := range times {
		err := tx.do(`update tombstones set refused = refused + ?, refused_at = ? where id = ? and practice = ?`, n, millis(tx.Now), id, p)
		if err != nil {
			return err
		}
	}
	return nil
}

// KeepTombstone records that an admin has seen the rejections of a tombstone and has decided to
// keep it. It returns the ID of the erased record, or ErrNotFound if the practice has no such
// tombstone.
func (tx *Tx) KeepTombstone(p PracticeID, id int64) (uuid string, err error) {
	err = tx.one(`update tombstones set refused = 0 where id = ? and practice = ? returning uuid`, []any{id, p}, &uuid)
	return uuid, err
}

// LiftTombstone deletes a tombstone and returns the ID of the erased record. It returns
// ErrNotFound if the practice has no such tombstone.
func (tx *Tx) LiftTombstone(p PracticeID, id int64) (uuid string, err error) {
	err = tx.one(`delete from tombstones where id = ? and practice = ? returning uuid`, []any{id, p}, &uuid)
	return uuid, err
}
