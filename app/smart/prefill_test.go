package smart

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping/uscore"
	"birthregistry/store"
)

func values(source birth.Source, pairs ...any) (all birth.Values) {
	for i := 0; i < len(pairs); i += 2 {
		v := pairs[i+1].(birth.Value)
		v.Source = source
		all.Set(birth.Must(pairs[i].(string)), v)
	}
	return all
}

// aPrefill returns a prefill with something in every part.
func aPrefill() Prefill {
	draft := birth.Draft{
		Chart:  "MRN 1",
		Mother: values(birth.EHRPull, "mother_family_name", birth.Value{Text: "Lindqvist"}, "gravida", birth.Value{Number: 2}),
		Children: []birth.Values{
			values(birth.EHRPull, "birth_weight_g", birth.Value{Number: 3400}),
		},
		Providers: []birth.Provider{{Key: "k", Name: "Ada", Role: birth.RoleMidwife, Attending: true, Source: birth.EHRPull}},
		Transfers: []birth.Transfer{{Type: "intrapartum", Direction: "in", Reason: "long labor", Source: birth.EHRPull}},
	}
	return Prefill{
		EHR: "Riverside EHR", EHRID: 7, ReadAt: time.Now().UTC().Truncate(time.Millisecond), Unread: []string{"The conditions could not be read."},
		Reading: uscore.Reading{
			Patient: uscore.Patient{Name: "Maja Lindqvist", BirthDate: "1994-02-01", Number: "MRN 1", Deceased: true},
			Role:    uscore.Mother, Why: "She is 32 years old.",
			As: map[uscore.Role]uscore.Filled{
				uscore.Mother: {
					Draft:   draft,
					Origins: []uscore.Origin{{At: birth.At("gravida"), Text: "2, LOINC 11996-6, 2026-05-01", Others: []string{"1"}}},
					Hints: []uscore.Hint{
						{At: birth.Of(birth.ChildList, 0, "birth_weight_g"), Text: "3.5 kg", Value: &birth.Value{Number: 3500}},
						{At: birth.At("parity"), Text: "P1"},
					},
					Notices: []string{"Two pregnancies"}, Unused: []string{"Blood pressure"},
				},
				uscore.Newborn: {Draft: birth.Draft{Children: []birth.Values{values(birth.EHRPull, "birth_date", birth.Value{Text: "2026-05-01"})}}},
			},
		},
	}
}

func (r *installation) keep(p Prefill) string {
	r.t.Helper()
	handle, err := r.Keep(p)
	require.NoError(r.t, err)
	require.Len(r.t, handle, 43, "256 bits")
	return handle
}

func TestAPrefillComesBackAsItWasKept(t *testing.T) {
	r := opened(t)
	p := aPrefill()
	got, err := r.Prefill(t.Context(), r.keep(p), r.who)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(OpenLife), got.Expires, time.Minute)
	require.Equal(t, p.EHR, got.EHR)
	require.Equal(t, p.EHRID, got.EHRID)
	require.Equal(t, p.ReadAt, got.ReadAt)
	require.Equal(t, p.Unread, got.Unread)
	require.Equal(t, p.Reading.Patient, got.Reading.Patient)
	require.Equal(t, p.Reading.Role, got.Reading.Role)
	require.Equal(t, p.Reading.Why, got.Reading.Why)
	require.Len(t, got.Reading.As, 2)
	want, mother := p.Reading.As[uscore.Mother], got.Reading.As[uscore.Mother]
	require.Equal(t, birth.Mask(want.Draft).Draft(), mother.Draft, "it is masked")
	require.Equal(t, want.Origins, mother.Origins)
	require.Equal(t, want.Hints, mother.Hints)
	require.Equal(t, want.Notices, mother.Notices)
	require.Equal(t, want.Unused, mother.Unused)
	require.Equal(t, "2026-05-01", got.Reading.As[uscore.Newborn].Draft.Children[0].Text("birth_date"))
}

