package store

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// fixture is a practice with a row in every table.
type fixture struct {
	*DB
	p                 PracticeID
	key               int64
	ingestion         Ingestion // in progress, with a ledger
	record            Record
	merged            Record // into record
	print             birth.Fingerprint
	provider          Provider
	doula             int64 // a provider who took part in no birth yet
	admin             int64 // a member of the practice
	stranger, invited int64 // a person who is not a member
	identity          int64 // the installation's identity provider

	field, second       int64 // the practice's custom fields
	review, mergeReview int64
	similar             Record // a possible duplicate of record
	other               Record // marked as not a duplicate of record
	imported            Import
	undone              Import // being undone
	draft               string // the draft's token
	tombstone           int64  // of a birth that was erased, and sent again
	notified            int64  // an ingestion whose end waits to be delivered
	notice              string // its public id
}

func newFixture(t testing.TB, db *DB) *fixture {
	t.Helper()
	w := &fixture{DB: db, p: addPractice(t, db), print: birth.Fingerprint{1, 2, 3}}
	w.record = addRecord(t, db, w.p, "chart 1")
	w.record.Facts.BirthMonth = "2026-03"
	update(t, db, func(tx *Tx) error { return tx.UpdateRecord(w.p, w.record) })
	w.merged = addRecord(t, db, w.p, "chart 2")
	w.similar, w.other = addRecord(t, db, w.p, "chart 3"), addRecord(t, db, w.p, "chart 4")
	raw(t, db, `insert into audit (practice, at, actor, action, object, address, mac)
		values (?, 0, 'Carla', 'record.amend', 'object', '', x'')`, w.p)
	raw(t, db, `insert into audit (practice, at, actor, action, object, address, mac)
		values (?, 0, 'Carla', 'record.export', '2 records', '', x'')`, w.p)
	raw(t, db, `update records set state = 'merged', suspected_duplicate = 1, merged_into = ? where id = ?`, w.record.ID, w.merged.ID)
	raw(t, db, `update records set replaced = 1 where id = ?`, w.record.ID)
	raw(t, db, `update records set fingerprinted = null where id = ?`, w.similar.ID)
	update(t, db, func(tx *Tx) (err error) {
		if w.key, err = tx.AddAPIKey(w.p, APIKey{Label: "nightly"}, []byte(fmt.Sprint("hash of ", w.p))); err != nil {
			return err
		}
		id, _, err := tx.Accept(w.p, NewIngestion{
			PublicID: uuid.NewString(), APIKey: w.key, Idempotency: []byte("idempotency"), Parts: [][]byte{[]byte("part")},
		})
		if err != nil {
			return err
		}
		if w.ingestion, err = tx.Ingestion(w.p, id); err != nil {
			return err
		}
		w.provider = Provider{Identity: []byte("identity"), Sealed: []byte("sealed"), Name: "Lindqvist", Role: birth.RoleMidwife}
		if w.provider.ID, err = tx.AddProvider(w.p, w.provider, "2026-01"); err != nil {
			return err
		}
		if w.doula, err = tx.AddProvider(w.p, Provider{Identity: []byte("doula"), Sealed: []byte("sealed"), Role: birth.RoleDoula}, ""); err != nil {
			return err
		}
		_, due := tx.exec(`insert into names_due (record) values (?)`, w.record.ID)
		return errors.Join(
			due,
			tx.Start(w.p, w.ingestion.ID),
			tx.Progress(w.p, w.ingestion.ID, LedgerEntry{Next: 1, Accepted: 1, Sealed: []byte("entry")}),
			tx.SetCustomValues(w.p, []CustomValues{{w.record.ID, 1, []byte("sealed")}}),
			tx.SetFingerprints(w.p, RecordFingerprints{w.record.ID, []birth.Fingerprint{w.print}, true, true},
				RecordFingerprints{w.similar.ID, []birth.Fingerprint{w.print}, true, true}, RecordFingerprints{w.other.ID, []birth.Fingerprint{w.print}, true, true}),
			tx.SetNames(w.p, RecordNames{w.record.ID, []birth.NameWord{{1}}, true}),
			tx.Suspect(w.p, w.similar.ID),
			w.addReviews(tx),
			tx.AddAttributions(w.p, []Attribution{{w.record.ID, 1, w.provider.ID, true, ""}}),
			w.addUsers(tx),
			tx.SetJoined(w.p, ProviderGroup{Name: "joined"}, w.provider.ID),
			w.addImport(tx),
			w.addUndo(tx),
			w.addDraft(tx),
			w.addTombstone(tx),
			w.addDelivery(tx),
			tx.AddExport(w.p, Export{Digest: []byte("digest")}),
			w.addEHR(tx),
			tx.SetMatches(w.p, 0, []byte("sealed")),
			w.addCustomFields(tx),
		)
	})
	return w
}

