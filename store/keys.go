package store

import (
	"database/sql"
	"errors"
	"strings"
	"time"
)

// APIKey describes an API key of a practice. The key itself isn't stored.
type APIKey struct {
	ID       int64      `json:"id"`
	Practice PracticeID `json:"practice"`
	Label    string     `json:"label"`
	Scopes   []string   `json:"scopes"`
	// Prefix is the beginning of the key. People recognize the key by it.
	Prefix     string     `json:"prefix"`
	MintedBy   string     `json:"minted_by"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at"`
	RevokedAt  *time.Time `json:"revoked_at"`
}

// AddAPIKey stores a new API key, identified by its hash, and returns the ID.
func (tx *Tx) AddAPIKey(p PracticeID, k APIKey, hash []byte) (int64, error) {
	return tx.insert(`
		insert into api_keys (practice, label, scopes, prefix, hash, minted_by, created_at)
		values (?, ?, ?, ?, ?, ?, ?)`,
		p, k.Label, strings.Join(k.Scopes, " "), k.Prefix, hash, k.MintedBy, millis(tx.Now))
}

const keyColumns = `
	select
		id,
		practice,
		label,
		scopes,
		prefix,
		minted_by,
		created_at,
		last_used_at,
		revoked_at
	from api_keys`

// KeyByHash returns the API key with the given hash. It returns ErrNotFound if there is no such
// key, or if the key is revoked. It needs no practice, because the key determines the practice.
func (v *View) KeyByHash(hash []byte) (APIKey, error) {
	k, err := first(all(v, keyColumns+` where hash = ? and revoked_at is null`, (*APIKey).scan, hash))
	if err == nil {
		err = errors.Join(v.grants("api_keys", k.ID), v.grants("practices", k.Practice))
	}
	return k, err
}

// inForce is the SQL condition that an API key (?3) of a practice (?2) isn't revoked. It is part of
// the statement that acts for the key, so the key can't be revoked between the check and the
// action.
const inForce = ` and exists (select 1 from api_keys where id = ?3 and practice = ?2 and revoked_at is null)`

// inForce returns ErrRevoked if the practice has no such API key or has revoked it. If key is 0,
// the caller acts without a key, and inForce returns nil.
func (tx *Tx) inForce(p PracticeID, key int64) error {
	if key == 0 {
		return nil
	}
	known := tx.owned[row{keyRow, p, key}]
	err := tx.owns(keyRow, p, key)
	if err == nil && !known {
		if err = tx.grants("api_keys", key); err != nil {
			delete(tx.owned, row{keyRow, p, key})
		}
	}
	return Translate(err, ErrNotFound, ErrRevoked)
}

// APIKeys returns the API keys of a practice, including revoked ones, in the order of their IDs.
func (v *View) APIKeys(p PracticeID) ([]APIKey, error) {
	return all(v, keyColumns+` where practice = ? order by id`, (*APIKey).scan, p)
}

// RevokeAPIKey revokes an API key of a practice, and turns off its webhook. It returns ErrNotFound
// if the practice has no such key, or if the key is already revoked.
func (tx *Tx) RevokeAPIKey(p PracticeID, id int64) error {
	delete(tx.owned, row{keyRow, p, id}) // later callers of this commit must check the key again
	err := found(tx.exec(`
		update api_keys set revoked_at = ?
		where id = ? and practice = ? and revoked_at is null`, millis(tx.Now), id, p))
	if err == nil {
		_, err = tx.EndWebhook(p, id)
	}
	return err
}

// PracticeOfKey returns the practice to which an API key belongs, for the operator's commands. It
// returns ErrNotFound if there is no such key.
func (v *View) PracticeOfKey(id int64) (PracticeID, error) {
	return only[PracticeID](v, `select practice from api_keys where id = ?`, id)
}

// TouchAPIKey records when an API key was last used.
func (tx *Tx) TouchAPIKey(p PracticeID, id int64, at time.Time) error {
	return tx.do(`update api_keys set last_used_at = ? where id = ? and practice = ? and revoked_at is null`, millis(at), id, p)
}

func (k *APIKey) scan(rows *sql.Rows) error {
	var scopes string
	err := rows.Scan(&k.ID, &k.Practice, &k.Label, &scopes, &k.Prefix, &k.MintedBy, asTime(&k.CreatedAt), asMaybeTime(&k.LastUsedAt), asMaybeTime(&k.RevokedAt))
	k.Scopes = strings.Fields(scopes)
	return err
}
