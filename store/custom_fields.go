package store

import (
	"database/sql"
	"errors"

	"github.com/go-json-experiment/json"

	"birthregistry/app/birth"
)

// CustomFields returns a practice's custom fields, including retired ones, in the order that the
// practice has set.
func (v *View) CustomFields(p PracticeID) ([]birth.CustomField, error) {
	return all(v, `
		select
			id,
			key,
			label,
			kind,
			options,
			retired_at is not null
		from custom_fields
		where practice = ?
		order by position, id`, func(f *birth.CustomField, rows *sql.Rows) error {
		var options string
		if err := rows.Scan(&f.ID, &f.Key, &f.Label, &f.Kind, &options, &f.Retired); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(options), &f.Options); err != nil {
			return errors.New("store: the choices of a custom field are damaged")
		}
		return nil
	}, p)
}

// AddCustomField adds a custom field after the practice's other fields, and returns its ID. It
// returns ErrConflict if the practice already has a field with the same key.
func (tx *Tx) AddCustomField(p PracticeID, f birth.CustomField) (int64, error) {
	options := f.Options
	if options == nil {
		options = []string{}
	}
	doc, err := json.Marshal(options)
	if err != nil {
		return 0, errors.New("store: choices cannot be written as JSON")
	}
	return tx.insert(`
		insert into custom_fields (practice, key, label, kind, options, position, created_at)
		select
			?1, ?2, ?3, ?4, ?5,
			1 + coalesce((select position from custom_fields where practice = ?1 order by position desc limit 1), 0),
			?6`,
		p, f.Key, f.Label, f.Kind, string(doc), millis(tx.Now))
}

// RelabelCustomField changes a field's label. It returns ErrNotFound if the practice has no such
// field.
func (tx *Tx) RelabelCustomField(p PracticeID, id int64, label string) error {
	return found(tx.exec(`update custom_fields set label = ? where id = ? and practice = ?`, label, id, p))
}

// RetireCustomField removes a custom field from the form. If retired is false, it returns the field
// to the form. The records keep the field's values. It returns ErrNotFound if the practice has no
// such field.
func (tx *Tx) RetireCustomField(p PracticeID, id int64, retired bool) error {
	var at any
	if retired {
		at = millis(tx.Now)
	}
	return found(tx.exec(`update custom_fields set retired_at = ? where id = ? and practice = ?`, at, id, p))
}

// OrderCustomFields puts custom fields into the order of ids. It returns ErrNotFound if the
// practice doesn't have one of the fields.
func (tx *Tx) OrderCustomFields(p PracticeID, ids []int64) error {
	for n, id := range ids {
		if err := found(tx.exec(`update custom_fields set position = ? where id = ? and practice = ?`, n+1, id, p)); err != nil {
			return err
		}
	}
	return nil
}
