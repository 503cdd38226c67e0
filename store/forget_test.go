package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// newForgettable makes a practice with a row in every table that can hold one of a practice.
func newForgettable(t *testing.T, db *DB) *fixture {
	t.Helper()
	w := newFixture(t, db)
	raw(t, db, `insert into former_audit (practice, id, at, user, actor, action, object, address) values (?, 1, 0, ?, 'Olive', 'record.read', 'r', '')`, w.p, w.admin)
	raw(t, db, `insert into incoming (practice, digest, users_from, users_to, begun_at, finished_at) values (?, x'01', ?, ?, 0, 0)`, w.p, w.stranger, w.stranger)
	raw(t, db, `insert into recovery_codes (user, hash) values (?, x'01')`, w.admin)
	raw(t, db, `insert into passkeys (user, credential, public_key, sign_count, flags, name, created_at) values (?, ?, x'01', 0, 5, x'01', 0)`, w.admin, fmt.Appendf(nil, "credential %d", w.p))
	raw(t, db, `insert into prefills (handle, owner, sealed, created_at, used_at) values (?, ?, x'01', 0, 0)`, fmt.Appendf(nil, "handle %d", w.p), w.admin)
	raw(t, db, `insert into launches (state, browser, sealed, created_at) values (?, x'01', x'01', 0)`, fmt.Appendf(nil, "state %d", w.p))
	raw(t, db, `insert into audit (at, practice, user, actor, action, object, address, mac) values (0, null, ?, 'Olive', 'user.password', '', '', x'01')`, w.admin)
	raw(t, db, `insert into sso_links (provider, subject, user, linked_at) values (1, ?, ?, 0)`, fmt.Appendf(nil, "subject %d", w.p), w.admin)
	raw(t, db, `insert into sso_only (practice, provider, set_at) values (?, 1, 0)`, w.p)
	raw(t, db, `insert into second_factor_required (practice, set_at) values (?, 0)`, w.p)
	raw(t, db, `insert into ehr_expiries (ehr, day) select id, '2027-01-01' from ehrs where practice = ?`, w.p)
	update(t, db, func(tx *Tx) error {
		return errors.Join(
			tx.AddRefusal(w.p, Refusal{APIKey: w.key, Status: 403, Code: "forbidden"}),
			tx.AddImportPart(w.p, w.imported.ID, 1, []byte{1}),
			tx.AddExport(w.p, Export{Digest: []byte("second"), State: []byte("state")}),
		)
	})
	return w
}

// forgetAll deletes a practice to the end.
func forgetAll(t *testing.T, db *DB, p PracticeID) {
	t.Helper()
	code := func(id int64, before, mac []byte) string { return fmt.Sprintf("%d %x %x", id, before, mac) }
	for gone := false; !gone; {
		for stage := range ForgetStages {
			for more := true; more; {
				update(t, db, func(tx *Tx) (err error) {
					more, err = tx.ForgetRows(p, stage, code)
					return err
				})
			}
		}
		update(t, db, func(tx *Tx) (err error) {
			gone, err = tx.ForgetPractice(p)
			return err
		})
	}
}

// everyRow returns all rows of all tables, by table, as text.
func everyRow(t *testing.T, db *DB) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for table, columns := range tables(t, db.read) {
		columns = slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return c == "mac" }) // new at every writing
		all[table] = content(t, db.read, table, columns)
	}
	return all
}

// forgetLeaves lists the tables whose rows no stage deletes, each with the reason.
var forgetLeaves = map[string]string{
	"practices":        "its row goes last (ForgetPractice)",
	"sums":             "its row goes last (ForgetPractice)",
	"tallies":          "subtracted at once (Forget)",
	"month_counts":     "deleted at once (Forget)",
	"provider_counts":  "deleted at once (Forget)",
	"tally_totals":     "subtracted at once (Forget)",
	"tally_returns":    "subtracted at once (Forget)",
	"goqite":           "its message goes at once (Forget)",
	"launches":         "kept for minutes, without a practice: all go (ForgetPractice)",
	"audit_head":       "the installation's: the end of the chain",
	"seal_epochs":      "the installation's keys",
	"seal_recipients":  "the installation's keys",
	"seal_list":        "the installation's keys",
	"secrets":          "the installation's keys",
	"client_keys":      "the installation's keys",
	"certificates":     "the installation's",
	"sso_providers":    "the installation's: identity providers",
	"forgotten":        "the certificate",
	"goose_db_version": "the number of the schema",
	"sqlite_sequence":  "SQLite's own: no number is given twice",
}

