package store

import (
	"database/sql"
	"time"
)

// Refusal is a refused request that was sent with one of the practice's API keys. The request's
// body isn't stored.
type Refusal struct {
	ID     int64
	APIKey int64
	// Key is the key's label. It is set only when refusals are read.
	Key    string
	At     time.Time
	Status int    // HTTP status
	Code   string // the code in the error catalog
	// RequestID is the X-Request-Id that the caller received.
	RequestID string
	// Bytes is the announced length of the body, or 0.
	Bytes int64
}

// A practice keeps its newest RefusalsKept refusals, for RefusalsKeptFor.
const (
	RefusalsKept    = 1000
	RefusalsKeptFor = 30 * 24 * time.Hour
)

// AddRefusal stores a refused request, and deletes old ones beyond RefusalsKept and
// RefusalsKeptFor. It returns ErrNotFound if the key isn't the practice's.
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
	// Each new refusal deletes up to two old ones, so the table shrinks without a scheduled
	// job.
	return tx.do(`
		delete from refused
		where id in (select id from refused where practice = ? order by id limit 2) and at < ?`,
		p, millis(tx.Now.Add(-RefusalsKeptFor)))
}

// Refusals lists up to limit requests that were refused since a time, newest first. It starts below
// the given ID, or at the newest request if the ID is 0.
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

// RevokedKeyByHash finds a revoked key, so that its practice learns that the key is still in
// use; otherwise it returns ErrNotFound. The key determines the practice.
func (v *View) RevokedKeyByHash(hash []byte) (APIKey, error) {
	return first(all(v, keyColumns+` where hash = ? and revoked_at is not null`, (*APIKey).scan, hash))
}
