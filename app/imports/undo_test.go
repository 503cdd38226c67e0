package imports_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/app/imports"
	"birthregistry/app/review"
	"birthregistry/store"
)

// undone runs an undo of an import to its end and returns the result.
func undone(b *fixture.Fixture, who auth.User, id string) imports.UndoPlan {
	b.Helper()
	require.NoError(b, b.Imports.Undo(b.Context(), who, id))
	for more := true; more; {
		var err error
		more, err = b.Imports.UndoSteps(b.Context())
		require.NoError(b, err)
	}
	return undoneSoFar(b, who, id)
}

func undoneSoFar(b *fixture.Fixture, who auth.User, id string) imports.UndoPlan {
	b.Helper()
	i, err := b.Imports.Progress(b.Context(), who, id)
	require.NoError(b, err)
	plan, err := b.Imports.UndoResult(b.Context(), who, i)
	require.NoError(b, err)
	return plan
}

// charted returns the records by chart number.
func charted(b *fixture.Fixture) map[string]store.Record {
	all := map[string]store.Record{}
	for _, r := range b.Records() {
		all[r.Chart] = r
	}
	return all
}

func weight(b *fixture.Fixture, uuid string) birth.Value {
	b.Helper()
	on, err := b.Changes.BaseVersion(b.Context(), b.Caller.Practice, uuid)
	require.NoError(b, err)
	v, _ := on.Draft.Children[0].Get("birth_weight_g")
	return v
}

// amended changes a record's number of pregnancies through the form.
func amended(b *fixture.Fixture, who auth.User, uuid string) {
	b.Helper()
	on, err := b.Changes.BaseVersion(b.Context(), b.Caller.Practice, uuid)
	require.NoError(b, err)
	on.Draft.Mother.Set(birth.Must("gravida"), birth.Value{Number: 4, Source: birth.Manual})
	_, err = b.Changes.Save(who, changes.Form{Draft: on.Draft, UUID: uuid, BaseVersion: on.Record.Version})
	require.NoError(b, err)
}

func TestAnUndoVoidsCreatedRecordsAndRevertsAmendedOnesUnlessTheyChangedSince(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	b.Accept(fixture.Course("pushed", 3000))
	b.Drain()
	b.Imported(who, fixture.Head+fixture.Row("amended", "One", 1, 3000)+fixture.Row("voided", "Two", 2, 3000)+fixture.Row("same", "Three", 3, 3000))
	_, err := b.Changes.Void(who, charted(b)["voided"].UUID, "by mistake", 1)
	require.NoError(t, err)
	i := b.Imported(who, fixture.Head+fixture.Row("pushed", "", 0, 3333)+fixture.Row("amended", "One", 1, 3456)+fixture.Row("voided", "Two", 2, 3111)+
		fixture.Row("same", "Three", 3, 3000)+fixture.Row("new", "Four", 4, 3000)+fixture.Row("changed", "Five", 5, 3000)+fixture.Row("gone", "Six", 6, 3000))
	on := charted(b)
	amended(b, who, on["changed"].UUID)
	_, err = b.Changes.Void(who, on["gone"].UUID, "by mistake", 1)
	require.NoError(t, err)

	_, plan, err := b.Imports.PlanUndo(t.Context(), who, i.ID)
	require.NoError(t, err)
	want := store.UndoCounts{Voided: 2, Restored: 2, Kept: 2}
	require.Equal(t, want, plan.UndoCounts)
	done := undone(b, who, i.ID)
	require.Equal(t, want, done.UndoCounts)
	require.Len(t, done.Records, 2)
	for n, chart := range []string{"changed", "gone"} {
		require.Equal(t, []string{on[chart].UUID, chart, store.KeptChanged}, []string{done.Records[n].UUID, done.Records[n].Chart, done.Records[n].Reason})
	}

	after := charted(b)
	for chart, want := range map[string]struct {
		state   birth.State
		version int
		weight  float64
		source  birth.Source
	}{
		"pushed":  {birth.Active, 3, 3000, birth.FHIRPush},
		"amended": {birth.Active, 3, 3000, birth.CSV},
		"voided":  {birth.Voided, 4, 3000, birth.CSV},
		"same":    {birth.Active, 1, 3000, birth.CSV},
		"new":     {birth.Voided, 2, 3000, birth.CSV},
		"changed": {birth.Active, 2, 3000, birth.CSV},
		"gone":    {birth.Voided, 2, 3000, birth.CSV},
	} {
		r := after[chart]
		require.Equal(t, want.state, r.State, chart)
		require.Equal(t, want.version, r.Version, chart)
		v := weight(b, r.UUID)
		require.InDelta(t, want.weight, v.Number, 0, chart)
		require.Equal(t, want.source, v.Source, chart)
	}
	require.NoError(t, b.DB.View(t.Context(), func(v *store.View) error {
		all, err := v.History(b.Caller.Practice, after["new"].ID, 0, 9)
		require.Equal(t, []string{"void", who.Name}, []string{all[0].Change, all[0].User})
		require.NotEmpty(t, all[0].Note)
		return err
	}))
	b.Clean()
}

