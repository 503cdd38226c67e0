package store

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// newLaden makes a practice in which one thing of every kind has many rows, and many things have
// some.
func newLaden(t *testing.T, db *DB) *fixture {
	t.Helper()
	w := newForgettable(t, db)
	const digits = `with recursive n (n) as (select 1 union all select n + 1 from n where n < ?2) `
	for range 40 {
		r := addRecord(t, db, w.p, fmt.Sprint("with many ", w.p, asked(t, db, `select count(*) from records`)))
		raw(t, db, digits+`insert into providers (practice, identity, sealed, name, credentials, role, created_at, updated_at)
			select ?1, cast('p' || n as blob), x'01', 'P', '', 'midwife', 0, 0 from n where true on conflict do nothing`, w.p, 200)
		raw(t, db, `insert into attributions (record, version, provider, attending)
			select ?2, 1, id, 0 from providers where practice = ?1 and cast(identity as text) glob 'p*'`, w.p, r.ID)
	}
	for _, insert := range []string{
		`insert into versions (record, version, content, change, source, created_at) select ?1, n + 10, 1, 'amend', 'manual', 0 from n`,
		`insert into custom_values (record, version, sealed) select ?1, n + 10, x'01' from n`,
		`insert into attributions (record, version, provider, attending) select ?1, n + 10, ` + fmt.Sprint(w.provider.ID) + `, 0 from n`,
		`insert into fingerprints (practice, live, print, record) select ` + fmt.Sprint(w.p) + `, 1, cast(n as blob), ?1 from n`,
		`insert into names (practice, word, record) select ` + fmt.Sprint(w.p) + `, cast(n as blob), ?1 from n`,
		`insert into undo_kept (import, item, record, reason) select ` + fmt.Sprint(w.undone.ID) + `, n + 10, ?1, 'changed' from n`,
	} {
		raw(t, db, digits+insert, w.record.ID, 1500)
	}
	raw(t, db, digits+`insert into provider_log (provider, name, credentials, role, at) select ?1, 'P', '', 'midwife', 0 from n`, w.doula, 1500)
	raw(t, db, digits+`insert into provider_log (provider, name, credentials, role, at, kind, other)
		select (select min(id) from providers where practice = `+fmt.Sprint(w.p)+` and id > ?1), 'P', '', 'midwife', 0, 'merge', ?1 from n`, w.doula, 1500)
	raw(t, db, digits+`insert into provider_names (practice, name, provider) select `+fmt.Sprint(w.p)+`, 'n' || n, ?1 from n`, w.doula, 1500)
	raw(t, db, digits+`insert into ledger (ingestion, first, next, accepted, rejected, sealed) select ?1, n + 10, n + 11, 1, 0, x'01' from n`, w.ingestion.ID, 1500)
	for _, entry := range []string{`?1, null, 'record.read', 'r'`, `null, ` + fmt.Sprint(w.admin) + `, 'user.password', 'own'`, `null, null, 'user.failed', (select email from users where id = ` + fmt.Sprint(w.admin) + `)`} {
		raw(t, db, digits+`insert into audit (at, practice, user, action, object, actor, address, mac) select 0, `+entry+`, '', '', x'01' from n where ?1`, w.p, 1500)
	}
	return w
}

// Deleting a practice must hold nobody up: what it costs is counted in rows, not by the clock.
func TestATransactionThatForgetsAPracticeChangesFewRows(t *testing.T) {
	t.Parallel()
	db := opened(t)
	w := newLaden(t, db)
	update(t, db, func(tx *Tx) error { return tx.Forget(w.p, nil) })
	code := func(int64, []byte, []byte) string { return "" }
	most, all := 0, 0
	for stage := range ForgetStages {
		for more := true; more; {
			var before, after int
			update(t, db, func(tx *Tx) (err error) {
				if before, err = only[int](&tx.View, `select total_changes()`); err != nil {
					return err
				}
				if more, err = tx.ForgetRows(w.p, stage, code); err != nil {
					return err
				}
				after, err = only[int](&tx.View, `select total_changes()`)
				return err
			})
			require.LessOrEqual(t, after-before, forgetWeight+1, "stage %d, and the certificate", stage)
			most, all = max(most, after-before), all+after-before
		}
	}
	require.Greater(t, all, 40*200+10*1500)
	require.Greater(t, most, forgetWeight/3, "in so few transactions as the bound allows")
	gone := false
	update(t, db, func(tx *Tx) (err error) {
		gone, err = tx.ForgetPractice(w.p)
		return err
	})
	require.True(t, gone)
}