// addUsers adds an admin, who is signed in, and an invitation to the practice. It also adds an
// identity provider to the installation.
func (w *fixture) addUsers(tx *Tx) (err error) {
	clinic := SSOProvider{Name: "Clinic", Slug: "clinic", Issuer: "https://id.example.org", ClientID: "registry"}
	if w.identity, _, err = tx.PutSSOProvider(clinic); err != nil {
		return err
	}
	if w.admin, err = tx.AddUser(fmt.Sprintf("olive-%d@example.org", w.p), "Olive"); err != nil {
		return err
	}
	if w.stranger, err = tx.AddUser(fmt.Sprintf("vera-%d@example.org", w.p), "Vera"); err != nil {
		return err
	}
	if w.invited, err = tx.AddUser(fmt.Sprintf("ines-%d@example.org", w.p), "Ines"); err != nil {
		return err
	}
	return errors.Join(
		tx.OfferMembership(w.p, w.invited, "viewer", "Ines"),
		tx.AddLink(w.invited, w.p, []byte(fmt.Sprint("invitation ", w.p)), "Olive", tx.Now.Add(time.Hour)),
		tx.SetPassword(w.admin, "$argon2id$"),
		tx.AddMembership(w.p, w.admin, "admin"),
		tx.PutSession(Session{
			Token: fmt.Sprint("token ", w.p), User: w.admin, Practice: w.p, Sealed: []byte("sealed"),
			CreatedAt: tx.Now, ExpiresAt: tx.Now.Add(time.Hour),
		}),
	)
}

// addDraft starts a draft of a birth.
func (w *fixture) addDraft(tx *Tx) error {
	w.draft = fmt.Sprint("draft ", w.p)
	return tx.AddDraft(w.p, Draft{Token: w.draft, Author: w.admin, Sealed: []byte("sealed")})
}

// addTombstone erases the chart number of a birth that is sent again.
func (w *fixture) addTombstone(tx *Tx) error {
	if _, err := tx.exec(`update versions set ingestion = ?, item = 7 where record = ?`, w.ingestion.ID, w.other.ID); err != nil {
		return err
	}
	err := tx.AddTombstone(w.p, Tombstone{Chart: []byte("erased"), UUID: fmt.Sprint("erased ", w.p), Reason: ErasedByMistake, User: w.admin})
	if err != nil {
		return err
	}
	if w.tombstone, err = only[int64](&tx.View, `select id from tombstones where practice = ?`, w.p); err != nil {
		return err
	}
	return errors.Join(
		tx.CountRefused(w.p, map[int64]int{w.tombstone: 1}),
		tx.AddRejects(w.p, Rejects{Ingestion: w.ingestion.ID, Charts: [][]byte{[]byte("rejected")}}),
	)
}

