package imports_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/app/imports"
	"birthregistry/app/mapping/sheet"
	"birthregistry/assets"
	"birthregistry/store"
)

func TestAFileIsPreviewedConfirmedAndImportedByTheQueue(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	file := fixture.Head + fixture.Row("A", "Okonkwo", 1, 3000) + fixture.Row("B", "Novak", 2, 3100) + fixture.Row("T", "Lee", 3, 2400) + fixture.Row("T", "Lee", 4, 2300) +
		fixture.Row("", "Nameless", 5, 3200) + fixture.Row("E", "Broken", 6, 7)
	i := b.Upload(who, file)
	require.Equal(t, "rows 6: new 4, amends 0, revives 0, unchanged 0, errors 1, suspected 0", fixture.Counts(i.About.Preview))
	require.Equal(t, []imports.ColumnCount{{"birth_weight_g", 1}}, i.About.Preview.Columns)
	require.Empty(t, b.Records(), "a preview writes nothing")
	require.ErrorIs(t, b.Imports.Confirm(t.Context(), who, i.ID, false), imports.ErrLeaveOut)
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, true))
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, true), "to confirm twice is to confirm once")
	b.Drain()

	done, err := b.Imports.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, "rows 6: new 4, amends 0, revives 0, unchanged 0, errors 1, suspected 0", fixture.Counts(*done.Result))
	all := b.Records()
	require.Len(t, all, 4)
	for _, r := range all {
		require.Equal(t, birth.CSV, r.Source)
		require.NotEmpty(t, r.Chart, "a row without a chart number gets one")
		on, err := b.Changes.BaseVersion(t.Context(), b.Caller.Practice, r.UUID)
		require.NoError(t, err)
		require.Len(t, on.Draft.Children, map[bool]int{true: 2, false: 1}[r.Chart == "T"])
	}
	require.Contains(t, b.ErrorFile(who, i.ID), "E,Broken,Amara,2026-03-02 04:06,7,cesarean,\"birth_weight_g: Write a whole number")
	b.Clean()
	require.NotContains(t, b.Log.String(), "Okonkwo")
}

func TestThePreviewPredictsTheImport(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	b.Imported(who, fixture.Head+fixture.Row("same", "One", 1, 3000)+fixture.Row("amended", "Two", 2, 3000)+fixture.Row("voided", "Three", 3, 3000)+fixture.Row("clash", "One Four", 4, 3000))
	for _, r := range b.Records() {
		if r.Chart == "voided" {
			_, err := b.Changes.Void(who, r.UUID, "by mistake", r.Version)
			require.NoError(t, err)
		}
	}
	file := fixture.Head + fixture.Row("same", "One", 1, 3000) + fixture.Row("amended", "Two", 2, 3456) + fixture.Row("voided", "Three", 3, 3000) +
		fixture.Row("clash", "One", 1, 3000) + fixture.Row("again", "ONE ", 1, 3000) + fixture.Row("fresh", "Five", 5, 3000) + fixture.Row("twice", "Five", 5, 3000)
	i := b.Upload(who, file)
	const want = "rows 7: new 3, amends 1, revives 1, unchanged 1, errors 1, suspected 2"
	require.Equal(t, want, fixture.Counts(i.About.Preview))
	before := b.ErrorFile(who, i.ID)
	require.Contains(t, before, "clash,One,Amara,2026-03-02 04:01,3000,cesarean,\"With this row the record would look like another one")
	require.Equal(t, 2, strings.Count(before, "\r\n"))

	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, true))
	b.Drain()
	done, err := b.Imports.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, want, fixture.Counts(*done.Result))
	counted := map[string]int{}
	for _, r := range done.Result.First {
		counted[r.Outcome]++
	}
	require.Equal(t, map[string]int{"new": 3, "amends": 1, "revives": 1, "unchanged": 1, "error": 1}, counted)
	require.Equal(t, before, b.ErrorFile(who, i.ID))
	versions := map[string]int{}
	for _, r := range b.Records() {
		versions[r.Chart] = r.Version
	}
	require.Equal(t, map[string]int{"same": 1, "amended": 2, "voided": 3, "clash": 1, "again": 1, "fresh": 1, "twice": 1}, versions)
	b.Clean()
}

