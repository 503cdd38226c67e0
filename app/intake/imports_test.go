package intake

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/store"
)

// person is somebody of the bed's practice.
func (b *bed) person(role auth.Role) auth.User {
	b.Helper()
	var who auth.User
	require.NoError(b, b.db.Update(func(tx *store.Tx) error {
		practice, err := tx.Practice(b.caller.Practice)
		if err != nil {
			return err
		}
		id, err := tx.AddUser(fmt.Sprintf("%s-%d@example.org", role, time.Now().UnixNano()), string(role))
		who = auth.User{ID: id, Name: string(role), Practice: practice, Role: role}
		if err != nil {
			return err
		}
		return tx.AddMembership(practice.ID, id, string(role))
	}))
	return who
}

func (b *bed) upload(who auth.User, file string) Import {
	b.Helper()
	i, err := b.Upload(context.Background(), who, "births.csv", strings.NewReader(file))
	require.NoError(b, err)
	return i
}

// imported uploads, confirms and works a file, and returns its result.
func (b *bed) imported(who auth.User, file string) Import {
	b.Helper()
	i := b.upload(who, file)
	require.NoError(b, b.Confirm(context.Background(), who, i.ID, true))
	b.drain()
	i, err := b.Import(context.Background(), who, i.ID)
	require.NoError(b, err)
	require.Equal(b, store.Completed, i.Status)
	return i
}

func (b *bed) errorFile(who auth.User, id string) string {
	b.Helper()
	var file bytes.Buffer
	require.NoError(b, b.ErrorFile(context.Background(), who, id, &file))
	return strings.TrimPrefix(file.String(), "\ufeff")
}

// counts are what a preview or a result counts.
func counts(p Preview) string {
	return fmt.Sprintf("rows %d: new %d, amends %d, revives %d, unchanged %d, errors %d, suspected %d",
		p.Rows, p.New, p.Amends, p.Revives, p.Unchanged, p.Errors, p.Suspected)
}

const head = "chart_number,mother_family_name,mother_given_names,birth_datetime,birth_weight_g,delivery_method\n"

func row(chart, mother string, minute, weight int) string {
	return fmt.Sprintf("%s,%s,Amara,2026-03-02 04:%02d,%d,cesarean\n", chart, mother, minute, weight)
}

func TestAFileIsPreviewedConfirmedAndImportedByTheQueue(t *testing.T) {
	b := newBed(t)
	who := b.person(auth.Provider)
	file := head + row("A", "Okonkwo", 1, 3000) + row("B", "Novak", 2, 3100) + row("T", "Lee", 3, 2400) + row("T", "Lee", 4, 2300) +
		row("", "Nameless", 5, 3200) + row("E", "Broken", 6, 7)
	i := b.upload(who, file)
	require.Equal(t, "rows 6: new 4, amends 0, revives 0, unchanged 0, errors 1, suspected 0", counts(i.About.Preview))
	require.Equal(t, []ColumnCount{{"birth_weight_g", 1}}, i.About.Preview.Columns)
	require.Empty(t, b.records(), "a preview writes nothing")
	require.ErrorIs(t, b.Confirm(t.Context(), who, i.ID, false), ErrLeaveOut)
	require.NoError(t, b.Confirm(t.Context(), who, i.ID, true))
	require.NoError(t, b.Confirm(t.Context(), who, i.ID, true), "to confirm twice is to confirm once")
	b.drain()

	done, err := b.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, "rows 6: new 4, amends 0, revives 0, unchanged 0, errors 1, suspected 0", counts(*done.Result))
	all := b.records()
	require.Len(t, all, 4)
	for _, r := range all {
		require.Equal(t, birth.CSV, r.Source)
		require.NotEmpty(t, r.Chart, "a row without a chart number gets one")
		on, err := b.BaseVersion(t.Context(), b.caller.Practice, r.UUID)
		require.NoError(t, err)
		require.Len(t, on.Draft.Children, map[bool]int{true: 2, false: 1}[r.Chart == "T"])
	}
	require.Contains(t, b.errorFile(who, i.ID), "E,Broken,Amara,2026-03-02 04:06,7,cesarean,\"birth_weight_g: Write a whole number")
	b.clean()
	require.NotContains(t, b.log.String(), "Okonkwo")
}

