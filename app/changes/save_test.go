package changes_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/store"
)

func TestARecordTypedByHandGetsAChartNumberAndIsNotedInTheTrail(t *testing.T) {
	d := fixture.NewStaffed(t)
	saved := d.Save(d.Scribe, changes.Form{Draft: fixture.Typed("", "Okonkwo", 3200)})
	require.Equal(t, changes.Saved{UUID: saved.UUID, Chart: "B-000001", Version: 1, State: birth.Active, At: saved.At}, saved)
	require.Equal(t, []string{"record.create " + saved.UUID}, d.Trail())
	r := d.Records()[0]
	require.Equal(t, birth.Manual, r.Source)
	require.Equal(t, birth.Facts{
		BirthMonth: "2026-03", Attendant: "midwife", Method: "vaginal_spontaneous", Missing: 1, Outcome: r.Facts.Outcome,
	}, r.Facts)
	var o birth.Outcome
	o.Read(r.Facts.Outcome)
	require.Equal(t, birth.Below4000, o.Children[0].Weight)
	d.Clean()
}

func TestAChartNumberThatIsTakenIsNotGivenAway(t *testing.T) {
	d := fixture.NewStaffed(t)
	d.Save(d.Provider, changes.Form{Draft: fixture.Typed("B-000002", "Okonkwo", 3200)})
	require.Equal(t, "B-000002a", d.Save(d.Provider, changes.Form{Draft: fixture.Typed("", "Haddad", 3200)}).Chart)
}

func TestANewRecordNeverOverwritesTheOneOnFile(t *testing.T) {
	d := fixture.NewStaffed(t)
	d.Save(d.Provider, changes.Form{Draft: fixture.Typed("7", "Okonkwo", 3200)})
	_, err := d.Changes.Save(d.Provider, changes.Form{Draft: fixture.Typed(" 7 ", "Haddad", 3200)})
	require.ErrorIs(t, err, changes.ErrChartTaken)
	require.Equal(t, 1, d.Records()[0].Version)
}

func TestAFormSentTwiceMakesOneRecord(t *testing.T) {
	d := fixture.NewStaffed(t)
	e := changes.Form{Draft: fixture.Typed("", "Okonkwo", 3200), Fresh: uuid.NewString()}
	first := d.Save(d.Scribe, e)
	require.Equal(t, e.Fresh, first.UUID)
	require.Equal(t, first, d.Save(d.Scribe, e))
	require.Len(t, d.Records(), 1)
	require.True(t, first.At.Equal(d.Records()[0].Saved), "the second answer says when the record was saved")
}

func TestAFormSentAgainWithOtherContentIsNotReportedAsSaved(t *testing.T) {
	d := fixture.NewStaffed(t)
	e := changes.Form{Draft: fixture.Typed("", "Okonkwo", 3200), Custom: map[string]string{"tub": "yes"}, Fresh: uuid.NewString()}
	e.Draft.Providers = append(e.Draft.Providers, e.Draft.Providers[0]) // names one twice
	first := d.Save(d.Scribe, e)
	require.Equal(t, first, d.Save(d.Scribe, e))
	for name, change := range map[string]func(e *changes.Form){
		"another mother": func(e *changes.Form) { e.Draft = fixture.Typed("", "Haddad", 3200) },
		"a chart number": func(e *changes.Form) { e.Draft = fixture.Typed("7", "Okonkwo", 3200) },
		"an own field":   func(e *changes.Form) { e.Custom = map[string]string{"tub": "no"} },
		"no own field":   func(e *changes.Form) { e.Custom = nil },
		"nobody present": func(e *changes.Form) { e.Draft.Providers = nil },
		"nobody attending": func(e *changes.Form) {
			e.Draft = fixture.Typed("", "Okonkwo", 3200)
			e.Draft.Providers[0].Attending = false
		},
	} {
		again := e
		change(&again)
		saved, err := d.Changes.Save(d.Scribe, again)
		require.ErrorIs(t, err, changes.ErrSavedAlready, name)
		require.Equal(t, first.Chart, saved.Chart, name)
	}
	require.Len(t, d.Records(), 1)
	require.Equal(t, 1, d.Records()[0].Version)
	_, err := d.Changes.Void(d.Provider, first.UUID, "wrong", 1)
	require.NoError(t, err)
	_, err = d.Changes.Save(d.Scribe, e)
	require.ErrorIs(t, err, changes.ErrSavedAlready, "voided since")

	numbered := changes.Form{Draft: fixture.Typed("8", "Haddad", 3200), Fresh: uuid.NewString()}
	d.Save(d.Scribe, numbered)
	numbered.Draft = fixture.Typed("", "Haddad", 3200)
	_, err = d.Changes.Save(d.Scribe, numbered)
	require.ErrorIs(t, err, changes.ErrSavedAlready, "without the chart number")
	require.Len(t, d.Records(), 2)
}

