package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// errUncounted means that a row isn't signed yet and therefore isn't part of any sum.
var errUncounted = errors.New("store: a row that is not signed yet")

// sumOf returns the sum of a row with its dependent rows, and the row's mac. It returns ErrNotFound
// if there is no such row, and errUncounted if the row isn't signed yet.
func (v *View) sumOf(k rowKey, mac *[]byte) (total sum, err error) {
	err = ErrNotFound
	queryErr := v.anyRows(len(k.table.columns), k.table.sql.row, func(row []any) error {
		err = nil
		*mac, _ = row[k.table.macAt].([]byte)
		if !k.table.counts(row) {
			err = errUncounted
		}
		total.add(v.signer.row(k.table, row))
		return nil
	}, k.args()...)
	if queryErr != nil { // not joined with err: an interrupted query isn't a missing row
		return sum{}, queryErr
	}
	if err != nil {
		return sum{}, err
	}
	for _, t := range k.table.below {
		err := v.anyRows(len(t.columns), t.sql.of, func(row []any) error {
			total.add(v.signer.row(t, row))
			return nil
		}, k.b)
		if err != nil {
			return sum{}, err
		}
	}
	return total, nil
}

// added holds the sums of all signed rows in a database.
type added struct {
	totals map[int64]totals // by practice
	// rows has, by table, the sum of the rows with a mac and their dependent rows. signed has
	// the sum of their macs. unsigned counts the invalid macs.
	rows, signed map[*signed]sum
	unsigned     map[*signed]int
}

// addUp reads every signed row and returns the sums. It keeps no row in memory.
func (v *View) addUp(ctx context.Context) (added, error) {
	a := added{map[int64]totals{}, map[*signed]sum{}, map[*signed]sum{}, map[*signed]int{}}
	err := v.signer.each(false, func(t *signed) error {
		return v.anyRows(len(t.columns)+1, t.sql.all, func(row []any) error {
			a.add(v.signer.codes, t, row)
			return ctx.Err()
		})
	})
	return a, err
}

// add adds a row to the sums. After the columns of the table, row has the ID of its practice.
func (a *added) add(c *codes, t *signed, row []any) {
	if !t.counts(row) {
		return
	}
	code := c.row(t, row[:len(t.columns)])
	practice, _ := row[len(t.columns)].(int64)
	if a.totals[practice] == nil {
		a.totals[practice] = totals{}
	}
	a.totals[practice].add(t.number, 1, code)
	top := t
	if t.within {
		top = t.up
	}
	if top.mac {
		all := a.rows[top]
		all.add(code)
		a.rows[top] = all
	}
	if !t.mac {
		return
	}
	mac, _ := row[t.macAt].([]byte)
	was, ok := c.openRow(t.keyOf(row), mac)
	if !ok {
		a.unsigned[t]++
		return
	}
	all := a.signed[t]
	all.add(was)
	a.signed[t] = all
}

// Damage describes the damaged rows of a practice in a table; practice 0 is the installation.
type Damage struct {
	Practice PracticeID
	Table    string
	// Rows is the number of rows that exist, and Written the number that the program wrote, or
	// -1 if that is unknown. Damaged counts the existing rows that fail verification, as far as
	// single rows can be verified.
	Rows, Written int64
	Damaged       int
}

func (d Damage) String() string {
	what := fmt.Sprintf("practice %d, %s", d.Practice, d.Table)
	switch {
	case d.Written < 0:
		return what + ": the totals that the program wrote are missing or damaged"
	case d.Rows != d.Written:
		return fmt.Sprintf("%s: %d rows, the program wrote %d", what, d.Rows, d.Written)
	case d.Damaged > 0:
		return fmt.Sprintf("%s: %d of %d rows are not as the program wrote them", what, d.Damaged, d.Rows)
	}
	return fmt.Sprintf("%s: some of %d rows are not as the program wrote them", what, d.Rows)
}

// DamageError is ErrDamaged with the practices and tables that are damaged.
type DamageError []Damage

func (e DamageError) Error() string {
	lines := make([]string, len(e))
	for i, d := range e {
		lines[i] = d.String()
	}
	return "store: the database holds rows that the program did not write, or that something else changed; restore the latest backup in which birthregistry check finds nothing wrong: " +
		strings.Join(lines, "; ")
}

// Unwrap returns ErrDamaged.
func (DamageError) Unwrap() error { return ErrDamaged }

// Verify reads every signed row and returns the practices and tables in which rows aren't as
// the program wrote them. If the key isn't known, it checks nothing.
func (v *View) Verify(ctx context.Context) ([]Damage, error) {
	if v.signer == nil {
		return nil, nil
	}
	is, err := v.addUp(ctx)
	if err != nil {
		return nil, err
	}
	was, err := v.sums()
	if err != nil {
		return nil, err
	}
	damage := map[damagedAt]*Damage{}
	for practice := range was {
		if is.totals[practice] == nil {
			is.totals[practice] = totals{}
		}
	}
	for practice, t := range is.totals {
		v.compare(practice, t, was[practice], damage)
	}
	if err := v.compareRows(ctx, is, damage); err != nil {
		return nil, err
	}
	all := make([]Damage, 0, len(damage))
	for _, d := range damage {
		all = append(all, *d)
	}
	slices.SortFunc(all, func(a, b Damage) int {
		return cmp.Or(cmp.Compare(a.Practice, b.Practice), cmp.Compare(a.Table, b.Table))
	})
	return all, nil
}

type damagedAt struct {
	practice int64
	table    string
}

// compare compares a practice's rows with the totals that the program wrote, and adds the
// differences to damage.
func (v *View) compare(practice int64, is totals, sealed []byte, damage map[damagedAt]*Damage) {
	was, ok := v.signer.openTotals(practice, sealed)
	if !ok {
		damage[damagedAt{practice, "sums"}] = &Damage{Practice: PracticeID(practice), Table: "sums", Written: -1}
		return
	}
	for n, t := range signedTables {
		if is[byte(n)] != was[byte(n)] {
			damage[damagedAt{practice, t.name}] = &Damage{Practice: PracticeID(practice), Table: t.name, Rows: is[byte(n)].rows, Written: was[byte(n)].rows}
		}
	}
}

// compareRows compares, for each table, the sum of the macs with the sum of the rows. If the
// sums differ, or a mac is invalid, it checks each row by itself and adds the damaged ones to
// damage.
func (v *View) compareRows(ctx context.Context, is added, damage map[damagedAt]*Damage) error {
	return v.signer.each(true, func(t *signed) error {
		if is.unsigned[t] == 0 && is.rows[t] == is.signed[t] {
			return nil
		}
		keys, macs, err := v.macs(t, t.sql.first, []any{-1})
		if err != nil {
			return err
		}
		for i, k := range keys {
			if err := ctx.Err(); err != nil {
				return err
			}
			var mac []byte
			total, err := v.sumOf(k, &mac)
			if errors.Is(err, errUncounted) {
				continue
			}
			if err != nil {
				return err
			}
			if signed, ok := v.signer.openRow(k, macs[i]); ok && signed == total {
				continue
			}
			var practice int64
			if err := v.one(t.sql.owner, k.args(), &practice, &mac); err != nil {
				return err
			}
			at := damagedAt{practice, t.name}
			if damage[at] == nil {
				damage[at] = &Damage{Practice: PracticeID(practice), Table: t.name, Rows: is.totals[practice][t.number].rows}
				damage[at].Written = damage[at].Rows
			}
			damage[at].Damaged++
		}
		return nil
	})
}