func TestUndoingTwiceHasTheSameEffectAsOnce(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	i := b.Imported(who, fixture.Head+fixture.Row("A", "One", 1, 3000))
	first := undone(b, who, i.ID)
	require.Equal(t, first, undone(b, who, i.ID))
	require.Equal(t, 2, b.Records()[0].Version)
	n := 0
	require.NoError(t, b.DB.View(t.Context(), func(v *store.View) error {
		return v.Trail(func(a store.Audit) error {
			if a.Action == "import.undo" {
				n++
				require.Equal(t, []any{i.ID, who.ID}, []any{a.Object, a.User})
			}
			return nil
		})
	}))
	require.Equal(t, 1, n)
}

func TestUndoingALaterImportMakesAnEarlierOneUndoableAgain(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	first := b.Imported(who, fixture.Head+fixture.Row("A", "One", 1, 3000))
	second := b.Imported(who, "chart_number,birth_weight_g\nA,3100\n")
	_, plan, err := b.Imports.PlanUndo(t.Context(), who, first.ID)
	require.NoError(t, err)
	require.Equal(t, store.UndoCounts{Kept: 1}, plan.UndoCounts)
	require.Equal(t, store.UndoCounts{Restored: 1}, undone(b, who, second.ID).UndoCounts)
	require.InDelta(t, 3000, weight(b, b.Records()[0].UUID).Number, 0)
	require.Equal(t, store.UndoCounts{Voided: 1}, undone(b, who, first.ID).UndoCounts)
	require.Equal(t, birth.Voided, b.Records()[0].State)
}

func TestAnUndoLeavesRecordsThatAReviewHasDecidedOn(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	i := b.Imported(who, fixture.Head+fixture.Row("A", "One", 1, 3000)+fixture.Row("B", "One", 1, 3000)+fixture.Row("C", "Two", 2, 3000)+
		fixture.Row("D", "Two", 2, 3000)+fixture.Row("E", "Three", 3, 3000))
	on := charted(b)
	of := func(stays, goes string) review.Pair {
		return review.Pair{Stays: on[stays].UUID, Goes: on[goes].UUID, StaysVersion: 1, GoesVersion: 1}
	}
	_, err := b.Review.Merge(who, of("A", "B"), "", nil)
	require.NoError(t, err)
	kept, err := b.Review.MarkNotDuplicates(who, of("C", "D"))
	require.NoError(t, err)
	_, plan, err := b.Imports.PlanUndo(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, store.UndoCounts{Voided: 1, Kept: 4}, plan.UndoCounts)
	_, err = b.Review.Undo(who, kept)
	require.NoError(t, err)
	done := undone(b, who, i.ID)
	require.Equal(t, store.UndoCounts{Voided: 3, Kept: 2}, done.UndoCounts, "a review that was undone counts no more")
	for _, r := range done.Records {
		require.Equal(t, store.KeptReviewed, r.Reason)
	}
	after := charted(b)
	require.Equal(t, []birth.State{birth.Active, birth.Merged}, []birth.State{after["A"].State, after["B"].State})
}

func TestARecordIsNoLongerSuspectedOnceTheImportThatLooksLikeItIsUndone(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	i := b.Imported(who, fixture.Head+fixture.Row("A", "One", 1, 3000))
	b.Imported(who, fixture.Head+fixture.Row("B", "One", 1, 3000))
	require.True(t, charted(b)["B"].Suspected)
	undone(b, who, i.ID)
	require.False(t, charted(b)["B"].Suspected)
	b.Clean()
}

func TestAnUndoRevertsCustomFields(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	require.NoError(t, b.DB.Update(func(tx *store.Tx) error {
		_, err := tx.AddCustomField(b.Caller.Practice, birth.CustomField{Key: "tub", Label: "tub", Kind: birth.CustomText})
		return err
	}))
	b.Imported(who, "chart_number,mother_family_name,birth_date,x_tub\nA,Lee,2026-03-02,blue\n")
	i := b.Imported(who, "chart_number,x_tub\nA,green\n")
	undone(b, who, i.ID)
	on, err := b.Changes.BaseVersion(t.Context(), b.Caller.Practice, b.Records()[0].UUID)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"tub": "blue"}, on.Custom)
}

