package store

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// endless is a query that runs until it is stopped.
const endless = `with recursive n (x) as (select 1 union all select x + 1 from n) select count(*) from n`

func TestAQueryEndsWhenItsCallerLeaves(t *testing.T) {
	db := opened(t)
	for _, query := range []string{
		endless,
		`with recursive n (x) as (select 1 union all select x + 1 from n) select x from n`, // row by row
	} {
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, leave)
		begun, after := 0, 0
		err := db.View(ctx, func(v *View) error {
			err := v.each(query, func(rows *sql.Rows) error {
				begun++
				return nil
			})
			require.ErrorIs(t, err, context.Canceled)
			return v.one(`select 1`, nil, &after)
		})
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, after, "no further statement begins")
	}
	require.ErrorIs(t, db.View(ended(t), func(*View) error { return nil }), context.Canceled)
	_, err := Lookup(ended(t), db, func(v *View) (int, error) { return only[int](v, `select 1`) })
	require.ErrorIs(t, err, context.Canceled)
}

func ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// A connection made later would no longer find a file that was moved away. So an interrupted
// connection must be kept, not closed.
func TestAnInterruptedConnectionIsKeptAndCanReadAgain(t *testing.T) {
	db := opened(t)
	const mark = 1234
	eachReader(t, db, func(conn *sql.Conn) {
		_, err := conn.ExecContext(t.Context(), `pragma cache_size = 1234`)
		require.NoError(t, err)
	})
	for range 3 * readers {
		ctx, leave := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Millisecond, leave)
		require.ErrorIs(t, db.View(ctx, func(v *View) error { return v.one(endless, nil, new(int)) }), context.Canceled)
	}
	eachReader(t, db, func(conn *sql.Conn) {
		size := 0
		require.NoError(t, conn.QueryRowContext(t.Context(), `pragma cache_size`).Scan(&size))
		require.Equal(t, mark, size, "it is the connection that was opened first")
	})
}

// eachReader calls visit with every connection of the reading pool.
func eachReader(t *testing.T, db *DB, visit func(*sql.Conn)) {
	t.Helper()
	for range readers {
		conn, err := db.read.Conn(t.Context())
		require.NoError(t, err)
		defer conn.Close() //nolint:errcheck // returns to the pool after all were visited
		visit(conn)
	}
}