func TestThePreviewSaysWhatTheImportDoes(t *testing.T) {
	b := newBed(t)
	who := b.person(auth.Provider)
	b.imported(who, head+row("same", "One", 1, 3000)+row("amended", "Two", 2, 3000)+row("voided", "Three", 3, 3000)+row("clash", "Four", 4, 3000))
	for _, r := range b.records() {
		if r.Chart == "voided" {
			_, err := b.Void(who, r.UUID, "by mistake", r.Version)
			require.NoError(t, err)
		}
	}
	file := head + row("same", "One", 1, 3000) + row("amended", "Two", 2, 3456) + row("voided", "Three", 3, 3000) +
		row("clash", "One", 1, 3000) + row("again", "ONE ", 1, 3000) + row("fresh", "Five", 5, 3000) + row("twice", "Five", 5, 3000)
	i := b.upload(who, file)
	const want = "rows 7: new 3, amends 1, revives 1, unchanged 1, errors 1, suspected 2"
	require.Equal(t, want, counts(i.About.Preview))
	before := b.errorFile(who, i.ID)
	require.Contains(t, before, "clash,One,Amara,2026-03-02 04:01,3000,cesarean,\"With this row the record would look like another one")
	require.Equal(t, 2, strings.Count(before, "\r\n"))

	require.NoError(t, b.Confirm(t.Context(), who, i.ID, true))
	b.drain()
	done, err := b.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, want, counts(*done.Result))
	told := map[string]int{}
	for _, r := range done.Result.First {
		told[r.Outcome]++
	}
	require.Equal(t, map[string]int{"new": 3, "amends": 1, "revives": 1, "unchanged": 1, "error": 1}, told)
	require.Equal(t, before, b.errorFile(who, i.ID))
	versions := map[string]int{}
	for _, r := range b.records() {
		versions[r.Chart] = r.Version
	}
	require.Equal(t, map[string]int{"same": 1, "amended": 2, "voided": 3, "clash": 1, "again": 1, "fresh": 1, "twice": 1}, versions)
	b.clean()
}

func TestAFileThatWritesTheDayFirstIsReadTheSameByPreviewImportAndErrorFile(t *testing.T) {
	b := newBed(t)
	who := b.person(auth.Admin)
	i := b.upload(who, "chart_number,mother_family_name,birth_date\nA,One,05/04/2026\nB,Two,13/04/2026\nC,Three,2026-04-06\n")
	const want = "rows 3: new 1, amends 0, revives 0, unchanged 0, errors 2, suspected 0"
	require.Equal(t, want, counts(i.About.Preview))
	before := b.errorFile(who, i.ID)
	require.Contains(t, before, "A,One,05/04/2026,\"birth_date: This file writes the day first")
	require.NoError(t, b.Confirm(t.Context(), who, i.ID, true))
	b.drain()
	done, err := b.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, want, counts(*done.Result))
	require.Equal(t, before, b.errorFile(who, i.ID))
	require.Len(t, b.records(), 1)
}

func TestAFileThatSaysWhatIsOnFileHasNothingToImport(t *testing.T) {
	b := newBed(t)
	who := b.person(auth.Admin)
	file := head + row("A", "Okonkwo", 1, 3000) + row("T", "Lee", 3, 2400) + row("T", "", 4, 2300)
	b.imported(who, file)
	i := b.upload(who, file)
	require.Equal(t, "rows 3: new 0, amends 0, revives 0, unchanged 2, errors 0, suspected 0", counts(i.About.Preview))
	require.ErrorIs(t, b.Confirm(t.Context(), who, i.ID, true), ErrNothing)
}