// A double click, or two windows on one form.
func TestOfSixSimultaneousSavesOfOneFormOneIsSaved(t *testing.T) {
	d := fixture.NewStaffed(t)
	token := uuid.NewString()
	results := make([]error, 6)
	var all sync.WaitGroup
	for n := range results {
		all.Go(func() {
			_, results[n] = d.Changes.Save(d.Scribe, changes.Form{Draft: fixture.Typed("", "Okonkwo"+string(rune('a'+n)), 3200), Fresh: token})
		})
	}
	all.Wait()
	saved := 0
	for _, err := range results {
		if err == nil {
			saved++
		} else {
			require.ErrorIs(t, err, changes.ErrSavedAlready)
		}
	}
	require.Equal(t, 1, saved)
	require.Len(t, d.Records(), 1)
}

func TestTheSecondOfTwoUsersWhoAmendLearnsThatTheRecordHasChanged(t *testing.T) {
	d := fixture.NewStaffed(t)
	saved := d.Save(d.Provider, changes.Form{Draft: fixture.Typed("7", "Okonkwo", 3200)})
	e := changes.Form{Draft: fixture.Typed("7", "Okonkwo", 3300), UUID: saved.UUID, BaseVersion: 1}
	require.Equal(t, 2, d.Save(d.Admin, e).Version)
	e.Draft = fixture.Typed("7", "Okonkwo", 3400)
	_, err := d.Changes.Save(d.Provider, e)
	require.ErrorIs(t, err, changes.ErrChanged)
	d.Clean()
}

func TestAnAmendmentThatChangesNothingMakesNoVersion(t *testing.T) {
	d := fixture.NewStaffed(t)
	saved := d.Save(d.Provider, changes.Form{Draft: fixture.Typed("7", "Okonkwo", 3200), Custom: map[string]string{"tub": "yes"}})
	base, err := d.Changes.BaseVersion(t.Context(), d.Provider.Practice.ID, saved.UUID)
	require.NoError(t, err)
	require.Equal(t, "typed lee", base.Draft.Providers[0].Key, "who took part keeps the identity")
	require.Equal(t, map[string]string{"tub": "yes"}, base.Custom)
	e := changes.Form{Draft: base.Draft, Custom: base.Custom, UUID: saved.UUID, BaseVersion: 1}
	require.True(t, d.Save(d.Provider, e).Unchanged)
	e.Custom = map[string]string{"tub": "no"}
	require.Equal(t, 2, d.Save(d.Provider, e).Version)
	e.Custom, e.BaseVersion, e.Draft.Providers = nil, 2, nil
	require.Equal(t, 3, d.Save(d.Provider, e).Version)
	base, err = d.Changes.BaseVersion(t.Context(), d.Provider.Practice.ID, saved.UUID)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"tub": "no"}, base.Custom, "what nobody touched stands")
	d.Clean()
}

func TestAPushLeavesCustomFieldsAsTheyAre(t *testing.T) {
	d := fixture.NewStaffed(t)
	saved := d.Save(d.Provider, changes.Form{Draft: fixture.Typed("chart", "Okonkwo", 3200), Custom: map[string]string{"tub": "yes"}})
	d.Accept(fixture.Course("chart", 3100))
	d.Drain()
	base, err := d.Changes.BaseVersion(t.Context(), d.Provider.Practice.ID, saved.UUID)
	require.NoError(t, err)
	require.Equal(t, 2, base.Record.Version)
	require.Equal(t, birth.FHIRPush, base.Record.Source)
	require.Equal(t, map[string]string{"tub": "yes"}, base.Custom)
}

