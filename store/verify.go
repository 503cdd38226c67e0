package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// errUncounted means that a row isn't signed yet, so no sum includes it.
var errUncounted = errors.New("store: a row that is not signed yet")

// sumOf returns the sum of the codes of a row and its dependent rows, and sets mac to the row's
// mac. It returns ErrNotFound if there is no such row, and errUncounted if the row isn't signed
// yet.
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
	if queryErr != nil { // not joined with err, because an interrupted query doesn't mean that the row is missing
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

// added holds the sums over all signed rows of a database.
type added struct {
	totals map[int64]totals // keyed by practice
	// rows holds, by table, the sum of the codes of rows with a mac and of their dependent rows.
	// signed holds the sum of the values in these macs. unsigned holds the number of invalid macs.
	rows, signed map[*signed]sum
	unsigned     map[*signed]int
}

// addUp reads every signed row, and returns the sums over all rows. It keeps no row in memory.
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

// add adds a row to the sums. row holds the columns of the table, followed by the ID of the row's
// practice.
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

// Damage describes the damaged rows of a practice in one table. Practice is 0 for rows of the
// installation.
type Damage struct {
	Practice PracticeID
	Table    string
	// Rows is the number of rows that exist. Written is the number of rows that the program has
	// written, or -1 if that isn't known. Damaged is the number of existing rows that are known to
	// be damaged; in some tables, single rows can't be verified.
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

// DamageError lists the practices and tables with damaged rows. It wraps ErrDamaged.
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

// Verify reads every signed row, and returns the practices and tables in which rows aren't as the
// program wrote them. If the installation's key isn't known, it checks nothing.
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

// compare compares the rows of a practice with the totals that the program has stored, and adds the
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

// compareRows compares, for each table, the sum in the macs with the sum of the rows' codes. If the
// sums differ, or if a mac is invalid, it checks each row separately, and adds the damaged rows to
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
