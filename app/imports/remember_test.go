package imports_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/app/imports"
	"birthregistry/store"
)

// ownHeaders returns a file with headers of its own and an abbreviation.
func ownHeaders(chart string) string {
	return "Chart #," + chart + ",Mother last name,Baby DOB,Sex\nA,x,One,1999-03-02,girl\nB,x,Two,1999-03-03,girl\n"
}

// matched uploads a file and accepts the proposals for its columns and values.
func matched(b *fixture.Fixture, who auth.User, file string) imports.Import {
	b.Helper()
	i := b.Upload(who, file)
	if i.About.Step == imports.ToColumns {
		answers := make([]imports.Answer, len(i.About.Layout.Columns))
		for n, c := range i.About.Layout.Columns {
			answers[n].Name = c.Name
		}
		require.NoError(b, b.Imports.MatchColumns(b.Context(), who, i.ID, answers, "", 0))
		i = again(b, who, i.ID)
	}
	if i.About.Step == imports.ToValues {
		codes := map[int]string{}
		for n := range i.About.Groups {
			codes[n] = "female"
		}
		require.NoError(b, b.Imports.MatchValues(b.Context(), who, i.ID, codes))
		i = again(b, who, i.ID)
	}
	require.Equal(b, imports.Matched, i.About.Step)
	return i
}

// known returns what is remembered about a practice's files.
func known(b *fixture.Fixture, who auth.User) ([]imports.Remembered, int) {
	b.Helper()
	all, revision, err := b.Imports.Remembered(b.Context(), who)
	require.NoError(b, err)
	return all, revision
}

func TestAnAdminForgetsOneFilesAnswersOrAll(t *testing.T) {
	b := fixture.New(t)
	admin := b.Person(auth.Admin)
	for n := range 3 {
		matched(b, admin, ownHeaders(fmt.Sprint("own ", n)))
	}
	all, revision := known(b, admin)
	require.Len(t, all, 3)
	require.Equal(t, "own 2", all[0].Columns[1].Header, "the last used first")
	require.NoError(t, b.Imports.Forget(t.Context(), admin, revision, 0))
	require.ErrorIs(t, b.Imports.Forget(t.Context(), admin, revision, 0), imports.ErrRememberedChanged, "the number would mean another file")
	all, _ = known(b, admin)
	require.Len(t, all, 2)
	require.Equal(t, "own 1", all[0].Columns[1].Header)
	require.Equal(t, imports.ToColumns, b.Upload(admin, ownHeaders("own 2")).About.Step, "it is asked again")
	require.True(t, b.Upload(admin, ownHeaders("own 1")).About.Remembered)

	_, revision = known(b, admin)
	require.NoError(t, b.Imports.Forget(t.Context(), admin, revision, -1))
	all, _ = known(b, admin)
	require.Empty(t, all)
	require.NoError(t, b.Imports.Forget(t.Context(), admin, 0, -1), "to forget twice is to forget once")
	require.ErrorIs(t, b.Imports.Forget(t.Context(), b.Person(auth.Provider), 0, -1), auth.ErrForbidden)
	forgotten := 0
	require.NoError(t, b.DB.View(t.Context(), func(v *store.View) error {
		return v.Trail(func(a store.Audit) error {
			if a.Action == "import.forget" {
				forgotten++
				require.Empty(t, a.Object, "no header is in the audit trail")
			}
			return nil
		})
	}))
	require.Equal(t, 2, forgotten)
	b.Clean()
}

func TestAnswersAreDeletedAYearAfterTheirLastUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fixture.New(t)
		who := b.Person(auth.Admin)
		swept := func() int64 {
			t.Helper()
			n, err := b.Imports.SweepMatches()
			require.NoError(t, err)
			return n
		}
		matched(b, who, ownHeaders("own"))
		matched(b, who, ownHeaders("other"))
		time.Sleep(imports.MatchesKept - time.Hour)
		require.Zero(t, swept())
		require.True(t, b.Upload(who, ownHeaders("own")).About.Remembered)
		time.Sleep(imports.MatchesKept - time.Hour)
		require.Zero(t, swept(), "a file that was read by them is a use")
		all, _ := known(b, who)
		require.Len(t, all, 2)
		require.True(t, b.Upload(who, ownHeaders("own")).About.Remembered)
		all, _ = known(b, who)
		require.Len(t, all, 1, "the headers that nobody has used for a year are gone")
		time.Sleep(imports.MatchesKept + time.Hour)
		b.Restart()
		require.Zero(t, swept(), "the clock may be a year ahead: nothing shows it in the first hour")
		time.Sleep(time.Hour)
		require.Equal(t, int64(1), swept())
		all, _ = known(b, who)
		require.Empty(t, all)
		require.Equal(t, imports.ToColumns, b.Upload(who, ownHeaders("own")).About.Step)
		require.NoError(t, b.DB.Close())
	})
}

func TestChangingHowColumnsAreMatchedAsksAgainAndForgetsTheValues(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	i := matched(b, who, ownHeaders("own"))
	require.Zero(t, i.About.Preview.Errors)
	require.NoError(t, b.Imports.Rematch(t.Context(), who, i.ID))
	i = again(b, who, i.ID)
	require.Equal(t, imports.ToColumns, i.About.Step)
	require.Zero(t, i.About.Preview.Items(), "nothing can be imported meanwhile")
	require.ErrorIs(t, b.Imports.Confirm(t.Context(), who, i.ID, true), imports.ErrNothing)
	for _, c := range i.About.Layout.Columns {
		require.Empty(t, c.Values)
	}
	require.NoError(t, b.Imports.MatchColumns(t.Context(), who, i.ID, []imports.Answer{{}, {}, {Name: "mother_family_name"}, {Name: "birth_date"}, {}}, "", 0))
	i = again(b, who, i.ID)
	require.Equal(t, imports.Matched, i.About.Step)
	require.Equal(t, 2, i.About.Known)
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, false))
	require.ErrorIs(t, b.Imports.Rematch(t.Context(), who, i.ID), imports.ErrFileGone, "it is confirmed")
}