func TestAFileThatWritesTheDayFirstIsReadTheSameByPreviewImportAndErrorFile(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	i := b.Upload(who, "chart_number,mother_family_name,birth_date\nA,One,05/04/2026\nB,Two,13/04/2026\nC,Three,2026-04-06\nD,Four,14/4/26\n")
	require.Equal(t, imports.ToColumns, i.About.Step, "a year of two digits is asked about")
	answers := make([]imports.Answer, 3)
	for n, c := range i.About.Layout.Columns {
		answers[n].Name = c.Name
	}
	require.NoError(t, b.Imports.MatchColumns(t.Context(), who, i.ID, answers, "", sheet.NoShortYears))
	i, err := b.Imports.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	const want = "rows 4: new 3, amends 0, revives 0, unchanged 0, errors 1, suspected 0"
	require.Equal(t, want, fixture.Counts(i.About.Preview))
	before := b.ErrorFile(who, i.ID)
	require.Contains(t, before, "D,Four,14/4/26,\"birth_date: Write the date")
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, true))
	b.Drain()
	done, err := b.Imports.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, want, fixture.Counts(*done.Result))
	require.Equal(t, before, b.ErrorFile(who, i.ID))
	on, err := b.Changes.BaseVersion(t.Context(), b.Caller.Practice, called(b, "A")[0].UUID)
	require.NoError(t, err)
	require.Equal(t, "2026-04-05", on.Draft.Children[0].Text("birth_date"))
}

func TestThePreviewListsTheRecordsThatChangeEvenInALongFile(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	file := fixture.Head
	for n := range 59 {
		file += fixture.Row(fmt.Sprint("C", n), fmt.Sprint("Fam", n), n, 3000)
	}
	b.Imported(who, file)
	i := b.Upload(who, strings.Replace(file, "Fam57,Amara,2026-03-02 04:57,3000", "Fam57,Amara,2026-03-02 04:57,3100", 1))
	require.Len(t, i.About.Preview.First, 50)
	require.Len(t, i.About.Preview.Changed, 1)
	require.Equal(t, "C57", i.About.Preview.Changed[0].Chart)
	require.Equal(t, []string{"Birth weight"}, i.About.Preview.Changed[0].Fields)
	who.Role = auth.Scribe
	require.Empty(t, again(b, who, i.ID).About.Preview.Changed, "users who may not read records don't see what is on file")
	who.Role = auth.Provider
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, false))
	b.Drain()
	done := again(b, who, i.ID)
	require.Len(t, done.Result.Changed, 1)
	require.Equal(t, called(b, "C57")[0].UUID, done.Result.Changed[0].Record)
}

func TestAFileWithNothingNewHasNothingToImport(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	file := fixture.Head + fixture.Row("A", "Okonkwo", 1, 3000) + fixture.Row("T", "Lee", 3, 2400) + fixture.Row("T", "", 4, 2300)
	b.Imported(who, file)
	i := b.Upload(who, file)
	require.Equal(t, "rows 3: new 0, amends 0, revives 0, unchanged 2, errors 0, suspected 0", fixture.Counts(i.About.Preview))
	require.ErrorIs(t, b.Imports.Confirm(t.Context(), who, i.ID, true), imports.ErrNothing)
}

func TestARowKeepsWhatAnEHRSentAndNamesTheSourceOfTheRest(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Provider)
	b.Accept(fixture.Course("A", 3000))
	b.Drain()
	b.Imported(who, "chart_number,birth_weight_g,apgar_five_minute\nA,3000,9\n")
	r := b.Records()[0]
	require.Equal(t, 2, r.Version)
	on, err := b.Changes.BaseVersion(t.Context(), b.Caller.Practice, r.UUID)
	require.NoError(t, err)
	weight, _ := on.Draft.Children[0].Get("birth_weight_g")
	require.Equal(t, birth.FHIRPush, weight.Source)
	apgar, _ := on.Draft.Children[0].Get("apgar_five_minute")
	require.Equal(t, birth.CSV, apgar.Source)
	require.NoError(t, b.DB.View(t.Context(), func(v *store.View) error {
		g, err := v.Ingestion(b.Caller.Practice, b.Listed(who)[0].ID)
		require.Equal(t, who.ID, g.User)
		return err
	}))
}

func TestTheVersionsOfAnImportNameTheUserWhoConfirmedIt(t *testing.T) {
	b := fixture.New(t)
	scribe, admin := b.Person(auth.Scribe), b.Person(auth.Admin)
	i := b.Upload(scribe, fixture.Head+fixture.Row("A", "Okonkwo", 1, 3000))
	require.NoError(t, b.Imports.Confirm(t.Context(), admin, i.ID, false))
	b.Drain()
	b.Imported(auth.Operator(admin.Practice), "chart_number,birth_weight_g\nA,3111\n")
	require.NoError(t, b.DB.View(t.Context(), func(v *store.View) error {
		all, err := v.History(b.Caller.Practice, b.Records()[0].ID, 0, 9)
		require.Len(t, all, 2)
		require.Empty(t, all[0].User, "the operator is no user")
		require.Equal(t, admin.Name, all[1].User)
		require.Equal(t, i.ID, all[1].Ingestion)
		return err
	}))
}