func TestARowLeavesWhatAnEHRHasSentAndNamesWhoBroughtTheRest(t *testing.T) {
	b := newBed(t)
	who := b.person(auth.Provider)
	b.accept(course("A", 3000))
	b.drain()
	b.imported(who, "chart_number,birth_weight_g,apgar_five_minute\nA,3000,9\n")
	r := b.records()[0]
	require.Equal(t, 2, r.Version)
	on, err := b.BaseVersion(t.Context(), b.caller.Practice, r.UUID)
	require.NoError(t, err)
	weight, _ := on.Draft.Children[0].Get("birth_weight_g")
	require.Equal(t, birth.FHIRPush, weight.Source)
	apgar, _ := on.Draft.Children[0].Get("apgar_five_minute")
	require.Equal(t, birth.CSV, apgar.Source)
	require.NoError(t, b.db.View(t.Context(), func(v *store.View) error {
		g, err := v.Ingestion(b.caller.Practice, b.imports(who)[0].ID)
		require.Equal(t, who.ID, g.User)
		return err
	}))
}

func TestTheVersionsOfAnImportAreTheirsWhoConfirmedIt(t *testing.T) {
	b := newBed(t)
	scribe, admin := b.person(auth.Scribe), b.person(auth.Admin)
	i := b.upload(scribe, head+row("A", "Okonkwo", 1, 3000))
	require.NoError(t, b.Confirm(t.Context(), admin, i.ID, false))
	b.drain()
	b.imported(auth.Operator(admin.Practice), "chart_number,birth_weight_g\nA,3111\n")
	require.NoError(t, b.db.View(t.Context(), func(v *store.View) error {
		all, err := v.History(b.caller.Practice, b.records()[0].ID, 0, 9)
		require.Len(t, all, 2)
		require.Empty(t, all[0].User, "the operator is no user")
		require.Equal(t, admin.Name, all[1].User)
		require.Equal(t, i.ID, all[1].Ingestion)
		return err
	}))
}

func (b *bed) imports(who auth.User) []Import {
	b.Helper()
	all, err := b.ListImports(context.Background(), who, 50)
	require.NoError(b, err)
	return all
}

func TestSomebodyWhoAmendsBetweenPreviewAndImportIsNotOverwritten(t *testing.T) {
	b := newBed(t)
	who := b.person(auth.Admin)
	b.imported(who, head+row("A", "Okonkwo", 1, 3000))
	i := b.upload(who, "chart_number,birth_weight_g\nA,3333\n")
	require.Equal(t, 1, i.About.Preview.Amends)
	require.NoError(t, b.Confirm(t.Context(), who, i.ID, false))
	time.Sleep(2 * time.Millisecond) // times are kept to the millisecond
	on, err := b.BaseVersion(t.Context(), b.caller.Practice, b.records()[0].UUID)
	require.NoError(t, err)
	on.Draft.Mother.Set(birth.Must("gravida"), birth.Value{Number: 4, Source: birth.Manual})
	_, err = b.Save(who, Entry{Draft: on.Draft, UUID: on.Record.UUID, BaseVersion: 1})
	require.NoError(t, err)
	b.drain()
	on, err = b.BaseVersion(t.Context(), b.caller.Practice, on.Record.UUID)
	require.NoError(t, err)
	gravida, _ := on.Draft.Mother.Get("gravida")
	require.EqualValues(t, 4, gravida.Number)
	weight, _ := on.Draft.Children[0].Get("birth_weight_g")
	require.EqualValues(t, 3000, weight.Number)
	require.Equal(t, 2, on.Record.Version)
	done, err := b.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, "rows 1: new 0, amends 0, revives 0, unchanged 0, errors 1, suspected 0", counts(*done.Result))
	require.Contains(t, b.errorFile(who, i.ID), "A,3333,\"The record has changed since the preview; check the file again.")
	b.imported(who, "chart_number,birth_weight_g\nA,3333\n")
	require.Equal(t, 3, b.records()[0].Version)
}

