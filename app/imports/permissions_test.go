package imports_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/changes"
	"birthregistry/app/fixture"
	"birthregistry/app/imports"
	"birthregistry/store"
)

const notFree = "This chart number is already in use; a provider has to import this row."

// onFile stores one active record and one voided record.
func onFile(b *fixture.Fixture, who auth.User) {
	b.Helper()
	b.Imported(who, fixture.Head+fixture.Row("A", "Okonkwo", 1, 3000)+fixture.Row("V", "Novak", 2, 3100))
	for _, r := range b.Records() {
		if r.Chart == "V" {
			_, err := b.Changes.Void(who, r.UUID, "by mistake", r.Version)
			require.NoError(b, err)
		}
	}
}

func TestAnImportOfAUserWhoMayNotAmendChangesNoRecordAndRevealsNone(t *testing.T) {
	b := fixture.New(t)
	admin, scribe := b.Person(auth.Admin), b.Person(auth.Scribe)
	onFile(b, admin)
	before := b.Records()
	for name, at := range map[string]string{
		"another value": "A,3333", "the value on file": "A,3000", "nothing new": "A,", "what the form would refuse": "A,20",
		"what was voided": "V,3100",
	} {
		i := b.Upload(scribe, "chart_number,birth_weight_g\n"+at+"\nN,3000\n")
		require.Equal(t, 0, i.About.Preview.Items()-i.About.Preview.Errors, name)
		require.Contains(t, b.ErrorFile(scribe, i.ID), at+",", name)
		if name != "what the form would refuse" && name != "nothing new" { // these two have errors of their own, which come first
			require.Contains(t, b.ErrorFile(scribe, i.ID), at+",\""+notFree, name)
		}
	}
	i := b.Upload(scribe, fixture.Head+fixture.Row("A", "Okonkwo", 1, 3333)+fixture.Row("V", "Novak", 2, 3100)+fixture.Row("N", "New", 3, 3000))
	require.Equal(t, 2, i.About.Preview.Errors)
	// An admin who confirms it changes nothing about that, since the preview announced
	// otherwise.
	require.NoError(t, b.Imports.Confirm(t.Context(), admin, i.ID, true))
	b.Drain()
	done, err := b.Imports.Import(t.Context(), admin, i.ID)
	require.NoError(t, err)
	require.Equal(t, "rows 3: new 1, amends 0, revives 0, unchanged 0, errors 2, suspected 0", fixture.Counts(*done.Result))
	require.Contains(t, b.ErrorFile(admin, i.ID), notFree)
	require.Equal(t, before, b.Records()[1:])
}

func TestPermissionsAreCheckedAgainWhenTheFileIsWritten(t *testing.T) {
	b := fixture.New(t)
	admin, provider := b.Person(auth.Admin), b.Person(auth.Provider)
	onFile(b, admin)
	before := b.Records()
	file := fixture.Head + fixture.Row("A", "Okonkwo", 1, 3333) + fixture.Row("V", "Novak", 2, 3100)
	for _, lose := range []func(tx *store.Tx) error{
		func(tx *store.Tx) error {
			return tx.SetRole(b.Caller.Practice, provider.ID, string(auth.Scribe))
		},
		func(tx *store.Tx) error { return tx.DisableMembership(b.Caller.Practice, provider.ID) },
	} {
		i := b.Upload(provider, file)
		require.Equal(t, "rows 2: new 0, amends 1, revives 1, unchanged 0, errors 0, suspected 0", fixture.Counts(i.About.Preview))
		require.NoError(t, b.Imports.Confirm(t.Context(), provider, i.ID, false))
		require.NoError(t, b.DB.Update(lose))
		b.Drain()
		require.Equal(t, before, b.Records())
		done, err := b.Imports.Import(t.Context(), admin, i.ID)
		require.NoError(t, err)
		require.Equal(t, 2, done.Result.Errors)
	}
	done := b.Imported(auth.Operator(admin.Practice), file)
	require.Equal(t, []int{1, 1}, []int{done.Result.Amends, done.Result.Revives}, "the operator may")
}

func TestAChartNumberThatIsTakenBetweenPreviewAndImportIsNotOverwritten(t *testing.T) {
	b := fixture.New(t)
	admin := b.Person(auth.Admin)
	i := b.Upload(admin, fixture.Head+fixture.Row("A", "Okonkwo", 1, 3000))
	require.NoError(t, b.Imports.Confirm(t.Context(), admin, i.ID, false))
	time.Sleep(2 * time.Millisecond) // times are stored in milliseconds
	_, err := b.Changes.Save(admin, changes.Form{Draft: fixture.Typed("A", "Lee", 3000)})
	require.NoError(t, err)
	b.Drain()
	require.Contains(t, b.ErrorFile(admin, i.ID), "changed since the preview")
	require.Equal(t, 1, b.Records()[0].Version)
}