func TestARoleThatTheChartDoesNotStateIsKeptAsUnknown(t *testing.T) {
	r := opened(t)
	p := aPrefill()
	p.Reading.As[uscore.Mother].Draft.Providers[0].Role = ""
	got, err := r.Prefill(t.Context(), r.keep(p), r.who)
	require.NoError(t, err)
	require.Equal(t, "Ada", got.Reading.As[uscore.Mother].Draft.Providers[0].Name)
	require.Empty(t, got.Reading.As[uscore.Mother].Draft.Providers[0].Role)
}

func TestMaskingRunsBeforeAPrefillIsKept(t *testing.T) {
	p := aPrefill()
	filled := p.Reading.As[uscore.Mother]
	filled.Draft.Mother.Set(birth.Must("gravida"), birth.Value{Number: -4, Source: birth.EHRPull})
	filled.Origins = append(filled.Origins,
		uscore.Origin{At: birth.At("social_security_number"), Text: "leaked"},
		uscore.Origin{At: birth.Of(birth.ChildList, 4, "birth_date"), Text: "leaked"},
		uscore.Origin{At: birth.Of("pet", 0, "name"), Text: "leaked"})
	filled.Hints = append(filled.Hints,
		uscore.Hint{At: birth.At("favorite_color"), Text: "leaked"},
		uscore.Hint{At: birth.At("gravida"), Text: "a\u202e\x1b[31m b\n" + strings.Repeat("x", 2*maxWords), Value: &birth.Value{Number: 1e9}})
	p.Reading.As[uscore.Mother] = filled
	r := opened(t)
	got, err := r.Prefill(t.Context(), r.keep(p), r.who)
	require.NoError(t, err)
	mother := got.Reading.As[uscore.Mother]
	require.False(t, mother.Draft.Mother.Has("gravida"))
	for _, o := range mother.Origins {
		require.NotEqual(t, "leaked", o.Text)
	}
	last := mother.Hints[len(mother.Hints)-1]
	require.Equal(t, birth.At("gravida"), last.At)
	require.Nil(t, last.Value, "what the field would not take is not offered")
	require.True(t, strings.HasPrefix(last.Text, "a [31m b x"), "nothing in it steers")
	require.LessOrEqual(t, len([]rune(last.Text)), maxWords+1)
}

func TestAPrefillIsSealedAndItsHandleIsNotKept(t *testing.T) {
	r := opened(t)
	handle := r.keep(aPrefill())
	require.NoError(t, r.db.View(t.Context(), func(v *store.View) error {
		row, err := v.Prefill(hash(handle))
		require.NotContains(t, string(row.Sealed), "Lindqvist")
		_, missing := v.Prefill([]byte(handle))
		require.ErrorIs(t, missing, store.ErrNotFound)
		return err
	}))
}

func TestTheFirstUserToOpenAPrefillOwnsItAndTheTrailRecordsItOnce(t *testing.T) {
	r := opened(t)
	handle := r.keep(aPrefill())
	stranger := r.person("vera@example.org", r.p)
	for range 2 {
		_, err := r.Prefill(t.Context(), handle, r.who)
		require.NoError(t, err)
	}
	_, err := r.Prefill(t.Context(), handle, stranger)
	require.ErrorIs(t, err, ErrNoPrefill)
	require.NotErrorIs(t, err, ErrOtherPractice)
	_, err = r.Prefill(t.Context(), handle+"x", r.who)
	require.ErrorIs(t, err, ErrNoPrefill)
	nobody := r.who
	nobody.ID = 0
	_, err = r.Prefill(t.Context(), r.keep(aPrefill()), nobody)
	require.ErrorIs(t, err, ErrNoPrefill)
	var opened []store.Audit
	require.NoError(t, r.db.View(t.Context(), func(v *store.View) error {
		all, err := v.Audits(r.p, store.AuditFilter{}, 0, false, 9)
		opened = all
		return err
	}))
	require.Len(t, opened, 1)
	require.Equal(t, "prefill.open", opened[0].Action)
	require.Equal(t, "EHR 7", opened[0].Object)
	require.Equal(t, r.who.ID, opened[0].User)
}

