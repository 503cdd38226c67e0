package store

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// addCustomFields adds two custom fields and a refused request to the fixture.
func (w *fixture) addCustomFields(tx *Tx) (err error) {
	if w.field, err = tx.AddCustomField(w.p, birth.CustomField{Key: "tub", Label: "Tub", Kind: birth.CustomText}); err != nil {
		return err
	}
	if w.second, err = tx.AddCustomField(w.p, birth.CustomField{Key: "dog", Label: "Dog", Kind: birth.CustomBool}); err != nil {
		return err
	}
	return tx.AddRefusal(w.p, Refusal{APIKey: w.key, Status: 400, Code: "not-json"})
}

func fieldsOf(t *testing.T, db *DB, p PracticeID) (all []birth.CustomField) {
	t.Helper()
	view(t, db, func(v *View) (err error) {
		all, err = v.CustomFields(p)
		return err
	})
	return all
}

func TestCustomFieldsAreReadAsTheyWereAddedAndInThePracticesOrder(t *testing.T) {
	db := opened(t)
	p, other := addPractice(t, db), addPractice(t, db)
	want := []birth.CustomField{
		{Key: "tub", Label: "Birth tub ♥ O'Brien", Kind: birth.CustomText},
		{Key: "room", Label: "Room", Kind: birth.CustomChoice, Options: []string{"Blue", `"Green", too`}},
		{Key: "hours", Label: "Hours", Kind: birth.CustomNumber},
	}
	update(t, db, func(tx *Tx) (err error) {
		for i := range want {
			if want[i].ID, err = tx.AddCustomField(p, want[i]); err != nil {
				return err
			}
		}
		_, err = tx.AddCustomField(other, birth.CustomField{Key: "tub", Label: "Theirs", Kind: birth.CustomBool})
		return err
	})
	got := fieldsOf(t, db, p)
	require.Len(t, got, 3)
	for i := range want {
		require.Equal(t, want[i].Options, append([]string(nil), got[i].Options...))
		got[i].Options = want[i].Options
	}
	require.Equal(t, want, got)
	require.Len(t, fieldsOf(t, db, other), 1)

	update(t, db, func(tx *Tx) error { return tx.OrderCustomFields(p, []int64{want[2].ID, want[0].ID, want[1].ID}) })
	got = fieldsOf(t, db, p)
	require.Equal(t, []string{"hours", "tub", "room"}, []string{got[0].Key, got[1].Key, got[2].Key})

	update(t, db, func(tx *Tx) error {
		_, err := tx.AddCustomField(p, birth.CustomField{Key: "last", Label: "Last", Kind: birth.CustomDate})
		return err
	})
	require.Equal(t, "last", fieldsOf(t, db, p)[3].Key, "a new one comes last")
}

func TestAFieldIsRenamedRetiredAndBroughtBack(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	update(t, db, func(tx *Tx) error { return tx.RelabelCustomField(w.p, w.field, "Pool") })
	update(t, db, func(tx *Tx) error { return tx.RetireCustomField(w.p, w.field, true) })
	f := fieldsOf(t, db, w.p)[0]
	require.Equal(t, []any{"tub", "Pool", true}, []any{f.Key, f.Label, f.Retired})
	update(t, db, func(tx *Tx) error { return tx.RetireCustomField(w.p, w.field, false) })
	require.False(t, fieldsOf(t, db, w.p)[0].Retired)
}

func TestTheKeyOfAFieldIsUniqueInAPractice(t *testing.T) {
	db := opened(t)
	w := newFixture(t, db)
	require.ErrorIs(t, db.Update(func(tx *Tx) error {
		_, err := tx.AddCustomField(w.p, birth.CustomField{Key: "tub", Label: "Again", Kind: birth.CustomText})
		return err
	}), ErrConflict)
}