func TestARecordThatChangedBeforeALaterPreviewIsAmendedAsThatPreviewShows(t *testing.T) {
	b := fixture.New(t)
	admin := b.Person(auth.Admin)
	b.Imported(admin, fixture.Head+fixture.Row("A", "Okonkwo", 1, 3000))
	i := b.Upload(admin, fixture.Head+fixture.Row("A", "Okonkwo", 1, 3333)+strings.Replace(fixture.Row("B", "Lee", 2, 3100), "2026-03-02", "2 March", 1))
	time.Sleep(2 * time.Millisecond) // times are stored in milliseconds
	b.Imported(admin, fixture.Head+fixture.Row("A", "Okonkwo", 1, 3050))
	time.Sleep(2 * time.Millisecond)
	require.NoError(t, b.Imports.Fix(t.Context(), admin, i.ID, i.About.Revision, []imports.Typed{{Wrong: wrong(b, i, "2 March 04:02"), Value: "2026-03-02 04:02"}}))
	require.NoError(t, b.Imports.Confirm(t.Context(), admin, i.ID, false))
	b.Drain()
	done, err := b.Imports.Import(t.Context(), admin, i.ID)
	require.NoError(t, err)
	require.Equal(t, []int{1, 1, 0}, []int{done.Result.New, done.Result.Amends, done.Result.Errors})
}

func TestUsersWhoMayNotReadRecordsDoNotSeeWhichRowsAreOnFile(t *testing.T) {
	b := fixture.New(t)
	admin, scribe := b.Person(auth.Admin), b.Person(auth.Scribe)
	b.Imported(admin, fixture.Head+fixture.Row("A", "Okonkwo", 1, 3000))
	file := fixture.Head + fixture.Row("B", "Okonkwo", 1, 3000) + fixture.Row("C", "New", 2, 3000) + fixture.Row("A", "Okonkwo", 1, 3000)
	i := b.Upload(scribe, file)
	redacted := imports.Preview{Rows: 3, Taken: 2, Errors: 1}
	counted := func(p imports.Preview) imports.Preview {
		require.Equal(t, []imports.RowOutcome{
			{Row: 2, Rows: 1, Outcome: "taken", Chart: "B", Born: "2026-03-02T04:01:00"},
			{Row: 3, Rows: 1, Outcome: "taken", Chart: "C", Born: "2026-03-02T04:02:00"},
			{Row: 4, Rows: 1, Outcome: "error", Chart: "A", Born: "2026-03-02T04:01:00"},
		}, p.First)
		return imports.Preview{Rows: p.Rows, New: p.New, Amends: p.Amends, Revives: p.Revives, Unchanged: p.Unchanged, Taken: p.Taken, Errors: p.Errors, Suspected: p.Suspected}
	}
	require.Equal(t, redacted, counted(i.About.Preview))
	progress, err := b.Imports.Progress(t.Context(), scribe, i.ID)
	require.NoError(t, err)
	require.Equal(t, redacted, counted(progress.About.Preview))
	require.Equal(t, redacted, counted(b.Listed(scribe)[0].About.Preview))
	seen, err := b.Imports.Import(t.Context(), admin, i.ID)
	require.NoError(t, err)
	require.Equal(t, 1, seen.About.Preview.Suspected, "an admin sees it")
	require.NoError(t, b.Imports.Confirm(t.Context(), scribe, i.ID, true))
	b.Drain()
	seen, err = b.Imports.Import(t.Context(), scribe, i.ID)
	require.NoError(t, err)
	require.Equal(t, 2, seen.Result.Taken)
	require.Zero(t, seen.Result.New+seen.Result.Suspected)
	for _, r := range seen.Result.First {
		require.Empty(t, r.Record)
		require.Contains(t, []string{"taken", "error"}, r.Outcome)
	}
}

func TestEveryPreviewIsInTheAuditTrail(t *testing.T) {
	b := fixture.New(t)
	scribe := b.Person(auth.Scribe)
	i := b.Upload(scribe, fixture.Head+fixture.Row("A", "Okonkwo", 1, 3000)+fixture.Row("B", "Okonkwo", 1, 7))
	b.ErrorFile(scribe, i.ID)
	var noted []string
	require.NoError(t, b.DB.View(t.Context(), func(v *store.View) error {
		return v.Trail(func(a store.Audit) error {
			if a.Object == i.ID {
				require.Equal(t, scribe.ID, a.User)
				noted = append(noted, a.Action)
			}
			return nil
		})
	}))
	require.Equal(t, []string{"import.preview", "import.preview"}, noted, "the file, and its errors read anew")
}