func TestAnUndoContinuesAfterARestartAndRevertsEveryRecordOnce(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	file := fixture.Head
	const rows = 250
	for n := range rows {
		file += fixture.Row(string(rune('A'+n/26))+string(rune('a'+n%26)), fmt.Sprint("Mother ", n), n%60, 3000)
	}
	i := b.Imported(who, file)
	require.NoError(t, b.Imports.Undo(t.Context(), who, i.ID))
	more, err := b.Imports.UndoSteps(t.Context())
	require.NoError(t, err)
	require.True(t, more)
	require.Equal(t, 100, undoneSoFar(b, who, i.ID).Voided)
	b.Restart()
	require.Equal(t, rows, undone(b, who, i.ID).Voided)
	for _, r := range b.Records() {
		require.Equal(t, 2, r.Version)
	}
}

func TestAnUndoLeavesAnUnreadableRecordAndListsIt(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	b.Imported(who, fixture.Head+fixture.Row("A", "One", 1, 3000)+fixture.Row("B", "Two", 2, 3000))
	i := b.Imported(who, "chart_number,birth_weight_g\nA,3100\nB,3100\n")
	b.Raw("update versions set patient = x'00' where version = 1 and record = (select id from records where chart = 'A')")
	done := undone(b, who, i.ID)
	require.Equal(t, store.UndoCounts{Restored: 1, Kept: 1}, done.UndoCounts)
	require.Equal(t, store.KeptUnreadable, done.Records[0].Reason)
}

func TestAnImportCanBeUndoneForThirtyDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fixture.New(t)
		who := b.Person(auth.Provider)
		i := b.Imported(who, "chart_number,mother_family_name,birth_date\nA,One,1999-03-02\n") // the bubble's clock starts in 2000
		time.Sleep(30*24*time.Hour - time.Minute)
		_, _, err := b.Imports.PlanUndo(t.Context(), who, i.ID)
		require.NoError(t, err)
		time.Sleep(2 * time.Minute)
		_, _, err = b.Imports.PlanUndo(t.Context(), who, i.ID)
		require.ErrorIs(t, err, imports.ErrUndoTooLate)
		require.ErrorIs(t, b.Imports.Undo(t.Context(), who, i.ID), imports.ErrUndoTooLate)
		require.NoError(t, b.DB.Close())
	})
}

func TestOnlyUsersWithPermissionUndoAnImport(t *testing.T) {
	b := fixture.New(t)
	scribe, other, admin, viewer := b.Person(auth.Scribe), b.Person(auth.Scribe), b.Person(auth.Admin), b.Person(auth.Viewer)
	i := b.Imported(scribe, fixture.Head+fixture.Row("A", "One", 1, 3000))
	waiting := b.Upload(scribe, fixture.Head+fixture.Row("B", "Two", 2, 3000))
	require.ErrorIs(t, b.Imports.Undo(t.Context(), scribe, waiting.ID), imports.ErrNotImported)
	require.ErrorIs(t, b.Imports.Undo(t.Context(), other, i.ID), store.ErrNotFound)
	require.ErrorIs(t, b.Imports.Undo(t.Context(), viewer, i.ID), auth.ErrForbidden)
	changed := b.Imported(admin, "chart_number,birth_weight_g\nA,3100\n")
	scribe.ID, other.ID = admin.ID, scribe.ID // an admin who has become a scribe
	require.ErrorIs(t, b.Imports.Undo(t.Context(), scribe, changed.ID), auth.ErrForbidden, "it has amended a record")
	require.Equal(t, store.UndoCounts{Restored: 1}, undone(b, admin, changed.ID).UndoCounts)
	amended(b, admin, b.Records()[0].UUID)
	done := undone(b, other, i.ID)
	require.Equal(t, store.UndoCounts{Kept: 1}, done.UndoCounts)
	require.Empty(t, done.Records, "a scribe reads no records")
}

func TestAnUndoThatFailsHoldsUpNoOther(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	stuck := b.Imported(who, fixture.Head+fixture.Row("A", "One", 1, 3000))
	other := b.Imported(who, fixture.Head+fixture.Row("B", "Two", 2, 3000))
	b.Raw(`create trigger stuck before update on undos when new.import = (select min(import) from undos) begin select raise(abort, 'stuck'); end`)
	for _, i := range []imports.Import{stuck, other} {
		require.NoError(t, b.Imports.Undo(t.Context(), who, i.ID))
	}
	more, err := b.Imports.UndoSteps(t.Context())
	require.ErrorContains(t, err, fmt.Sprintf("practice %d", b.Caller.Practice))
	require.True(t, more)
	require.Equal(t, birth.Active, b.States()["A"])
	require.Equal(t, birth.Voided, b.States()["B"])
}