func TestAnAmendmentBetweenPreviewAndImportIsNotOverwritten(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	b.Imported(who, fixture.Head+fixture.Row("A", "Okonkwo", 1, 3000))
	i := b.Upload(who, "chart_number,birth_weight_g\nA,3333\n")
	require.Equal(t, 1, i.About.Preview.Amends)
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, false))
	time.Sleep(2 * time.Millisecond) // times are stored in milliseconds
	on, err := b.Changes.BaseVersion(t.Context(), b.Caller.Practice, b.Records()[0].UUID)
	require.NoError(t, err)
	on.Draft.Mother.Set(birth.Must("gravida"), birth.Value{Number: 4, Source: birth.Manual})
	_, err = b.Changes.Save(who, changes.Form{Draft: on.Draft, UUID: on.Record.UUID, BaseVersion: 1})
	require.NoError(t, err)
	b.Drain()
	on, err = b.Changes.BaseVersion(t.Context(), b.Caller.Practice, on.Record.UUID)
	require.NoError(t, err)
	gravida, _ := on.Draft.Mother.Get("gravida")
	require.EqualValues(t, 4, gravida.Number)
	weight, _ := on.Draft.Children[0].Get("birth_weight_g")
	require.EqualValues(t, 3000, weight.Number)
	require.Equal(t, 2, on.Record.Version)
	done, err := b.Imports.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, "rows 1: new 0, amends 0, revives 0, unchanged 0, errors 1, suspected 0", fixture.Counts(*done.Result))
	require.Contains(t, b.ErrorFile(who, i.ID), "A,3333,\"The record has changed since the preview; check the file again.")
	b.Imported(who, "chart_number,birth_weight_g\nA,3333\n")
	require.Equal(t, 3, b.Records()[0].Version)
}

func TestAFileHasToPassTheChecksOfTheForm(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	b.Imported(who, "chart_number,mother_family_name,birth_date\nA,Okonkwo,2026-03-02\n")
	i := b.Upload(who, "chart_number,mother_family_name,mother_birth_date,birth_date,birth_weight_g\n"+
		"A,,2026-03-05,,\nB,Novak,,2199-03-02,\nC,,,2026-03-02,3000\nD,Lee,,2026-03-04,450\nE,Ode,,,3000\n")
	found := i.About.Preview
	require.Equal(t, "rows 5: new 1, amends 0, revives 0, unchanged 0, errors 4, suspected 0", fixture.Counts(found))
	require.Equal(t, 1, found.Unlikely)
	require.Equal(t, 5, found.Notes[0].Row)
	require.Equal(t, "birth_weight_g", found.Notes[0].Column)
	before := b.ErrorFile(who, i.ID)
	for _, text := range []string{
		"mother_birth_date: The mother's date of birth is after that of her child", "birth_date: Date of birth is in the future",
		"mother_family_name: Enter at least one fact about the mother", "birth_date: Enter the date of birth",
	} {
		require.Contains(t, before, text)
	}
	require.NotContains(t, before, "remove this newborn", "that is a button of the form")
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, true))
	b.Drain()
	require.Equal(t, before, b.ErrorFile(who, i.ID))
	require.Len(t, b.Records(), 2)
}

func TestCustomColumnsAreStoredWithTheRecord(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	require.NoError(t, b.DB.Update(func(tx *store.Tx) error {
		for _, key := range []string{"tub", "dog"} {
			if _, err := tx.AddCustomField(b.Caller.Practice, birth.CustomField{Key: key, Label: key, Kind: birth.CustomText}); err != nil {
				return err
			}
		}
		return nil
	}))
	b.Imported(who, "chart_number,mother_family_name,birth_date,x_tub,x_dog\nA,Lee,2026-03-02,blue,Rex\n")
	b.Imported(who, "chart_number,x_tub\nA,green\n")
	on, err := b.Changes.BaseVersion(t.Context(), b.Caller.Practice, b.Records()[0].UUID)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"tub": "green", "dog": "Rex"}, on.Custom)
	i := b.Upload(who, "chart_number,x_tub\nA,green\n")
	require.Equal(t, 1, i.About.Preview.Unchanged)
}

