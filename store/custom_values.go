package store

// CustomValues holds the sealed values of a record's custom fields. They apply from this version
// on, until a later version has other values.
type CustomValues struct {
	Record  int64
	Version int
	Sealed  []byte
}

// SetCustomValues stores values of custom fields. Each CustomValues names the version from which it
// applies. SetCustomValues returns ErrNotFound if a record doesn't belong to the practice.
func (tx *Tx) SetCustomValues(p PracticeID, all []CustomValues) error {
	values := make([]any, 0, 3*len(all))
	for _, c := range all {
		if err := tx.owns(recordRow, p, c.Record); err != nil {
			return err
		}
		values = append(values, c.Record, c.Version, c.Sealed)
	}
	return tx.bulk(`custom_values (record, version, sealed)`, values)
}

// CustomValuesAt returns the values of a record's custom fields as of a version. It returns the
// zero value if there were none.
func (v *View) CustomValuesAt(p PracticeID, record int64, version int) (c CustomValues, err error) {
	err = v.one(`
		select c.record, c.version, c.sealed
		from custom_values c
		join records r on r.id = c.record
		where c.record = ? and c.version <= ? and r.practice = ?
		order by c.version desc
		limit 1`, []any{record, version, p}, &c.Record, &c.Version, &c.Sealed)
	return c, ignore(err, ErrNotFound)
}
