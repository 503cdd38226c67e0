package imports_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/app/imports"
	"birthregistry/app/mapping/sheet"
)

func TestAnErrorSaysWhichOfItsValuesTheRecordOnFileHas(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	b.Imported(who, "chart_number,mother_birth_date,birth_datetime,labor_onset_datetime\nA,1990-01-01,2026-03-02 04:18,2026-03-02 01:00\nB,1991-01-01,2026-03-02 04:18,\n")
	record := called(b, "A")[0].UUID
	i := b.Upload(who, "chart_number,mother_birth_date,birth_datetime,labor_onset_datetime\nA,1990-01-01,2026-03-01 04:18,\nB,,,2026-03-03 01:00\nC,1992-01-01,2026-03-01 04:18,2026-03-02 04:18\n")
	byRow := map[int]imports.WrongValue{}
	for _, v := range i.About.Preview.Values {
		byRow[v.Rows[0]] = v
	}
	require.Equal(t, imports.WrongValue{
		Column: "birth_date", At: 3, Value: "2026-03-01 04:18", Count: 1, Rows: []int{2}, Records: []string{record},
		Text: "The birth is before labor began. Correct one of the times. On file, not in this row: Onset of labor.",
	}, byRow[2], "the box is that of the value in the row")
	require.Contains(t, byRow[3].Text, "On file, not in this row: Date of birth.")
	require.Equal(t, 4, byRow[3].At)
	require.NotContains(t, byRow[4].Text, "On file", "the row states both values")
	require.Equal(t, "labor_onset_datetime", byRow[4].Column)
	require.Equal(t, []string{""}, byRow[4].Records)

	before := b.ErrorFile(who, i.ID)
	require.Contains(t, before, "On file, not in this row: Onset of labor.")
	require.NoError(t, b.Imports.ConfirmWithDrafts(t.Context(), who, i.ID), "the third row is kept as a draft")
	b.Drain()
	require.Contains(t, b.ErrorFile(who, i.ID), "On file, not in this row: Onset of labor.", "the import says what the preview says")
}

func TestANoteSaysWhichOfItsValuesTheRecordOnFileHas(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	b.Imported(who, "chart_number,mother_family_name,birth_date,gravida\nA,One,2026-03-02,2\n")
	found := b.Upload(who, "chart_number,parity\nA,4\n").About.Preview
	require.Equal(t, []sheet.Cell{{
		Row: 2, Column: "parity", At: 2, Record: called(b, "A")[0].UUID,
		Text: "Previous births should be fewer than pregnancies. Check both. On file, not in this row: Pregnancies, this one included.",
	}}, found.Notes)
}

func TestUsersWhoMayNotReadRecordsDoNotSeeWhichRecordAnErrorIsAbout(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	b.Imported(who, "chart_number,mother_family_name,birth_date,gravida\nA,One,2026-03-02,2\n")
	i := b.Upload(who, "chart_number,parity,birth_weight_g\nA,4,3000\nA,,heavy\n")
	j := b.Upload(who, "chart_number,parity\nA,4\n")
	who.Role = auth.Scribe
	seen := again(b, who, i.ID).About.Preview
	require.Equal(t, []string(nil), seen.Values[0].Records)
	require.Empty(t, seen.Cells[0].Record)
	require.Empty(t, again(b, who, j.ID).About.Preview.Notes[0].Record)
	b.Clean()
}