func TestAVoidedRecordIsRestoredUnchangedAndTheReasonsAreSealed(t *testing.T) {
	d := fixture.NewStaffed(t)
	saved := d.Save(d.Provider, changes.Form{Draft: fixture.Typed("7", "Okonkwo", 3200)})
	voided, err := d.Changes.Void(d.Provider, saved.UUID, "CNRY entered twice", 1)
	require.NoError(t, err)
	require.Equal(t, changes.Saved{UUID: saved.UUID, Chart: "7", Version: 2, State: birth.Voided, At: voided.At}, voided)
	_, err = d.Changes.Void(d.Provider, saved.UUID, "again", 2)
	require.ErrorIs(t, err, changes.ErrState)
	_, err = d.Changes.Save(d.Provider, changes.Form{Draft: fixture.Typed("7", "Okonkwo", 3300), UUID: saved.UUID, BaseVersion: 2})
	require.ErrorIs(t, err, changes.ErrState)
	before, err := d.Changes.BaseVersion(t.Context(), d.Provider.Practice.ID, saved.UUID)
	require.NoError(t, err)
	restored, err := d.Changes.Restore(d.Admin, saved.UUID, "it was not")
	require.NoError(t, err)
	require.Equal(t, 3, restored.Version)
	require.Equal(t, birth.Active, restored.State)
	after, err := d.Changes.BaseVersion(t.Context(), d.Provider.Practice.ID, saved.UUID)
	require.NoError(t, err)
	require.Equal(t, before.Draft, after.Draft)
	require.Equal(t, []string{"record.create " + saved.UUID, "record.void " + saved.UUID, "record.restore " + saved.UUID}, d.Trail())
	require.False(t, fixture.OnDisk(t, d.Path, []byte("CNRY")))
	d.Clean()
}

func TestARestoredRecordIsSeenByTheDuplicateCheckAgain(t *testing.T) {
	d := fixture.NewStaffed(t)
	first := d.Save(d.Provider, changes.Form{Draft: fixture.Typed("7", "Okonkwo", 3200)})
	_, err := d.Changes.Void(d.Provider, first.UUID, "wrong", 1)
	require.NoError(t, err)
	require.False(t, d.Save(d.Provider, changes.Form{Draft: fixture.Typed("8", "Okonkwo", 3200)}).Suspected, "a voided record is ignored by the check")
	restored, err := d.Changes.Restore(d.Provider, first.UUID, "right after all")
	require.NoError(t, err)
	require.True(t, restored.Suspected)
	require.True(t, d.Save(d.Provider, changes.Form{Draft: fixture.Typed("9", "Okonkwo", 3200)}).Suspected)
}

func TestAnAmendmentThatWouldDuplicateAnotherRecordIsRefused(t *testing.T) {
	d := fixture.NewStaffed(t)
	d.Save(d.Provider, changes.Form{Draft: fixture.Typed("7", "Okonkwo", 3200)})
	other := d.Save(d.Provider, changes.Form{Draft: fixture.Typed("8", "Haddad", 3200)})
	_, err := d.Changes.Save(d.Provider, changes.Form{Draft: fixture.Typed("8", "Okonkwo", 3200), UUID: other.UUID, BaseVersion: 1})
	require.ErrorIs(t, err, changes.ErrWouldDuplicate)
}

func TestTheRoleIsCheckedAgainAtTheWrite(t *testing.T) {
	d := fixture.NewStaffed(t)
	saved := d.Save(d.Provider, changes.Form{Draft: fixture.Typed("7", "Okonkwo", 3200)})
	amendment := changes.Form{Draft: fixture.Typed("7", "Okonkwo", 3300), UUID: saved.UUID, BaseVersion: 1}
	_, err := d.Changes.Save(d.Viewer, changes.Form{Draft: fixture.Typed("8", "Haddad", 3200)})
	require.ErrorIs(t, err, auth.ErrForbidden)
	for _, who := range []auth.User{d.Viewer, d.Scribe} {
		_, err = d.Changes.Save(who, amendment)
		require.ErrorIs(t, err, auth.ErrForbidden)
		_, err = d.Changes.Void(who, saved.UUID, "no", 1)
		require.ErrorIs(t, err, auth.ErrForbidden)
		_, err = d.Changes.Restore(who, saved.UUID, "no")
		require.ErrorIs(t, err, auth.ErrForbidden)
	}
	require.Len(t, d.Trail(), 1)
}

func TestARecordOfAnotherPracticeIsNotFound(t *testing.T) {
	d := fixture.NewStaffed(t)
	saved := d.Save(d.Provider, changes.Form{Draft: fixture.Typed("7", "Okonkwo", 3200)})
	stranger := d.Admin
	require.NoError(t, d.DB.Update(func(tx *store.Tx) error {
		id, err := tx.AddPractice("Elsewhere", false, false)
		stranger.Practice.ID = id
		return err
	}))
	_, err := d.Changes.Save(stranger, changes.Form{Draft: fixture.Typed("7", "Okonkwo", 3300), UUID: saved.UUID, BaseVersion: 1})
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = d.Changes.Void(stranger, saved.UUID, "no", 1)
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = d.Changes.BaseVersion(t.Context(), stranger.Practice.ID, saved.UUID)
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = d.Changes.Save(stranger, changes.Form{Draft: fixture.Typed("7", "Okonkwo", 3300), Fresh: saved.UUID})
	require.ErrorIs(t, err, store.ErrConflict, "another practice's token is not taken over")
}
