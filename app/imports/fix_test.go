package imports_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/fixture"
	"birthregistry/app/imports"
	"birthregistry/app/mapping/sheet"
	"birthregistry/store"
)

// again returns a file with its present preview.
func again(b *fixture.Fixture, who auth.User, id string) imports.Import {
	b.Helper()
	i, err := b.Imports.Import(b.Context(), who, id)
	require.NoError(b, err)
	return i
}

// wrong returns the number of a wrong value of a preview.
func wrong(b *fixture.Fixture, i imports.Import, value string) int {
	b.Helper()
	for n, v := range i.About.Preview.Values {
		if v.Value == value {
			return n
		}
	}
	require.Fail(b, "no such wrong value", "%s in %+v", value, i.About.Preview.Values)
	return 0
}

const twoWrongDates = "chart_number,mother_family_name,birth_date,birth_weight_g\nA,One,2 March,3000\nB,Two,2 March,3100\nC,Three,tomorrow,3200\nD,Four,2026-03-05,3300\n"

func TestAWrongTextIsFixedInThePreviewForAllRowsThatHoldIt(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Scribe)
	i := b.Upload(who, twoWrongDates)
	require.Equal(t, "rows 4: new 0, amends 0, revives 0, unchanged 0, errors 3, suspected 0", strings.Replace(fixture.Counts(i.About.Preview), "taken", "", 1))
	require.NoError(t, b.Imports.Fix(t.Context(), who, i.ID, i.About.Revision, []imports.Typed{{Wrong: wrong(b, i, "2 March"), Value: " 2026-03-02 "}}))
	i = again(b, who, i.ID)
	require.Equal(t, 1, i.About.Preview.Errors)
	require.Equal(t, []imports.WrongValue{{
		Column: "birth_date", At: 3, Value: "tomorrow", Text: i.About.Preview.Values[0].Text, Unread: true, Count: 1, Rows: []int{4},
	}}, i.About.Preview.Values, "nothing else has changed")
	require.Equal(t, []sheet.Fix{{Column: 3, Text: "2 March", Value: "2026-03-02"}}, i.About.Fixes)

	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, true))
	b.Drain()
	require.Len(t, b.Records(), 3)
	for _, chart := range []string{"A", "B"} {
		on, err := b.Changes.BaseVersion(t.Context(), b.Caller.Practice, called(b, chart)[0].UUID)
		require.NoError(t, err)
		date, _ := on.Draft.Children[0].Get("birth_date")
		require.Equal(t, "2026-03-02", date.Text, chart)
		require.Equal(t, birth.CSV, date.Source, "the value is the file's")
	}
	require.Equal(t, "C,Three,tomorrow,3200", b.ErrorFile(who, i.ID)[len("chart_number,mother_family_name,birth_date,birth_weight_g,error\r\n"):][:len("C,Three,tomorrow,3200")])
	b.Clean()
}

func TestAWrongCellIsFixedForOneRowAlone(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	i := b.Upload(who, twoWrongDates)
	fix := func(value string, row int, typed string) {
		t.Helper()
		require.NoError(t, b.Imports.Fix(t.Context(), who, i.ID, i.About.Revision, []imports.Typed{{Wrong: wrong(b, i, value), Row: row, Value: typed}}))
		i = again(b, who, i.ID)
	}
	fix("2 March", 3, "2026-03-03")
	require.Equal(t, []int{2}, i.About.Preview.Values[wrong(b, i, "2 March")].Rows)
	fix("tomorrow", 0, "the day after")
	fix("the day after", 0, "2026-03-04")
	fix("2 March", 0, "2026-03-02")
	require.Zero(t, i.About.Preview.Errors)
	require.Equal(t, []sheet.Fix{
		{Column: 3, Row: 3, Text: "2 March", Value: "2026-03-03"},
		{Column: 3, Row: 4, Text: "tomorrow", Value: "2026-03-04"},
		{Column: 3, Row: 2, Text: "2 March", Value: "2026-03-02"},
	}, i.About.Fixes, "what is typed a second time replaces the first")

	require.NoError(t, b.Imports.Unfix(t.Context(), who, i.ID, i.About.Revision, 1))
	i = again(b, who, i.ID)
	require.Equal(t, "tomorrow", i.About.Preview.Values[0].Value, "a fix can be taken back")
	require.Equal(t, 1, i.About.Preview.Errors)
}

