package store

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"time"
)

// query returns the prepared statement for an SQL text, and the context in which to run it.
func (v *View) query(text string) (*sql.Stmt, context.Context, error) {
	if err := v.ctx.Err(); err != nil {
		return nil, nil, err
	}
	if v.tx == nil {
		stmt, err := v.pool.of(text)
		return stmt, background, err
	}
	stmt, err := v.tx.stmt(text)
	return stmt, v.ctx, err
}

// each runs a query, and calls scan for every row.
func (v *View) each(query string, scan func(*sql.Rows) error, args ...any) error {
	stmt, ctx, err := v.query(query)
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return decode(err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err returns the error
	for rows.Next() {
		if err := scan(rows); err != nil {
			return decode(err)
		}
	}
	return decode(rows.Err())
}

// one runs a query for a single row, and scans the row into dest. It returns ErrNotFound if there
// is no row.
func (v *View) one(query string, args []any, dest ...any) error {
	stmt, ctx, err := v.query(query)
	if err != nil {
		return err
	}
	return decode(stmt.QueryRowContext(ctx, args...).Scan(dest...))
}

// only runs a query for a single value, and returns the value. It returns ErrNotFound if there is
// no row.
func only[T any](v *View, query string, args ...any) (value T, err error) {
	err = v.one(query, args, &value)
	return value, err
}

// all runs a query, and returns its rows. scan reads one row.
func all[T any](v *View, query string, scan func(*T, *sql.Rows) error, args ...any) (list []T, err error) {
	err = v.each(query, func(rows *sql.Rows) error {
		var empty T
		list = append(list, empty)
		return scan(&list[len(list)-1], rows)
	}, args...)
	return list, err
}

// first returns the first item of a list. It returns ErrNotFound if the list is empty, and err if
// that isn't nil.
func first[T any](list []T, err error) (item T, _ error) {
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return item, err
	}
	return list[0], nil
}

// pairs runs a query for rows of two values, and calls visit for every row.
func pairs[A, B any](v *View, query string, visit func(A, B), args ...any) error {
	return v.each(query, func(rows *sql.Rows) error {
		var a A
		var b B
		err := rows.Scan(&a, &b)
		visit(a, b)
		return err
	}, args...)
}

// anyRows runs a query for rows with the given number of columns, and calls visit for every row. A
// row holds the values as SQLite returns them. It is valid only until visit returns.
func (v *View) anyRows(columns int, query string, visit func(row []any) error, args ...any) error {
	row, into := make([]any, columns), make([]any, columns)
	for i := range row {
		into[i] = &row[i]
	}
	return v.each(query, func(rows *sql.Rows) error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		return visit(row)
	}, args...)
}

// value scans a row of one column.
func value[T any](v *T, rows *sql.Rows) error { return rows.Scan(v) }

// ignore returns nil if err is the expected error. Otherwise it returns err unchanged.
func ignore(err, expected error) error { return Translate(err, expected, nil) }

// beforeID returns the ID below which a page begins. That is id, or the highest possible ID if id
// is 0.
func beforeID(id int64) int64 {
	if id == 0 {
		return math.MaxInt64
	}
	return id
}

// Times are stored in milliseconds since 1970 in UTC, except source stamps, which are stored in
// nanoseconds.

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func millis(t time.Time) int64 { return t.UnixMilli() }

// asTime returns a scanner that reads a stored time into t. It reads null as the zero time.
func asTime(t *time.Time) sql.Scanner { return (*storedTime)(t) }

// asMaybeTime returns a scanner that reads a stored time into t. It reads null as nil.
func asMaybeTime(t **time.Time) sql.Scanner { return maybeTime{t} }

// asStamp returns a scanner that reads a stored source stamp into t. It reads null as the zero
// time.
func asStamp(t *time.Time) sql.Scanner { return (*storedStamp)(t) }

type (
	storedTime  time.Time
	storedStamp time.Time
	maybeTime   struct{ to **time.Time }
)

func (t *storedTime) Scan(stored any) error {
	ms, ok := stored.(int64)
	if ok {
		*t = storedTime(fromMillis(ms))
	}
	return timeError(stored, ok)
}

func (t *storedStamp) Scan(stored any) error {
	ns, ok := stored.(int64)
	if ok {
		*t = storedStamp(time.Unix(0, ns).UTC())
	}
	return timeError(stored, ok)
}

func (t maybeTime) Scan(stored any) error {
	ms, ok := stored.(int64)
	if ok {
		then := fromMillis(ms)
		*t.to = &then
	}
	return timeError(stored, ok)
}

// timeError returns an error if a stored time is neither null nor a number. number says whether
// stored is a number.
func timeError(stored any, number bool) error {
	if number || stored == nil {
		return nil
	}
	return errors.New("store: a stored time is not a number")
}
