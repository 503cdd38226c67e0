package imports_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/store"
)

// waiting counts the records with a value entered by hand that a push has replaced.
func waiting(b *fixture.Fixture) int {
	b.Helper()
	n, err := store.Read(b.Context(), b.DB, func(v *store.View) (int, error) { return v.CountReplaced(b.Caller.Practice) })
	require.NoError(b, err)
	return n
}

func TestAnImportEndsTheWaitOfAReplacedValueAndItsUndoKeepsTheVersionEnteredByHand(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	b.Accept(fixture.Course("A", 3000))
	b.Drain()
	on, err := b.Changes.BaseVersion(t.Context(), b.Caller.Practice, b.Records()[0].UUID)
	require.NoError(t, err)
	on.Draft.Children[0].Set(birth.Must("birth_weight_g"), birth.Value{Number: 3300, Source: birth.Manual})
	_, err = b.Changes.Save(who, changes.Form{Draft: on.Draft, UUID: on.Record.UUID, BaseVersion: on.Record.Version})
	require.NoError(t, err)
	b.Accept(fixture.Course("A", 3100))
	b.Drain()
	require.Equal(t, 1, waiting(b))
	i := b.Imported(who, "chart_number,birth_weight_g\nA,3200\n")
	require.Zero(t, waiting(b), "a person has stated the value")
	undone(b, who, i.ID)
	r := b.Records()[0]
	require.InDelta(t, 3100, weight(b, r.UUID).Number, 0)
	require.Zero(t, waiting(b), "the versions do not say that it waited")
	require.NoError(t, b.DB.View(t.Context(), func(v *store.View) error {
		all, err := v.History(b.Caller.Practice, r.ID, 0, 9)
		require.Len(t, all, 5)
		require.Equal(t, birth.Manual, all[3].Source, "the version entered by hand is in the history")
		return err
	}))
}