func TestATextThatIsWrongInSomeRowsOnlyIsFixedRowByRow(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	i := b.Upload(who, "chart_number,mother_family_name,birth_date\nA,One,2026-03-02\nB,Two,2026-03-02\nA,Three,2026-03-02\n")
	n := wrong(b, i, "A")
	require.False(t, i.About.Preview.Values[n].FixAll(), "the first A is right")
	require.NoError(t, b.Imports.Fix(t.Context(), who, i.ID, i.About.Revision, []imports.Typed{{Wrong: n, Value: "C"}}))
	i = again(b, who, i.ID)
	require.Equal(t, "rows 3: new 3, amends 0, revives 0, unchanged 0, errors 0, suspected 0", fixture.Counts(i.About.Preview))
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, false))
	b.Drain()
	require.Len(t, called(b, "A"), 1)
	require.Len(t, called(b, "C"), 1)
}

func TestAFixForAnotherPreviewIsRefused(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	i := b.Upload(who, twoWrongDates)
	typed := []imports.Typed{{Wrong: wrong(b, i, "tomorrow"), Value: "2026-03-04"}}
	require.NoError(t, b.Imports.Fix(t.Context(), who, i.ID, i.About.Revision, []imports.Typed{{Wrong: wrong(b, i, "2 March"), Value: "2026-03-02"}}))
	require.ErrorIs(t, b.Imports.Fix(t.Context(), who, i.ID, i.About.Revision, typed), imports.ErrPreviewChanged, "the number would mean another value")
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, true))
	require.ErrorIs(t, b.Imports.Fix(t.Context(), who, i.ID, i.About.Revision+1, typed), imports.ErrFileGone)
	require.ErrorIs(t, b.Imports.Fix(t.Context(), b.Person(auth.Viewer), i.ID, 1, typed), auth.ErrForbidden)
	require.ErrorIs(t, b.Imports.Fix(t.Context(), b.Person(auth.Scribe), i.ID, 1, typed), store.ErrNotFound, "a scribe's own files alone")
}

func TestTheFixesOfAFileAreBounded(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	var file strings.Builder
	file.WriteString("chart_number,mother_family_name,birth_date\n")
	for n := range imports.FixesKept + 5 {
		fmt.Fprintf(&file, "C%d,Lee,wrong %d\n", n, n)
	}
	i := b.Upload(who, file.String())
	for range 2 { // a page lists only the first of them
		var typed []imports.Typed
		for n := range min(len(i.About.Preview.Values), imports.FixesKept-len(i.About.Fixes)) {
			typed = append(typed, imports.Typed{Wrong: n, Value: "2026-03-02"})
		}
		require.NoError(t, b.Imports.Fix(t.Context(), who, i.ID, i.About.Revision, typed))
		i = again(b, who, i.ID)
	}
	require.Len(t, i.About.Fixes, imports.FixesKept)
	require.Equal(t, 5, i.About.Preview.Errors)
	more := []imports.Typed{{Value: "2026-03-02"}}
	require.ErrorIs(t, b.Imports.Fix(t.Context(), who, i.ID, i.About.Revision, more), imports.ErrManyFixes)
	require.NoError(t, b.Imports.Unfix(t.Context(), who, i.ID, i.About.Revision, 0))
	for _, text := range []string{strings.Repeat("x", imports.FixLength+1), "two\nlines"} {
		require.ErrorIs(t, b.Imports.Fix(t.Context(), who, i.ID, i.About.Revision+1, []imports.Typed{{Value: text}}), imports.ErrFixLength)
	}
}

func TestFixesAreGoneWithTheFileAndWithAnotherMatching(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	i := b.Upload(who, twoWrongDates)
	fix := func() {
		i = again(b, who, i.ID)
		require.NoError(t, b.Imports.Fix(t.Context(), who, i.ID, i.About.Revision, []imports.Typed{{Wrong: wrong(b, i, "2 March"), Value: "2026-03-02"}}))
		i = again(b, who, i.ID)
		require.Len(t, i.About.Fixes, 1)
	}
	fix()
	require.NoError(t, b.Imports.Rematch(t.Context(), who, i.ID))
	require.Empty(t, again(b, who, i.ID).About.Fixes, "they were typed for the columns as matched then")
	answers := make([]imports.Answer, 4)
	for n, c := range i.About.Layout.Columns {
		answers[n].Name = c.Name
	}
	require.NoError(t, b.Imports.MatchColumns(t.Context(), who, i.ID, answers, "", 0))
	fix()
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, true))
	b.Drain()
	require.NoError(t, b.Imports.Drop(t.Context(), who, i.ID))
	i = again(b, who, i.ID)
	require.Empty(t, i.About.Fixes)
	require.Equal(t, 2+1, i.Result.New, "what they did is kept")
	for _, v := range i.About.Preview.Values {
		require.Empty(t, v.Value)
	}
}
