package forget_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/app/forget"
	"birthregistry/app/ingest"
	"birthregistry/store"
)

// The undo has begun its step before the practice is forgotten, and writes it afterwards.
func TestAnUndoThatIsUnderWayWhenItsPracticeIsForgottenChangesNoFigure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fixture.New(t, func(s *ingest.Settings) { s.Workers = 1 })
		who := f.Person(auth.Provider)
		i := f.Imported(who, "chart_number,mother_family_name,birth_date,delivery_method,consent_granted\nA,One,1999-03-02,cesarean,yes\nB,Two,1999-04-02,cesarean,yes\n")
		require.NoError(t, f.Imports.Undo(t.Context(), who, i.ID))
		free, err := f.Ingest.TakeSlot(t.Context())
		require.NoError(t, err)
		undone := make(chan error)
		go func() {
			_, err := f.Imports.UndoSteps(t.Context())
			undone <- err
		}()
		synctest.Wait() // until it waits for the slot
		require.NoError(t, of(f).Begin(f.Caller.Practice, nil))
		free()
		require.NoError(t, <-undone, "there is nothing to report")
		intact(t, f)
		more, err := f.Imports.UndoSteps(t.Context())
		require.NoError(t, err)
		require.False(t, more)
	})
}

func TestAPracticeThatCannotBeErasedHoldsUpNoOther(t *testing.T) {
	f := fixture.New(t)
	sign(t, f)
	stuck, other, s := f.Caller.Practice, elsewhere(f), of(f)
	f.Person(auth.Provider)
	f.Raw(fmt.Sprintf(`create trigger stuck before delete on memberships when old.practice = %d begin select raise(abort, 'stuck'); end`, stuck))
	for _, p := range []store.PracticeID{stuck, other} {
		require.NoError(t, s.Begin(p, nil))
	}
	clean, err := s.Work(t.Context())
	require.ErrorContains(t, err, fmt.Sprintf("practice %d: ", stuck))
	require.False(t, clean)
	_, err = s.Certificate(t.Context(), other)
	require.NoError(t, err, "the other is gone")
	_, err = s.Certificate(t.Context(), stuck)
	require.ErrorIs(t, err, forget.ErrNotDone)
	f.Raw("drop trigger stuck")
	done(t, s)
	intact(t, f)
}

// What waits in the queue of a practice that is being forgotten is erased, not answered.
func TestNothingThatWaitsAgesOutWhileItsPracticeIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fixture.New(t)
		started := time.Now()
		f.Accept(fixture.Birth("waits", "Okonkwo", fixture.Evening))
		require.NoError(t, of(f).Begin(f.Caller.Practice, nil))
		time.Sleep(f.Settings.BufferTTL + time.Hour)
		n, err := f.Ingest.Expire(started)
		require.NoError(t, err)
		require.Zero(t, n)
		done(t, of(f))
		require.Empty(t, f.Log.String())
	})
}
