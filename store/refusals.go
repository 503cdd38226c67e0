package store

import (
	"database/sql"
	"time"
)

// Refusal is a request that was sent with one of the practice's API keys and was refused. The body
// of the request isn't stored.
type Refusal struct {
	ID     int64
	APIKey int64
	// Key is the label of the API key. It is set only when refusals are read.
	Key    string
	At     time.Time
	Status int    // HTTP status
	Code   string // the error's code in the error catalog
	// RequestID is the X-Request-Id that was returned to the caller.
	RequestID string
	// Bytes is the length of the body that the caller announced, or 0.
	Bytes int64
}

// RefusalsKept is how many refusals of a practice are kept at most, and RefusalsKeptFor is how
// long.
const (
	RefusalsKept    = 1000
	RefusalsKeptFor = 30 * 24 * time.Hour
)

// AddRefusal stores a refused request, and deletes refusals beyond the limits of RefusalsKept and
// RefusalsKeptFor. It returns ErrNotFound if the practice has no such API key.
func (tx *Tx) AddRefusal(p PracticeID, r Refusal) error {
	err := found(tx.exec(`
		insert into refused (practice, api_key, at, status, code, request_id, bytes)
		select practice, id, ?, ?, ?, ?, ? from api_keys where id = ? and practice = ?`,
		millis(tx.Now), r.Status, r.Code, r.RequestID, r.Bytes, r.APIKey, p))
	if err != nil {
		return err
	}
	if err := tx.do(`
		delete from refused
		where practice = ?1 and id <= (
			select id from refused where practice = ?1 order by id desc limit 1 offset ?2
		)`, p, RefusalsKept); err != nil {
		return err
	}
	// Each new refusal deletes up to two old ones, so the table shrinks even without a scheduled
	// job.
	return tx.do(`
		delete from refused
		where id in (select id from refused where practice = ? order by id limit 2) and at < ?`,
		p, millis(tx.Now.Add(-RefusalsKeptFor)))
}

// Refusals returns up to limit requests that were refused at or after a time, newest first. If
// before isn't 0, it returns only those with a lower ID.
func (v *View) Refusals(p PracticeID, since time.Time, before int64, limit int) ([]Refusal, error) {
	return all(v, `
		select
			r.id,
			r.api_key,
			k.label,
			r.at,
			r.status,
			r.code,
			r.request_id,
			r.bytes
		from refused r
		join api_keys k on k.id = r.api_key
		where r.practice = ? and r.id < ? and r.at >= ?
		order by r.id desc
		limit ?`, func(r *Refusal, rows *sql.Rows) error {
		return rows.Scan(&r.ID, &r.APIKey, &r.Key, asTime(&r.At), &r.Status, &r.Code, &r.RequestID, &r.Bytes)
	}, p, beforeID(before), millis(since), limit)
}

// RevokedKeyByHash returns the revoked API key with the given hash, so that its practice can be
// told that the key is still in use. It returns ErrNotFound if there is no such key or the key
// isn't revoked. It needs no practice, because the key determines the practice.
func (v *View) RevokedKeyByHash(hash []byte) (APIKey, error) {
	return first(all(v, keyColumns+` where hash = ? and revoked_at is not null`, (*APIKey).scan, hash))
}
