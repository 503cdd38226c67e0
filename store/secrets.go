package store

import "errors"

// PutEpoch stores an age header that is wrapped to the list of recipients with the given
// number, and returns the header's number (app/seal). It returns ErrConflict if the list has
// changed in the meantime. The caller must not use the header then.
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

// Epoch returns an age header, or ErrNotFound. It may be called inside a View, to open that
// View's values.
func (db *DB) Epoch(id int64) (header []byte, err error) {
	return Lookup(background, db, func(v *View) ([]byte, error) {
		return only[[]byte](v, `select header from seal_epochs where id = ?`, id)
	})
}

// PutSecret stores a sealed secret of the installation. It returns ErrConflict if the name
// is taken.
func (db *DB) PutSecret(name string, sealed []byte) error {
	return db.Update(func(tx *Tx) error {
		return tx.do(`insert into secrets (name, sealed, created_at) values (?, ?, ?)`, name, sealed, millis(tx.Now))
	})
}

// SetSecret stores a sealed secret of the installation, and replaces any with the same name.
func (db *DB) SetSecret(name string, sealed []byte) error {
	return db.Update(func(tx *Tx) error {
		return tx.do(`
			insert into secrets (name, sealed, created_at) values (?1, ?2, ?3)
			on conflict (name) do update set sealed = ?2, created_at = ?3`, name, sealed, millis(tx.Now))
	})
}

// Secret returns a sealed secret, or ErrNotFound. It may be called inside a View.
func (db *DB) Secret(name string) (sealed []byte, err error) {
	return Lookup(background, db, func(v *View) ([]byte, error) {
		return only[[]byte](v, `select sealed from secrets where name = ?`, name)
	})
}

// Missing reports whether err means that there is no such row.
func (db *DB) Missing(err error) bool { return errors.Is(err, ErrNotFound) }

// Outdated reports whether err means that something has changed in the meantime or already
// exists.
func (db *DB) Outdated(err error) bool { return errors.Is(err, ErrConflict) }
