package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestExpiredReceiptsAndRefusalsAreGoneFromTheFiles(t *testing.T) {
	db := opened(t)
	p := addPractice(t, db)
	const secret = "CNRY-outcome-of-a-mother"
	var i Ingestion
	key := keyed(t, db, p)
	update(t, db, func(tx *Tx) error {
		id, _, err := tx.Accept(p, NewIngestion{APIKey: key, PublicID: "one", Idempotency: []byte("once"), Parts: [][]byte{{1}}})
		if err == nil {
			i, err = tx.Ingestion(p, id)
		}
		return err
	})
	finish(t, db, p, i, Ending{Status: Completed, Outcome: []byte(secret)})
	sweep := func(before time.Time) (n int64) {
		update(t, db, func(tx *Tx) (err error) {
			n, err = tx.SweepReceipts(before)
			return err
		})
		return n
	}
	require.Zero(t, sweep(time.Now().Add(-ReceiptsKeptFor)), "it is young")
	require.NotEmpty(t, holds(t, db, []byte(secret)))
	require.EqualValues(t, 1, sweep(time.Now().Add(time.Second)))
	require.Zero(t, sweep(time.Now().Add(time.Second)), "once is enough")
	clean, err := db.TruncateWAL(t.Context())
	require.NoError(t, err)
	require.True(t, clean)
	require.Empty(t, holds(t, db, []byte(secret)))
	require.NoError(t, db.Check(t.Context(), func(check, problem string) { require.Empty(t, problem, check) }))
	view(t, db, func(v *View) error {
		_, err := v.Replay(p, key, []byte("once"))
		require.ErrorIs(t, err, ErrNotFound, "its Idempotency-Key is free again")
		return nil
	})
}
