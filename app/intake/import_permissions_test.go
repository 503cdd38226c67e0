package intake

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/store"
)

const notFree = "This chart number is not free; a provider has to import this row."

// onFile puts a record that stands and one that is voided on file.
func (b *bed) onFile(who auth.User) {
	b.Helper()
	b.imported(who, head+row("A", "Okonkwo", 1, 3000)+row("V", "Novak", 2, 3100))
	for _, r := range b.records() {
		if r.Chart == "V" {
			_, err := b.Void(who, r.UUID, "by mistake", r.Version)
			require.NoError(b, err)
		}
	}
}

func TestWhoMayNotAmendChangesNoRecordByAFileAndLearnsNothingOfOne(t *testing.T) {
	b := newBed(t)
	admin, scribe := b.person(auth.Admin), b.person(auth.Scribe)
	b.onFile(admin)
	before := b.records()
	for name, at := range map[string]string{
		"another value": "A,3333", "the value on file": "A,3000", "nothing new": "A,", "what the form would refuse": "A,20",
		"what was voided": "V,3100",
	} {
		i := b.upload(scribe, "chart_number,birth_weight_g\n"+at+"\nN,3000\n")
		require.Equal(t, 0, i.About.Preview.Items()-i.About.Preview.Errors, name)
		require.Contains(t, b.errorFile(scribe, i.ID), at+",", name)
		if name != "what the form would refuse" && name != "nothing new" { // what is wrong with a cell is said of the file
			require.Contains(t, b.errorFile(scribe, i.ID), at+",\""+notFree, name)
		}
	}
	i := b.upload(scribe, head+row("A", "Okonkwo", 1, 3333)+row("V", "Novak", 2, 3100)+row("N", "New", 3, 3000))
	require.Equal(t, 2, i.About.Preview.Errors)
	// Nor does an admin who confirms it: the preview has said otherwise.
	require.NoError(t, b.Confirm(t.Context(), admin, i.ID, true))
	b.drain()
	done, err := b.Import(t.Context(), admin, i.ID)
	require.NoError(t, err)
	require.Equal(t, "rows 3: new 1, amends 0, revives 0, unchanged 0, errors 2, suspected 0", counts(*done.Result))
	require.Contains(t, b.errorFile(admin, i.ID), notFree)
	require.Equal(t, before, b.records()[1:])
}

func TestWhatAPersonMayIsAskedAgainWhenTheFileIsWritten(t *testing.T) {
	b := newBed(t)
	admin, provider := b.person(auth.Admin), b.person(auth.Provider)
	b.onFile(admin)
	before := b.records()
	file := head + row("A", "Okonkwo", 1, 3333) + row("V", "Novak", 2, 3100)
	for _, lose := range []func(tx *store.Tx) error{
		func(tx *store.Tx) error {
			return tx.SetRole(b.caller.Practice, provider.ID, string(auth.Scribe))
		},
		func(tx *store.Tx) error { return tx.DisableMembership(b.caller.Practice, provider.ID) },
	} {
		i := b.upload(provider, file)
		require.Equal(t, "rows 2: new 0, amends 1, revives 1, unchanged 0, errors 0, suspected 0", counts(i.About.Preview))
		require.NoError(t, b.Confirm(t.Context(), provider, i.ID, false))
		require.NoError(t, b.db.Update(lose))
		b.drain()
		require.Equal(t, before, b.records())
		done, err := b.Import(t.Context(), admin, i.ID)
		require.NoError(t, err)
		require.Equal(t, 2, done.Result.Errors)
	}
	done := b.imported(auth.Operator(admin.Practice), file)
	require.Equal(t, []int{1, 1}, []int{done.Result.Amends, done.Result.Revives}, "the operator may")
}

func TestAChartNumberThatIsTakenBetweenPreviewAndImportIsNotOverwritten(t *testing.T) {
	b := newBed(t)
	admin := b.person(auth.Admin)
	i := b.upload(admin, head+row("A", "Okonkwo", 1, 3000))
	require.NoError(t, b.Confirm(t.Context(), admin, i.ID, false))
	time.Sleep(2 * time.Millisecond) // times are kept to the millisecond
	_, err := b.Save(admin, Entry{Draft: typed("A", "Lee", 3000)})
	require.NoError(t, err)
	b.drain()
	require.Contains(t, b.errorFile(admin, i.ID), "changed since the preview")
	require.Equal(t, 1, b.records()[0].Version)
}

func TestWhoReadsNoRecordsIsNotToldWhichRowsAreOnFile(t *testing.T) {
	b := newBed(t)
	admin, scribe := b.person(auth.Admin), b.person(auth.Scribe)
	b.imported(admin, head+row("A", "Okonkwo", 1, 3000))
	file := head + row("B", "Okonkwo", 1, 3000) + row("C", "New", 2, 3000) + row("A", "Okonkwo", 1, 3000)
	i := b.upload(scribe, file)
	redacted := Preview{Rows: 3, Taken: 2, Errors: 1}
	told := func(p Preview) Preview {
		require.Equal(t, []RowOutcome{
			{Row: 2, Rows: 1, Outcome: taken, Chart: "B", Born: "2026-03-02T04:01:00"},
			{Row: 3, Rows: 1, Outcome: taken, Chart: "C", Born: "2026-03-02T04:02:00"},
			{Row: 4, Rows: 1, Outcome: "error", Chart: "A", Born: "2026-03-02T04:01:00"},
		}, p.First)
		return Preview{Rows: p.Rows, New: p.New, Amends: p.Amends, Revives: p.Revives, Unchanged: p.Unchanged, Taken: p.Taken, Errors: p.Errors, Suspected: p.Suspected}
	}
	require.Equal(t, redacted, told(i.About.Preview))
	progress, err := b.ImportProgress(t.Context(), scribe, i.ID)
	require.NoError(t, err)
	require.Equal(t, redacted, told(progress.About.Preview))
	require.Equal(t, redacted, told(b.imports(scribe)[0].About.Preview))
	seen, err := b.Import(t.Context(), admin, i.ID)
	require.NoError(t, err)
	require.Equal(t, 1, seen.About.Preview.Suspected, "an admin is told")
	require.NoError(t, b.Confirm(t.Context(), scribe, i.ID, true))
	b.drain()
	seen, err = b.Import(t.Context(), scribe, i.ID)
	require.NoError(t, err)
	require.Equal(t, 2, seen.Result.Taken)
	require.Zero(t, seen.Result.New+seen.Result.Suspected)
	for _, r := range seen.Result.First {
		require.Empty(t, r.Record)
		require.Contains(t, []string{taken, "error"}, r.Outcome)
	}
}

func TestEveryPreviewIsInTheAuditTrail(t *testing.T) {
	b := newBed(t)
	scribe := b.person(auth.Scribe)
	i := b.upload(scribe, head+row("A", "Okonkwo", 1, 3000)+row("B", "Okonkwo", 1, 7))
	b.errorFile(scribe, i.ID)
	var noted []string
	require.NoError(t, b.db.View(t.Context(), func(v *store.View) error {
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