func TestAFileHasToPassTheChecksOfTheForm(t *testing.T) {
	b := newBed(t)
	who := b.person(auth.Admin)
	b.imported(who, "chart_number,mother_family_name,birth_date\nA,Okonkwo,2026-03-02\n")
	i := b.upload(who, "chart_number,mother_family_name,mother_birth_date,birth_date,birth_weight_g\n"+
		"A,,2027-01-01,,\nB,Novak,,2199-03-02,\nC,,,2026-03-02,3000\nD,Lee,,2026-03-04,450\nE,Ode,,,3000\n")
	found := i.About.Preview
	require.Equal(t, "rows 5: new 1, amends 0, revives 0, unchanged 0, errors 4, suspected 0", counts(found))
	require.Equal(t, 1, found.Unlikely)
	require.Equal(t, 5, found.Notes[0].Row)
	require.Equal(t, "birth_weight_g", found.Notes[0].Column)
	before := b.errorFile(who, i.ID)
	for _, said := range []string{
		"mother_birth_date: The mother's date of birth is after that of her child", "birth_date: Date of birth is in the future",
		"mother_family_name: Enter at least one fact about the mother", "birth_date: Enter the date of birth",
	} {
		require.Contains(t, before, said)
	}
	require.NoError(t, b.Confirm(t.Context(), who, i.ID, true))
	b.drain()
	require.Equal(t, before, b.errorFile(who, i.ID))
	require.Len(t, b.records(), 2)
}

func TestCustomColumnsAreKeptWithTheRecord(t *testing.T) {
	b := newBed(t)
	who := b.person(auth.Admin)
	require.NoError(t, b.db.Update(func(tx *store.Tx) error {
		for _, key := range []string{"tub", "dog"} {
			if _, err := tx.AddCustomField(b.caller.Practice, birth.CustomField{Key: key, Label: key, Kind: birth.CustomText}); err != nil {
				return err
			}
		}
		return nil
	}))
	b.imported(who, "chart_number,mother_family_name,birth_date,x_tub,x_dog\nA,Lee,2026-03-02,blue,Rex\n")
	b.imported(who, "chart_number,x_tub\nA,green\n")
	on, err := b.BaseVersion(t.Context(), b.caller.Practice, b.records()[0].UUID)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"tub": "green", "dog": "Rex"}, on.Custom)
	i := b.upload(who, "chart_number,x_tub\nA,green\n")
	require.Equal(t, 1, i.About.Preview.Unchanged)
}

func TestAnImportIsSeenByItsPracticeAloneAndRunByThoseWhoMay(t *testing.T) {
	b := newBed(t)
	scribe, other, admin, viewer := b.person(auth.Scribe), b.person(auth.Scribe), b.person(auth.Admin), b.person(auth.Viewer)
	stranger := admin
	require.NoError(t, b.db.Update(func(tx *store.Tx) (err error) {
		id, err := tx.AddPractice("Elsewhere", false, false)
		stranger.Practice = store.Practice{ID: id}
		return err
	}))
	i := b.upload(scribe, head+row("A", "Okonkwo", 1, 3000)+row("B", "Okonkwo", 1, 1))
	for name, who := range map[string]auth.User{"another scribe": other, "another practice": stranger} {
		_, err := b.Import(t.Context(), who, i.ID)
		require.ErrorIs(t, err, store.ErrNotFound, name)
		require.ErrorIs(t, b.Confirm(t.Context(), who, i.ID, true), store.ErrNotFound, name)
		require.ErrorIs(t, b.Drop(t.Context(), who, i.ID), store.ErrNotFound, name)
		require.ErrorIs(t, b.ErrorFile(context.Background(), who, i.ID, io.Discard), store.ErrNotFound, name)
		require.Empty(t, b.imports(who), name)
	}
	_, err := b.Upload(context.Background(), viewer, "x", strings.NewReader(head))
	require.ErrorIs(t, err, auth.ErrForbidden)
	require.ErrorIs(t, b.Confirm(t.Context(), viewer, i.ID, true), auth.ErrForbidden)
	require.ErrorIs(t, b.Drop(t.Context(), viewer, i.ID), auth.ErrForbidden)
	require.ErrorIs(t, b.ErrorFile(context.Background(), viewer, i.ID, io.Discard), auth.ErrForbidden)
	require.Len(t, b.imports(viewer), 1, "a viewer sees the counts")
	require.NoError(t, b.Confirm(t.Context(), admin, i.ID, true))
	b.drain()
	_, err = b.Receipt(t.Context(), b.caller.Practice, i.ID)
	require.ErrorIs(t, err, store.ErrNotFound, "callers of the API never see a file")
	// The same chart number elsewhere is another birth.
	j := b.upload(stranger, head+row("A", "Okonkwo", 1, 3000))
	require.Equal(t, 1, j.About.Preview.New)
	require.Zero(t, j.About.Preview.Suspected)
}
