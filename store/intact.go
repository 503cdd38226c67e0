package store

import (
	"errors"
	"log/slog"
)

// intact returns ErrDamaged unless a signed row is as the program wrote it. If the mac of the row
// covers dependent rows, intact checks these rows, too. It returns ErrNotFound if there is no such
// row. It checks nothing if the installation's key isn't known, or if the row isn't signed yet.
func (v *View) intact(table string, key ...any) error {
	if v.signer == nil {
		return nil
	}
	t := v.signer.tables[table]
	k := rowKey{table: t}
	for _, part := range key {
		if p, ok := part.(PracticeID); ok {
			part = int64(p)
		}
		k.push(part)
	}
	var mac []byte
	total, err := v.sumOf(k, &mac)
	if errors.Is(err, errUncounted) && mac == nil {
		return nil
	}
	if err != nil && !errors.Is(err, errUncounted) {
		return err
	}
	signed, ok := v.signer.openRow(k, mac)
	if v.writing {
		changed, born := v.signer.changed(k)
		signed.add(changed)
		ok = ok || born
	}
	if !ok || signed != total {
		return damagedRow(k)
	}
	return nil
}

// changed returns the difference that the current transaction will add to the signed sum of a row
// (signed.go) when it commits. born reports whether the transaction created the row.
func (s *signer) changed(k rowKey) (all sum, born bool) {
	for i := range s.noted {
		c := &s.noted[i]
		if c.group != k || !c.table.mac && !c.table.within {
			continue
		}
		if c.table == k.table && c.rows != 0 {
			born = c.rows > 0
		}
		all.add(c.sum)
	}
	return all, born
}

// grants returns ErrNotFound unless a row is as the program wrote it. A row that somebody has
// altered therefore grants no rights.
func (v *View) grants(table string, key ...any) error {
	return Translate(v.intact(table, key...), ErrDamaged, ErrNotFound)
}

// Shown returns a record that is about to be shown. It returns ErrNotFound if there is no such
// record. It returns ErrDamaged unless the record, its participants and the practice's custom
// fields are as the program wrote them.
func (v *View) Shown(p PracticeID, uuid string) (Record, error) {
	r, err := v.RecordByUUID(p, uuid)
	if err == nil {
		err = v.intactRecord(p, r.ID)
	}
	return r, err
}

// intactRecord returns ErrDamaged unless a record, its participants and the practice's custom
// fields are as the program wrote them.
func (v *View) intactRecord(p PracticeID, record int64) error {
	if v.signer == nil {
		return nil
	}
	if err := v.intact("records", record); err != nil {
		return err
	}
	for table, query := range map[string]string{
		"providers": `
			with took_part (id) as (
				select a.provider
				from records r
				join attributions a on a.record = r.id
				where r.id = ?1 and r.practice = ?2
			)
			select id from took_part
			union
			select s.survivor from took_part p join providers s on s.id = p.id where s.survivor is not null`,
		"custom_fields": `select id from custom_fields where practice = ?2 and exists (select 1 from custom_values where record = ?1)`,
	} {
		ids, err := all(v, query, value[int64], record, p)
		if err != nil {
			return err
		}
		for _, id := range ids {
			err := v.intact(table, id)
			if errors.Is(err, ErrNotFound) { // a participant was removed
				err = damagedRow(rowKey{table: v.signer.tables[table], b: id})
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// whole returns a DamageError unless a small table holds exactly the rows that the program wrote,
// for the installation and for each practice. It is used for tables in which a deleted row would
// grant a right again if somebody put it back.
func (v *View) whole(table string) error {
	if v.signer == nil {
		return nil
	}
	t := v.signer.tables[table]
	is := map[int64]total{0: {}}
	err := v.anyRows(len(t.columns)+1, t.sql.all, func(row []any) error {
		practice, _ := row[len(t.columns)].(int64)
		of := is[practice]
		of.rows++
		of.sum.add(v.signer.row(t, row[:len(t.columns)]))
		is[practice] = of
		return nil
	})
	if err != nil {
		return err
	}
	for practice, of := range is {
		if err := v.wholeOf(t, practice, of); err != nil {
			return err
		}
	}
	return nil
}

// wholeOf compares a practice's rows in a table with the totals that the program has stored, and
// returns a DamageError if they differ.
func (v *View) wholeOf(t *signed, practice int64, is total) error {
	sealed, err := v.sealedTotals(practice)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	damage := Damage{Practice: PracticeID(practice), Table: t.name, Rows: is.rows, Written: -1}
	if all, ok := v.signer.openTotals(practice, sealed); ok {
		if v.writing {
			v.signer.addNoted(t, practice, all)
		}
		if all[t.number] == is {
			return nil
		}
		damage.Written = all[t.number].rows
	}
	err = DamageError{damage}
	slog.Error(err.Error())
	return err
}

// addNoted adds the current transaction's changes to the totals of a practice's rows in a table,
// because the stored totals don't include these changes until the transaction commits.
func (s *signer) addNoted(t *signed, practice int64, to totals) {
	for i := range s.noted {
		if c := &s.noted[i]; c.table == t && c.practice == practice {
			to.add(t.number, int64(c.rows), c.sum)
		}
	}
}