func TestAnImportIsSeenOnlyByItsPracticeAndRunOnlyByThosePermitted(t *testing.T) {
	b := fixture.New(t)
	scribe, other, admin, viewer := b.Person(auth.Scribe), b.Person(auth.Scribe), b.Person(auth.Admin), b.Person(auth.Viewer)
	stranger := admin
	require.NoError(t, b.DB.Update(func(tx *store.Tx) (err error) {
		id, err := tx.AddPractice("Elsewhere", false, false)
		stranger.Practice = store.Practice{ID: id}
		return err
	}))
	i := b.Upload(scribe, fixture.Head+fixture.Row("A", "Okonkwo", 1, 3000)+fixture.Row("B", "Okonkwo", 1, 1))
	for name, who := range map[string]auth.User{"another scribe": other, "another practice": stranger} {
		_, err := b.Imports.Import(t.Context(), who, i.ID)
		require.ErrorIs(t, err, store.ErrNotFound, name)
		require.ErrorIs(t, b.Imports.Confirm(t.Context(), who, i.ID, true), store.ErrNotFound, name)
		require.ErrorIs(t, b.Imports.Drop(t.Context(), who, i.ID), store.ErrNotFound, name)
		require.ErrorIs(t, b.Imports.ErrorFile(context.Background(), who, i.ID, io.Discard), store.ErrNotFound, name)
		require.Empty(t, b.Listed(who), name)
	}
	_, err := b.Imports.Upload(context.Background(), viewer, "x", strings.NewReader(fixture.Head))
	require.ErrorIs(t, err, auth.ErrForbidden)
	require.ErrorIs(t, b.Imports.Confirm(t.Context(), viewer, i.ID, true), auth.ErrForbidden)
	require.ErrorIs(t, b.Imports.Drop(t.Context(), viewer, i.ID), auth.ErrForbidden)
	require.ErrorIs(t, b.Imports.ErrorFile(context.Background(), viewer, i.ID, io.Discard), auth.ErrForbidden)
	require.Len(t, b.Listed(viewer), 1, "a viewer sees the counts")
	require.NoError(t, b.Imports.Confirm(t.Context(), admin, i.ID, true))
	b.Drain()
	_, err = b.Ingest.Receipt(t.Context(), b.Caller.Practice, i.ID)
	require.ErrorIs(t, err, store.ErrNotFound, "callers of the API never see a file")
	// In another practice, the same chart number is another birth.
	j := b.Upload(stranger, fixture.Head+fixture.Row("A", "Okonkwo", 1, 3000))
	require.Equal(t, 1, j.About.Preview.New)
	require.Zero(t, j.About.Preview.Suspected)
}

func TestTheSampleSpreadsheetGoesStraightToItsPreview(t *testing.T) {
	b := fixture.New(t)
	i := b.Upload(b.Person(auth.Admin), string(assets.SampleSpreadsheet))
	require.Equal(t, imports.Matched, i.About.Step)
	require.Equal(t, "rows 5: new 4, amends 0, revives 0, unchanged 0, errors 1, suspected 0", fixture.Counts(i.About.Preview))
}

func TestAnAttendantWhoMayBeAKnownProviderIsNotedOnceInThePreview(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	b.Push(fixture.BirthBy("1", "Okafor", "2026-03-02", "17", "", "Jane Lee", "CPM"))
	const file = "chart_number,mother_family_name,birth_date,attendant_name,attendant_credentials\n" +
		"A,One,2026-03-02,jane lee,RN\nB,Two,2026-03-03,Jane Lee,RN\nC,Three,2026-03-04,Jane Lee,CPM\nD,Four,2026-03-05,Jane Lee,\nE,Five,2026-03-06,Paula Ng,RN\n"
	i := b.Upload(who, file)
	found := i.About.Preview
	var rows []int
	for _, note := range found.Notes {
		require.Equal(t, "attendant_name", note.Column)
		require.Contains(t, strings.ToLower(note.Text), "a provider on file named jane lee has another role")
		rows = append(rows, note.Row)
	}
	require.Equal(t, []int{2, 5}, rows, "each only where she is first named: as a nurse, and without a role when two have the name")
	require.Equal(t, 2, found.Unlikely)
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, false))
	b.Drain()
	providers, err := store.Read(t.Context(), b.DB, func(v *store.View) ([]store.Provider, error) {
		return v.ProvidersNamed(b.Caller.Practice, "Jane Lee", 9)
	})
	require.NoError(t, err)
	require.Len(t, providers, 3, "as the notes say, other providers are added")

	again := b.Upload(who, strings.NewReplacer("A,", "F,", "B,", "G,", "C,", "H,", "D,", "I,", "E,", "J,").Replace(file))
	require.Empty(t, again.About.Preview.Notes, "by now, the registry knows each of them")
}