// addDelivery gives the key a webhook and ends an ingestion, which has to be delivered.
func (w *fixture) addDelivery(tx *Tx) (err error) {
	w.notice = fmt.Sprint("notified ", w.p)
	w.notified, err = tx.insert(`
		insert into ingestions (public_id, practice, api_key, status, size, outcome, created_at, completed_at)
		values (?, ?, ?, 'failed', 1, x'', 0, 0)`, w.notice, w.p, w.key)
	return errors.Join(err, tx.SetWebhook(w.p, w.key, []byte("sealed")), tx.notify(w.p, w.notified, w.key))
}

// addReviews marks one record as not a duplicate and merges another into record.
func (w *fixture) addReviews(tx *Tx) (err error) {
	review := Review{Decision: KeepBoth, Stays: w.record.ID, Goes: w.other.ID, StaysVersion: 1, GoesVersion: 1, User: w.admin}
	if w.review, err = tx.AddReview(w.p, review); err != nil {
		return err
	}
	review.Decision, review.Goes, review.GoesVersion = MergeOne, w.merged.ID, 0
	if w.mergeReview, err = tx.AddReview(w.p, review); err != nil {
		return err
	}
	return errors.Join(tx.ReopenMerges(w.p, []int64{w.record.ID}, nil), tx.MarkNotDuplicates(w.p, w.record.ID, w.other.ID, w.review))
}

// rows returns, as text, every row that belongs to the practice or refers to one of its rows.
func (w *fixture) rows(t testing.TB, tx *Tx) string {
	t.Helper()
	var b strings.Builder
	for _, of := range [][2]string{
		{"practices", "id = $p"},
		{"api_keys", "practice = $p"},
		{"refused", "practice = $p"},
		{"webhooks", "practice = $p"},
		{"deliveries", "practice = $p"},
		{"rejects", "practice = $p"},
		{"custom_fields", "practice = $p"},
		{"ingestions", "practice = $p"},
		{"buffers", "id / 4096 in (select id from ingestions where practice = $p)"},
		{"imports", "practice = $p"},
		{"import_parts", "id / 4096 in (select id from imports where practice = $p)"},
		{"undos", "practice = $p"},
		{"undo_kept", "record in (select id from records where practice = $p)"},
		{"drafts", "practice = $p"},
		{"tombstones", "practice = $p"},
		{"matches", "practice = $p"},
		{"ledger", "ingestion in (select id from ingestions where practice = $p)"},
		{"lanes", "practice = $p"},
		{"goqite", "id in (select message from lanes where practice = $p)"},
		{"records", "practice = $p"},
		{"custom_values", "record in (select id from records where practice = $p)"},
		{"versions", "record in (select id from records where practice = $p)"},
		{"fingerprints", "practice = $p or record in (select id from records where practice = $p)"},
		{"names", "practice = $p or record in (select id from records where practice = $p)"},
		{"names_due", "record in (select id from records where practice = $p)"},
		{"providers", "practice = $p"},
		{"provider_groups", "practice = $p"},
		{"provider_log", "provider in (select id from providers where practice = $p)"},
		{"reviews", "practice = $p"},
		{"kept", "record in (select id from records where practice = $p) or other in (select id from records where practice = $p)"},
		{"memberships", "practice = $p"},
		{"links", "practice = $p"},
		{"sessions", "practice = $p"},
		{"sso_only", "practice = $p"},
		{"second_factor_required", "practice = $p"},
		{"attributions", "record in (select id from records where practice = $p) or provider in (select id from providers where practice = $p)"},
	} {
		table, whose := of[0], of[1]
		found, err := tx.tx.Query("select * from " + table + " where " + strings.ReplaceAll(whose, "$p", fmt.Sprint(int64(w.p))))
		require.NoError(t, err)
		columns, err := found.Columns()
		require.NoError(t, err)
		n := 0
		for found.Next() {
			n++
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			require.NoError(t, found.Scan(values...))
			for i := range values {
				fmt.Fprintf(&b, "%s.%s=%v\n", table, columns[i], *values[i].(*any))
			}
		}
		require.NoError(t, errors.Join(found.Err(), found.Close()))
	}
	return b.String()
}
