package store

import (
	"errors"
	"log/slog"
)

// intact returns ErrDamaged if a signed row, or one of the rows that its code (the column mac)
// includes, isn't as the program wrote it. It returns ErrNotFound if there is no such row. It
// checks nothing if the installation's key isn't known or the row isn't signed yet.
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

// changed returns the difference that the current transaction has made to the signed sum of a row
// (signed.go). It also reports whether the transaction created the row. The sum itself is updated
// when the transaction commits.
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

// grants returns ErrNotFound if a row isn't as the program wrote it, so that such a row grants
// no right.
func (v *View) grants(table string, key ...any) error {
	return Translate(v.intact(table, key...), ErrDamaged, ErrNotFound)
}

// Shown returns a record that is about to be shown. It returns ErrNotFound if there is none,
// and ErrDamaged if the record, its participants or the practice's custom fields aren't as the
// program wrote them.
func (v *View) Shown(p PracticeID, uuid string) (Record, error) {
	r, err := v.RecordByUUID(p, uuid)
	if err == nil {
		err = v.intactRecord(p, r.ID)
	}
	return r, err
}

// intactRecord returns ErrDamaged if a record, its participants or the practice's custom fields
// aren't as the program wrote them.
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

// whole returns a DamageError unless a small table holds exactly the rows that the program
// wrote, for the installation and for each practice. It is called for tables in which a deleted
// row, if somebody put it back, would grant a right.
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

// wholeOf compares a practice's rows in a table with the total that the program wrote, and
// returns the damage if they differ.
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

// addNoted updates totals with the current transaction's changes of a practice's rows in a table,
// because the stored totals don't include these changes before the commit.
func (s *signer) addNoted(t *signed, practice int64, to totals) {
	for i := range s.noted {
		if c := &s.noted[i]; c.table == t && c.practice == practice {
			to.add(t.number, int64(c.rows), c.sum)
		}
	}
}
