package intake

import (
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/store"
)

// desk is a bed with people at it.
type desk struct {
	*bed
	admin, provider, scribe, viewer auth.User
}

func newDesk(t *testing.T) *desk {
	b := newBed(t)
	at := func(role auth.Role) (who auth.User) {
		require.NoError(t, b.db.Update(func(tx *store.Tx) error {
			id, err := tx.AddUser(string(role)+"@example.org", "Robin")
			if err != nil {
				return err
			}
			p, err := tx.Practice(b.caller.Practice)
			who = auth.User{ID: id, Name: "Robin", Practice: p, Role: role, Address: "192.0.2.1"}
			return err
		}))
		return who
	}
	return &desk{b, at(auth.Admin), at(auth.Provider), at(auth.Scribe), at(auth.Viewer)}
}

// typed is a course as a person types it.
func typed(chart, mother string, weight float64) birth.Draft {
	d := birth.Draft{Chart: chart, Children: make([]birth.Values, 1)}
	text := func(v *birth.Values, field, text string) {
		v.Set(birth.Must(field), birth.Value{Text: text, Source: birth.Manual})
	}
	text(&d.Mother, "mother_family_name", mother)
	text(&d.Mother, "mother_given_names", "Amara")
	text(&d.Children[0], "birth_date", "2026-03-02")
	text(&d.Children[0], "delivery_method", "vaginal_spontaneous")
	d.Children[0].Set(birth.Must("birth_weight_g"), birth.Value{Number: weight, Source: birth.Manual})
	d.Providers = []birth.Provider{{Key: "typed lee", Name: "Lee", Role: birth.RoleMidwife, Attending: true, Source: birth.Manual}}
	return d
}

func (d *desk) save(who auth.User, e Entry) Saved {
	d.Helper()
	saved, err := d.Save(who, e)
	require.NoError(d, err)
	return saved
}

func (d *desk) trail() (actions []string) {
	require.NoError(d, d.db.View(context.Background(), func(v *store.View) error {
		return v.Trail(func(a store.Audit) error {
			actions = append(actions, a.Action+" "+a.Object)
			return nil
		})
	}))
	return actions
}

func TestARecordTypedByHandGetsAChartNumberAndIsNotedInTheTrail(t *testing.T) {
	d := newDesk(t)
	saved := d.save(d.scribe, Entry{Draft: typed("", "Okonkwo", 3200)})
	require.Equal(t, Saved{UUID: saved.UUID, Chart: "B-000001", Version: 1, State: birth.Active}, saved)
	require.Equal(t, []string{"record.create " + saved.UUID}, d.trail())
	r := d.records()[0]
	require.Equal(t, birth.Manual, r.Source)
	require.Equal(t, birth.Facts{
		BirthMonth: "2026-03", Attendant: "midwife", Method: "vaginal_spontaneous", Missing: 1, Outcome: r.Facts.Outcome,
	}, r.Facts)
	var o birth.Outcome
	o.Read(r.Facts.Outcome)
	require.Equal(t, birth.Below4000, o.Children[0].Weight)
	d.clean()
}

func TestAChartNumberThatIsTakenIsNotGivenAway(t *testing.T) {
	d := newDesk(t)
	d.save(d.provider, Entry{Draft: typed("B-000002", "Okonkwo", 3200)})
	require.Equal(t, "B-000002a", d.save(d.provider, Entry{Draft: typed("", "Haddad", 3200)}).Chart)
}

func TestANewRecordNeverOverwritesTheOneOnFile(t *testing.T) {
	d := newDesk(t)
	d.save(d.provider, Entry{Draft: typed("7", "Okonkwo", 3200)})
	_, err := d.Save(d.provider, Entry{Draft: typed(" 7 ", "Haddad", 3200)})
	require.ErrorIs(t, err, ErrChartTaken)
	require.Equal(t, 1, d.records()[0].Version)
}

func TestAFormSentTwiceMakesOneRecord(t *testing.T) {
	d := newDesk(t)
	e := Entry{Draft: typed("", "Okonkwo", 3200), Fresh: uuid.NewString()}
	first := d.save(d.scribe, e)
	require.Equal(t, e.Fresh, first.UUID)
	require.Equal(t, first, d.save(d.scribe, e))
	require.Len(t, d.records(), 1)
}