// A table that a migration adds belongs to a practice or not: its author adds a row of it to the
// fixture and a stage, or says in forgetLeaves why there is none.
func TestAForgottenPracticeLeavesNoRowInAnyTable(t *testing.T) {
	db := opened(t)
	empty := everyRow(t, db)
	newForgettable(t, db)
	alone := everyRow(t, db)
	for table := range empty {
		if _, left := forgetLeaves[table]; !left {
			require.Greater(t, len(alone[table]), len(empty[table]), "give the fixture a row of %s and a stage, or name the table in forgetLeaves", table)
		}
	}
	first := PracticeID(1)
	update(t, db, func(tx *Tx) error { return tx.Forget(first, nil) })
	forgetAll(t, db, first)
	for table, rows := range everyRow(t, db) {
		if table != "audit" && table != "forgotten" && table != "ehrs" && table != "users" && table != "sso_providers" {
			require.Equal(t, empty[table], rows, table)
		}
	}
	for _, row := range everyRow(t, db)["audit"] {
		require.Contains(t, row, `NULL NULL '' 'erased'`)
	}
	for table := range forgetLeaves {
		if table != "goose_db_version" && table != "sqlite_sequence" {
			require.Contains(t, empty, table)
		}
	}
}

func TestForgettingAPracticeChangesNoRowOfAnother(t *testing.T) {
	db := opened(t)
	own := newForgettable(t, db)
	before := everyRow(t, db)
	gone := newForgettable(t, db)
	update(t, db, func(tx *Tx) error { return tx.Forget(gone.p, nil) })
	forgetAll(t, db, gone.p)
	after := everyRow(t, db)
	for table, rows := range before {
		switch table {
		case "audit", "forgotten", "launches", "prefills":
			continue
		}
		require.Equal(t, rows, after[table], table)
	}
	require.Equal(t, before["audit"], slices.DeleteFunc(after["audit"], func(row string) bool { return strings.Contains(row, "'erased'") }))
	_ = own
}

func TestAPracticeThatIsForgottenIsSeenByNobody(t *testing.T) {
	db := opened(t)
	w := newForgettable(t, db)
	update(t, db, func(tx *Tx) error { return tx.Forget(w.p, nil) })
	view(t, db, func(v *View) error {
		_, err := v.Practice(w.p)
		require.ErrorIs(t, err, ErrNotFound)
		all, err := v.Practices()
		require.NoError(t, err)
		require.Empty(t, all)
		_, err = v.KeyByHash([]byte(fmt.Sprint("hash of ", w.p)))
		require.ErrorIs(t, err, ErrNotFound)
		places, err := v.MembershipsOf(w.admin)
		require.NoError(t, err)
		require.Empty(t, places)
		waiting, err := v.Unfinished(w.p, 9)
		require.NoError(t, err)
		require.Empty(t, waiting)
		return nil
	})
	refuses := func(write func(tx *Tx) error) {
		t.Helper()
		require.ErrorIs(t, db.Update(write), ErrForgotten)
	}
	refuses(func(tx *Tx) error {
		return tx.AddAudit(Audit{Practice: w.p}, func(TrailHead, Audit, Audit) (mac, headMAC []byte) { return nil, nil })
	})
	refuses(func(tx *Tx) error { return tx.Advance(PracticeQueue{Practice: w.p}) })
	refuses(func(tx *Tx) error {
		_, err := tx.EndQueue(w.p)
		return err
	})
	refuses(func(tx *Tx) error { return tx.StepUndo(w.p, w.imported.ID, UndoStep{Ended: true}) })
	refuses(func(tx *Tx) error { // whatever would change a figure
		id, err := tx.NextRecordID()
		facts := birth.Facts{BirthMonth: "2026-03", Outcome: by(birth.Cesarean, true)}
		return errors.Join(err, tx.AddRecords(w.p, []Record{{ID: id, UUID: "late", State: birth.Active, Version: 1, Content: 1, Facts: facts}}))
	})
	require.ErrorIs(t, db.Update(func(tx *Tx) error { return tx.Forget(w.p, nil) }), ErrNotFound)
	update(t, db, func(tx *Tx) error {
		require.NoError(t, tx.RepairQueues())
		_, err := tx.ReceiveQueue()
		require.ErrorIs(t, err, ErrNotFound)
		return nil
	})
	forgetAll(t, db, w.p)
	refuses(func(tx *Tx) error { return tx.Start(w.p, 1) })
	refuses(func(tx *Tx) error { return tx.Finish(w.p, Ending{Ingestion: 1, Status: Completed}) })
	require.False(t, errors.Is(ErrNotFound, ErrForgotten))
}

// Deleting a row of a practice must not walk over the rows of others: SQLite looks for rows that
// refer to it.
func TestEveryReferenceToWhatIsForgottenHasAnIndex(t *testing.T) {
	db := opened(t)
	rows, err := db.read.Query(`
		select t.name, f."from", f."table" from pragma_table_list t join pragma_foreign_key_list(t.name) f
		where t.schema = 'main' and t.type = 'table'`)
	require.NoError(t, err)
	defer rows.Close() //nolint:errcheck // read to its end
	for rows.Next() {
		var table, column, parent string
		require.NoError(t, rows.Scan(&table, &column, &parent))
		// With an index of them, the query of the members' page for one user's would walk over all of a practice's.
		if parent == "practices" && slices.Contains([]string{"ehrs", "links", "sessions"}, table) { // the operator's few, and those of the last days
			continue
		}
		steps := strings.Join(plan(t, db, fmt.Sprintf(`select 1 from %s where %s = ?`, table, column)), "\n")
		require.NotContains(t, steps, "SCAN", "%s.%s refers to %s", table, column, parent)
	}
	require.NoError(t, rows.Err())
}
