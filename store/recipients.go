package store

import (
	"database/sql"
	"errors"
	"time"
)

// Recipient is the public half of a key that can open the database (app/seal).
type Recipient struct {
	Text     string    `json:"recipient"` // age1pq1…
	Recovery bool      `json:"recovery"`  // false for the installation's main key
	AddedAt  time.Time `json:"added_at"`
}

// SealingKeys holds the recipients for whom age headers are encrypted, and the numbers of headers.
// A header contains a file key, which opens sealed values. Behind is the number of headers that
// still have to be encrypted again for the present recipients.
type SealingKeys struct {
	Recipients []Recipient `json:"recipients"`
	Headers    int         `json:"headers"`
	Behind     int         `json:"headers_behind"` // headers that are encrypted for an earlier list of recipients
}

// Recipients returns the public keys for which headers are encrypted, starting with the
// installation's main key, and the number of this list. The list is empty before AdoptBox was
// called.
func (db *DB) Recipients() (list int64, texts []string, err error) {
	err = db.View(background, func(v *View) error {
		all, err := v.recipients()
		for _, r := range all {
			texts = append(texts, r.Text)
		}
		return errors.Join(err, v.one(`select number from seal_list where id = 1`, nil, &list))
	})
	return list, texts, err
}

// Box returns the public half of the installation's main key, or ErrNotFound. It may be called
// inside a View.
func (db *DB) Box() (recipient string, err error) {
	return Lookup(background, db, func(v *View) (string, error) {
		return only[string](v, `select recipient from seal_recipients where kind = 'box'`)
	})
}

// recipients returns the list of recipients. It returns a DamageError if somebody has tampered with
// the list, for example by putting back a key that was removed. Nothing is then encrypted for that
// key.
func (v *View) recipients() ([]Recipient, error) {
	if err := v.whole("seal_recipients"); err != nil {
		return nil, err
	}
	const query = `select recipient, kind = 'recovery', added_at from seal_recipients order by kind, added_at, recipient`
	return all(v, query, func(r *Recipient, rows *sql.Rows) error { return rows.Scan(&r.Text, &r.Recovery, asTime(&r.AddedAt)) })
}

// SealingKeys returns the recipients and the numbers of age headers.
func (db *DB) SealingKeys() (k SealingKeys, err error) {
	err = db.View(background, func(v *View) (err error) {
		if k.Recipients, err = v.recipients(); err != nil {
			return err
		}
		if err := v.one(`select count(*) from seal_epochs`, nil, &k.Headers); err != nil {
			return err
		}
		return v.one(`select count(*) from seal_epochs where list < (select number from seal_list where id = 1)`, nil, &k.Behind)
	})
	return k, err
}

// AdoptBox records the installation's main key if none is recorded yet. Existing headers are
// already encrypted for that key, so none has to be encrypted again.
func (db *DB) AdoptBox(recipient string) error {
	return db.Update(func(tx *Tx) error {
		return tx.do(`
			insert into seal_recipients (recipient, kind, added_at)
			select ?, 'box', ?
			where not exists (select 1 from seal_recipients where kind = 'box')`, recipient, millis(tx.Now))
	})
}

// SetBox replaces the installation's main key. If recipient is already the main key, it does
// nothing.
func (db *DB) SetBox(recipient string) error {
	return db.Update(func(tx *Tx) error {
		var same bool
		err := tx.one(`select exists (select 1 from seal_recipients where recipient = ? and kind = 'box')`, []any{recipient}, &same)
		if err != nil || same {
			return err
		}
		if err := tx.do(`delete from seal_recipients where kind = 'box'`); err != nil {
			return err
		}
		return tx.addRecipient(recipient, "box")
	})
}

// AddRecovery adds a recovery key to the recipients. It returns ErrConflict if the key is already
// one of them.
func (db *DB) AddRecovery(recipient string) error {
	return db.Update(func(tx *Tx) error { return tx.addRecipient(recipient, "recovery") })
}

func (tx *Tx) addRecipient(recipient, kind string) error {
	err := tx.do(`insert into seal_recipients (recipient, kind, added_at) values (?, ?, ?)`, recipient, kind, millis(tx.Now))
	return errors.Join(err, tx.nextList())
}

// RemoveRecovery removes a recovery key from the recipients. It returns ErrNotFound if the key
// isn't one of them.
func (db *DB) RemoveRecovery(recipient string) error {
	return db.Update(func(tx *Tx) error {
		if err := found(tx.exec(`delete from seal_recipients where recipient = ? and kind = 'recovery'`, recipient)); err != nil {
			return err
		}
		return tx.nextList()
	})
}

func (tx *Tx) nextList() error {
	return found(tx.exec(`update seal_list set number = number + 1 where id = 1`))
}

// EpochsBehind returns up to limit age headers that were encrypted for a list of recipients before
// the given list, in the order of their numbers. after is the number of the last header that the
// caller has seen, or 0.
func (db *DB) EpochsBehind(list, after int64, limit int) (ids []int64, headers [][]byte, err error) {
	err = db.View(background, func(v *View) error {
		return pairs(v, `select id, header from seal_epochs where list < ? and id > ? order by id limit ?`, func(id int64, header []byte) {
			ids, headers = append(ids, id), append(headers, header)
		}, list, after, limit)
	})
	return ids, headers, err
}

// CountBehind returns the number of age headers that were encrypted for a list of recipients before
// the given list.
func (db *DB) CountBehind(list int64) (int, error) {
	return Read(background, db, func(v *View) (int, error) {
		return only[int](v, `select count(*) from seal_epochs where list < ?`, list)
	})
}

// RewrapEpochs replaces age headers, either all of them or none. list is the number of the list of
// recipients for whom they are encrypted. If that list is no longer current, RewrapEpochs returns
// ErrConflict.
func (db *DB) RewrapEpochs(list int64, ids []int64, headers [][]byte) error {
	return db.Update(func(tx *Tx) error {
		if err := tx.onList(list); err != nil {
			return err
		}
		for i, id := range ids {
			if err := found(tx.exec(`update seal_epochs set header = ?, list = ? where id = ?`, headers[i], list, id)); err != nil {
				return err
			}
		}
		return nil
	})
}

// onList returns ErrConflict unless list is the number of the present list of recipients.
func (tx *Tx) onList(list int64) error {
	var current int64
	err := tx.one(`select number from seal_list where id = 1`, nil, &current)
	if err == nil && current != list {
		return ErrConflict
	}
	return err
}