func TestAFormSentAgainWithOtherContentIsNotTakenForSaved(t *testing.T) {
	d := newDesk(t)
	e := Entry{Draft: typed("", "Okonkwo", 3200), Custom: map[string]string{"tub": "yes"}, Fresh: uuid.NewString()}
	e.Draft.Providers = append(e.Draft.Providers, e.Draft.Providers[0]) // named twice
	first := d.save(d.scribe, e)
	require.Equal(t, first, d.save(d.scribe, e))
	for name, change := range map[string]func(e *Entry){
		"another mother":   func(e *Entry) { e.Draft = typed("", "Haddad", 3200) },
		"a chart number":   func(e *Entry) { e.Draft = typed("7", "Okonkwo", 3200) },
		"an own field":     func(e *Entry) { e.Custom = map[string]string{"tub": "no"} },
		"no own field":     func(e *Entry) { e.Custom = nil },
		"nobody present":   func(e *Entry) { e.Draft.Providers = nil },
		"nobody attending": func(e *Entry) { e.Draft = typed("", "Okonkwo", 3200); e.Draft.Providers[0].Attending = false },
	} {
		again := e
		change(&again)
		saved, err := d.Save(d.scribe, again)
		require.ErrorIs(t, err, ErrSavedAlready, name)
		require.Equal(t, first.Chart, saved.Chart, name)
	}
	require.Len(t, d.records(), 1)
	require.Equal(t, 1, d.records()[0].Version)
	_, err := d.Void(d.provider, first.UUID, "wrong", 1)
	require.NoError(t, err)
	_, err = d.Save(d.scribe, e)
	require.ErrorIs(t, err, ErrSavedAlready, "voided since")

	numbered := Entry{Draft: typed("8", "Haddad", 3200), Fresh: uuid.NewString()}
	d.save(d.scribe, numbered)
	numbered.Draft = typed("", "Haddad", 3200)
	_, err = d.Save(d.scribe, numbered)
	require.ErrorIs(t, err, ErrSavedAlready, "without the chart number")
	require.Len(t, d.records(), 2)
}

// A double click, and two windows on one form.
func TestOfSixSavesOfOneFormAtOnceOneIsSaved(t *testing.T) {
	d := newDesk(t)
	token := uuid.NewString()
	results := make([]error, 6)
	var all sync.WaitGroup
	for n := range results {
		all.Go(func() {
			_, results[n] = d.Save(d.scribe, Entry{Draft: typed("", "Okonkwo"+string(rune('a'+n)), 3200), Fresh: token})
		})
	}
	all.Wait()
	saved := 0
	for _, err := range results {
		if err == nil {
			saved++
		} else {
			require.ErrorIs(t, err, ErrSavedAlready)
		}
	}
	require.Equal(t, 1, saved)
	require.Len(t, d.records(), 1)
}

func TestTheSecondOfTwoPeopleWhoAmendIsTold(t *testing.T) {
	d := newDesk(t)
	saved := d.save(d.provider, Entry{Draft: typed("7", "Okonkwo", 3200)})
	e := Entry{Draft: typed("7", "Okonkwo", 3300), UUID: saved.UUID, BaseVersion: 1}
	require.Equal(t, 2, d.save(d.admin, e).Version)
	e.Draft = typed("7", "Okonkwo", 3400)
	_, err := d.Save(d.provider, e)
	require.ErrorIs(t, err, ErrChanged)
	d.clean()
}

func TestAnAmendmentThatChangesNothingMakesNoVersion(t *testing.T) {
	d := newDesk(t)
	saved := d.save(d.provider, Entry{Draft: typed("7", "Okonkwo", 3200), Custom: map[string]string{"tub": "yes"}})
	base, err := d.BaseVersion(t.Context(), d.provider.Practice.ID, saved.UUID)
	require.NoError(t, err)
	require.Equal(t, "typed lee", base.Draft.Providers[0].Key, "who took part keeps the identity")
	require.Equal(t, map[string]string{"tub": "yes"}, base.Custom)
	e := Entry{Draft: base.Draft, Custom: base.Custom, UUID: saved.UUID, BaseVersion: 1}
	require.True(t, d.save(d.provider, e).Unchanged)
	e.Custom = map[string]string{"tub": "no"}
	require.Equal(t, 2, d.save(d.provider, e).Version)
	e.Custom, e.BaseVersion, e.Draft.Providers = nil, 2, nil
	require.Equal(t, 3, d.save(d.provider, e).Version)
	base, err = d.BaseVersion(t.Context(), d.provider.Practice.ID, saved.UUID)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"tub": "no"}, base.Custom, "what nobody touched stands")
	d.clean()
}

func TestAPushDoesNotTouchThePracticesOwnFields(t *testing.T) {
	d := newDesk(t)
	saved := d.save(d.provider, Entry{Draft: typed("chart", "Okonkwo", 3200), Custom: map[string]string{"tub": "yes"}})
	d.accept(course("chart", 3100))
	d.drain()
	base, err := d.BaseVersion(t.Context(), d.provider.Practice.ID, saved.UUID)
	require.NoError(t, err)
	require.Equal(t, 2, base.Record.Version)
	require.Equal(t, birth.FHIRPush, base.Record.Source)
	require.Equal(t, map[string]string{"tub": "yes"}, base.Custom)
}

