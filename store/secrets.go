package store

import "errors"

// PutEpoch stores an age header and returns its number (app/seal). list is the number of the list
// of recipients for whom the header is encrypted. PutEpoch returns ErrConflict if that list is no
// longer current. In that case, the caller must not use the header.
func (db *DB) PutEpoch(header []byte, list int64) (id int64, err error) {
	err = db.Update(func(tx *Tx) error {
		if err := tx.onList(list); err != nil {
			return err
		}
		id, err = tx.insert(`insert into seal_epochs (header, created_at, list) values (?, ?, ?)`, header, millis(tx.Now), list)
		return err
	})
	return id, err
}

// Epoch returns the age header with the given number, or ErrNotFound. It may be called inside a
// View, for example to decrypt values that the View has read.
func (db *DB) Epoch(id int64) (header []byte, err error) {
	return Lookup(background, db, func(v *View) ([]byte, error) {
		return only[[]byte](v, `select header from seal_epochs where id = ?`, id)
	})
}

// PutSecret stores a sealed secret of the installation under a name. It returns ErrConflict if the
// name is taken.
func (db *DB) PutSecret(name string, sealed []byte) error {
	return db.Update(func(tx *Tx) error {
		return tx.do(`insert into secrets (name, sealed, created_at) values (?, ?, ?)`, name, sealed, millis(tx.Now))
	})
}

// SetSecret stores a sealed secret of the installation under a name. It replaces a secret that
// already has this name.
func (db *DB) SetSecret(name string, sealed []byte) error {
	return db.Update(func(tx *Tx) error {
		return tx.do(`
			insert into secrets (name, sealed, created_at) values (?1, ?2, ?3)
			on conflict (name) do update set sealed = ?2, created_at = ?3`, name, sealed, millis(tx.Now))
	})
}

// Secret returns the sealed secret with the given name, or ErrNotFound. It may be called inside a
// View.
func (db *DB) Secret(name string) (sealed []byte, err error) {
	return Lookup(background, db, func(v *View) ([]byte, error) {
		return only[[]byte](v, `select sealed from secrets where name = ?`, name)
	})
}

// Missing reports whether err means that a row doesn't exist.
func (db *DB) Missing(err error) bool { return errors.Is(err, ErrNotFound) }

// Outdated reports whether err means that something already exists, or has changed since the caller
// read it.
func (db *DB) Outdated(err error) bool { return errors.Is(err, ErrConflict) }
