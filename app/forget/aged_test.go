package forget_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/store"
)

// aging is a practice with a row of everything that is deleted or emptied once it is old enough.
type aging struct {
	*fixture.Fixture
	who auth.User
}

func newAging(t *testing.T) aging {
	f := fixture.New(t)
	sign(t, f)
	a := aging{f, f.Person(auth.Provider)}
	f.Push(fixture.Birth("1", "Okonkwo", fixture.Evening))
	f.Upload(a.who, fixture.Head+fixture.Row("unconfirmed", "One", 1, 3000))
	a.did(func(tx *store.Tx, p store.PracticeID) error {
		return tx.AddDraft(p, store.Draft{Token: "draft", Author: a.who.ID, Sealed: []byte("x")})
	})
	a.did(func(tx *store.Tx, p store.PracticeID) error { return tx.SetMatches(p, 0, []byte("x")) })
	f.Raw("update matches set used_at = used_at - 1000")
	a.did(func(tx *store.Tx, p store.PracticeID) error {
		key, err := tx.AddAPIKey(p, store.APIKey{Label: "EHR"}, []byte("hash"))
		return errors.Join(err, tx.AddRefusal(p, store.Refusal{APIKey: key, Status: 403, Code: "forbidden"}))
	})
	return a
}

func (a aging) did(act func(tx *store.Tx, p store.PracticeID) error) {
	a.Helper()
	require.NoError(a, a.DB.Update(func(tx *store.Tx) error { return act(tx, a.Caller.Practice) }))
}

// exportedNow notes an archive as an export does.
func (a aging) exportedNow() (digest []byte) {
	a.Helper()
	state, err := store.Read(a.Context(), a.DB, func(v *store.View) ([]byte, error) { return v.ExportState(a.Caller.Practice) })
	require.NoError(a, err)
	require.NotEmpty(a, state)
	a.did(func(tx *store.Tx, p store.PracticeID) error {
		return tx.AddExport(p, store.Export{Digest: make([]byte, 32), At: tx.Now, State: state})
	})
	return make([]byte, 32)
}

func TestRowsThatAgedOutSinceAnExportAreNoChangeOfThePractice(t *testing.T) {
	a := newAging(t)
	digest := a.exportedNow()
	later := time.Now().Add(time.Hour)
	for name, sweep := range map[string]func(tx *store.Tx) (int64, error){
		"receipts": func(tx *store.Tx) (int64, error) { return tx.SweepReceipts(later) },
		"drafts":   func(tx *store.Tx) (int64, error) { return tx.SweepDrafts(later) },
		"matches":  func(tx *store.Tx) (int64, error) { return tx.SweepMatches(later) },
		"refusals": func(tx *store.Tx) (int64, error) { return tx.SweepRefusals(later) },
	} {
		a.did(func(tx *store.Tx, _ store.PracticeID) error {
			n, err := sweep(tx)
			require.Positive(t, n, name)
			return err
		})
	}
	a.did(func(tx *store.Tx, p store.PracticeID) error {
		files, err := tx.SpentImports(later, 9)
		require.Len(t, files, 1)
		require.NoError(t, tx.DropImport(p, files[0].ID, nil))
		return err
	})
	require.NoError(t, of(a.Fixture).Begin(a.Caller.Practice, digest))
}

func TestANewRowOfAKindThatAgesOutIsAChangeOfThePractice(t *testing.T) {
	for name, change := range map[string]func(a aging){
		"a receipt that states nothing new": func(a aging) { a.Push(`{"resourceType":"Bundle"}`) },
		"a draft": func(a aging) {
			a.did(func(tx *store.Tx, p store.PracticeID) error {
				return tx.AddDraft(p, store.Draft{Token: "another", Author: a.who.ID, Sealed: []byte("y")})
			})
		},
		"a changed draft": func(a aging) {
			a.did(func(tx *store.Tx, p store.PracticeID) error { return tx.SetDraft(p, "draft", 1, []byte("y")) })
		},
		"a draft in place of one that has aged out": func(a aging) {
			a.did(func(tx *store.Tx, p store.PracticeID) error {
				if err := tx.DropDraft(p, "draft"); err != nil {
					return err
				}
				return tx.AddDraft(p, store.Draft{Token: "draft", Author: a.who.ID, Sealed: []byte("y")})
			})
		},
		"an answer about spreadsheets after the others have aged out": func(a aging) {
			a.did(func(tx *store.Tx, _ store.PracticeID) error {
				_, err := tx.SweepMatches(tx.Now.Add(time.Hour))
				return err
			})
			a.did(func(tx *store.Tx, p store.PracticeID) error { return tx.SetMatches(p, 0, []byte("y")) })
		},
		"an answer about spreadsheets": func(a aging) {
			a.did(func(tx *store.Tx, p store.PracticeID) error { return tx.SetMatches(p, 1, []byte("y")) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAging(t)
			digest := a.exportedNow()
			change(a)
			require.ErrorIs(t, of(a.Fixture).Begin(a.Caller.Practice, digest), store.ErrExportOld)
		})
	}
}