func TestAVoidedRecordIsRestoredAsItWasWithItsReasonSealed(t *testing.T) {
	d := newDesk(t)
	saved := d.save(d.provider, Entry{Draft: typed("7", "Okonkwo", 3200)})
	voided, err := d.Void(d.provider, saved.UUID, "CNRY entered twice", 1)
	require.NoError(t, err)
	require.Equal(t, Saved{UUID: saved.UUID, Chart: "7", Version: 2, State: birth.Voided}, voided)
	_, err = d.Void(d.provider, saved.UUID, "again", 2)
	require.ErrorIs(t, err, ErrState)
	_, err = d.Save(d.provider, Entry{Draft: typed("7", "Okonkwo", 3300), UUID: saved.UUID, BaseVersion: 2})
	require.ErrorIs(t, err, ErrState)
	before, err := d.BaseVersion(t.Context(), d.provider.Practice.ID, saved.UUID)
	require.NoError(t, err)
	restored, err := d.Restore(d.admin, saved.UUID, "it was not")
	require.NoError(t, err)
	require.Equal(t, 3, restored.Version)
	require.Equal(t, birth.Active, restored.State)
	after, err := d.BaseVersion(t.Context(), d.provider.Practice.ID, saved.UUID)
	require.NoError(t, err)
	require.Equal(t, before.Draft, after.Draft)
	require.Equal(t, []string{"record.create " + saved.UUID, "record.void " + saved.UUID, "record.restore " + saved.UUID}, d.trail())
	require.False(t, onDisk(t, d.path, []byte("CNRY")))
	d.clean()
}

func TestARestoredRecordIsSeenByTheDuplicateCheckAgain(t *testing.T) {
	d := newDesk(t)
	first := d.save(d.provider, Entry{Draft: typed("7", "Okonkwo", 3200)})
	_, err := d.Void(d.provider, first.UUID, "wrong", 1)
	require.NoError(t, err)
	require.False(t, d.save(d.provider, Entry{Draft: typed("8", "Okonkwo", 3200)}).Suspected, "a voided record is ignored by the check")
	restored, err := d.Restore(d.provider, first.UUID, "right after all")
	require.NoError(t, err)
	require.True(t, restored.Suspected)
	require.True(t, d.save(d.provider, Entry{Draft: typed("9", "Okonkwo", 3200)}).Suspected)
}

func TestAnAmendmentThatWouldDuplicateAnotherRecordIsRefused(t *testing.T) {
	d := newDesk(t)
	d.save(d.provider, Entry{Draft: typed("7", "Okonkwo", 3200)})
	other := d.save(d.provider, Entry{Draft: typed("8", "Haddad", 3200)})
	_, err := d.Save(d.provider, Entry{Draft: typed("8", "Okonkwo", 3200), UUID: other.UUID, BaseVersion: 1})
	require.ErrorIs(t, err, ErrWouldDuplicate)
}

func TestTheRoleIsCheckedAgainAtTheWrite(t *testing.T) {
	d := newDesk(t)
	saved := d.save(d.provider, Entry{Draft: typed("7", "Okonkwo", 3200)})
	amendment := Entry{Draft: typed("7", "Okonkwo", 3300), UUID: saved.UUID, BaseVersion: 1}
	_, err := d.Save(d.viewer, Entry{Draft: typed("8", "Haddad", 3200)})
	require.ErrorIs(t, err, auth.ErrForbidden)
	for _, who := range []auth.User{d.viewer, d.scribe} {
		_, err = d.Save(who, amendment)
		require.ErrorIs(t, err, auth.ErrForbidden)
		_, err = d.Void(who, saved.UUID, "no", 1)
		require.ErrorIs(t, err, auth.ErrForbidden)
		_, err = d.Restore(who, saved.UUID, "no")
		require.ErrorIs(t, err, auth.ErrForbidden)
	}
	require.Len(t, d.trail(), 1)
}

func TestARecordOfAnotherPracticeIsNotFound(t *testing.T) {
	d := newDesk(t)
	saved := d.save(d.provider, Entry{Draft: typed("7", "Okonkwo", 3200)})
	stranger := d.admin
	require.NoError(t, d.db.Update(func(tx *store.Tx) error {
		id, err := tx.AddPractice("Elsewhere", false, false)
		stranger.Practice.ID = id
		return err
	}))
	_, err := d.Save(stranger, Entry{Draft: typed("7", "Okonkwo", 3300), UUID: saved.UUID, BaseVersion: 1})
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = d.Void(stranger, saved.UUID, "no", 1)
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = d.BaseVersion(t.Context(), stranger.Practice.ID, saved.UUID)
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = d.Save(stranger, Entry{Draft: typed("7", "Okonkwo", 3300), Fresh: saved.UUID})
	require.ErrorIs(t, err, store.ErrConflict, "another practice's token is not taken over")
}