func TestAPrefillForAPracticeOpensInThatPracticeOnly(t *testing.T) {
	r := opened(t)
	p := aPrefill()
	p.Practice = r.practice("Hillside")
	handle := r.keep(p)
	got, err := r.Prefill(t.Context(), handle, r.who)
	require.ErrorIs(t, err, ErrOtherPractice)
	require.ErrorIs(t, err, ErrNoPrefill)
	require.Zero(t, got)
	switched := r.who
	switched.Practice.ID = p.Practice
	_, err = r.Prefill(t.Context(), handle, switched)
	require.NoError(t, err, "looking in from elsewhere takes nothing away")
}

func TestADeletedPrefillIsGoneAndDeletingItAgainIsNoError(t *testing.T) {
	r := opened(t)
	handle := r.keep(aPrefill())
	require.False(t, r.TakeTruncationPending())
	require.NoError(t, r.Drop(handle))
	require.True(t, r.TakeTruncationPending(), "the WAL is truncated")
	_, err := r.Prefill(t.Context(), handle, r.who)
	require.ErrorIs(t, err, ErrNoPrefill)
	require.NoError(t, r.Drop(handle))
	require.False(t, r.TakeTruncationPending())
}

func TestAPrefillThatNobodyOpensIsDeletedAfterHalfAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t)
		handle := r.keep(aPrefill())
		time.Sleep(PrefillLife - time.Second)
		require.NoError(t, r.Sweep())
		time.Sleep(time.Second)
		_, err := r.Prefill(t.Context(), handle, r.who)
		require.ErrorIs(t, err, ErrNoPrefill, "before the sweep comes")
		time.Sleep(time.Second)
		require.NoError(t, r.Sweep())
		require.True(t, r.TakeTruncationPending())
		r.requireGone(handle)
	})
}

func TestAnOpenPrefillIsKeptUntilADayAfterItsFormWasLastUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t)
		handle := r.keep(aPrefill())
		time.Sleep(PrefillLife - time.Second)
		for range 5 {
			p, err := r.Prefill(t.Context(), handle, r.who)
			require.NoError(t, err)
			require.WithinDuration(t, time.Now().Add(OpenLife), p.Expires, noted)
			time.Sleep(OpenLife - noted - time.Second)
			require.NoError(t, r.Sweep())
		}
		time.Sleep(noted + 2*time.Second)
		_, err := r.Prefill(t.Context(), handle, r.who)
		require.ErrorIs(t, err, ErrNoPrefill)
		require.NoError(t, r.Sweep())
		r.requireGone(handle)
	})
}

func TestOfManyOpenPrefillsOfAUserThoseUsedLastAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := opened(t)
		other := r.person("vera@example.org", r.p)
		foreign := r.keep(aPrefill())
		_, err := r.Prefill(t.Context(), foreign, other)
		require.NoError(t, err)
		first := r.keep(aPrefill())
		_, err = r.Prefill(t.Context(), first, r.who)
		require.NoError(t, err)
		second := ""
		for i := range MostOpen {
			time.Sleep(time.Second + noted)
			_, err = r.Prefill(t.Context(), first, r.who) // in use all the time
			require.NoError(t, err)
			handle := r.keep(aPrefill())
			_, err = r.Prefill(t.Context(), handle, r.who)
			require.NoError(t, err)
			if i == 0 {
				second = handle
			}
		}
		r.requireGone(second)
		require.True(t, r.TakeTruncationPending())
		_, err = r.Prefill(t.Context(), first, r.who)
		require.NoError(t, err)
		_, err = r.Prefill(t.Context(), foreign, other)
		require.NoError(t, err)
	})
}

// requireGone requires that nothing of a prefill is left in the database.
func (r *installation) requireGone(handle string) {
	r.t.Helper()
	require.ErrorIs(r.t, r.db.View(context.Background(), func(v *store.View) error {
		_, err := v.Prefill(hash(handle))
		return err
	}), store.ErrNotFound)
}
