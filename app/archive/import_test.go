package archive

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/audit"
	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/drafts"
	"birthregistry/app/fixture"
	"birthregistry/app/records"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

func silent(string, int, int) {}

// brought imports an archive into a fresh installation.
func brought(t *testing.T, file, secret string) (*fixture.Fixture, Brought) {
	t.Helper()
	b := fixture.New(t)
	in, err := of(b).Import(t.Context(), file, Opening{KeyFiles: []string{secret}}, silent)
	require.NoError(t, err)
	b.Caller.Practice = in.Practice.ID
	return b, in
}

// A → B → C: what C exports is what A exported, but for the numbers of rows.
func TestAPracticeIsTheSameAfterTwoMoves(t *testing.T) {
	p := full(t)
	_, first, secret := exportOf(t, p.Fixture, p.Admin.Practice)
	b, in := brought(t, first, secret)
	b.Clean()
	_, second, other := exportOf(t, b, in.Practice)
	c, again := brought(t, second, other)
	c.Clean()
	_, third, last := exportOf(t, c, again.Practice)

	want, got := shown(p.Fixture, p.Admin.Practice), shown(b, in.Practice)
	require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
	for what := range want {
		require.True(t, reflect.DeepEqual(want[what], got[what]), "%s\n%.3000v\n%.3000v", what, want[what], got[what])
	}
	was, is := members(t, first, secret), members(t, third, last)
	require.Equal(t, string(was[birthsName]), string(is[birthsName]))
	before, after := plain(t, was), plain(t, is)
	require.NotEmpty(t, before["reviews"])
	moves := after["audit"][len(before["audit"]):]
	require.Len(t, moves, 2, "the two imports: %v", moves)
	after["audit"] = after["audit"][:len(before["audit"])]
	for _, t := range store.ArchiveTables {
		require.Equal(p, before[t.Name], after[t.Name], t.Name)
	}
}

func TestNothingIsHereAfterAnImportThatWasCutOffAnywhere(t *testing.T) {
	p := full(t)
	_, file, secret := exportOf(t, p.Fixture, p.Admin.Practice)
	b := fixture.New(t)
	before := len(b.Names())
	stops := 0
	for stop := 1; ; stop++ {
		s, n := of(b), 0
		s.written = func(string) {
			if n++; n == stop {
				stops++
				panic(errStopped)
			}
		}
		cut := func() (err error) {
			defer func() {
				if recover() != nil {
					err = errStopped
				}
			}()
			_, err = s.Import(t.Context(), file, Opening{KeyFiles: []string{secret}}, silent)
			return err
		}
		if err := cut(); err == nil {
			break
		}
		practices, err := store.Read(t.Context(), b.DB, (*store.View).Practices)
		require.NoError(t, err)
		require.Len(t, practices, 1, "nobody sees it")
		deleted, err := b.DB.SweepIncoming()
		require.NoError(t, err)
		require.True(t, deleted)
		b.Clean()
		users, err := store.Read(t.Context(), b.DB, (*store.View).Users)
		require.NoError(t, err)
		require.Empty(t, users)
	}
	require.Greater(t, stops, 8)
	require.Equal(t, before, len(b.Names()))
}

// The command says of an interrupted import that nothing was imported.
func TestAnImportThatIsInterruptedAfterItsLastTransactionIsComplete(t *testing.T) {
	p := full(t)
	_, file, secret := exportOf(t, p.Fixture, p.Admin.Practice)
	b := fixture.New(t)
	here := func() bool {
		practices, err := store.Lookup(context.Background(), b.DB, (*store.View).Practices)
		require.NoError(t, err)
		return len(practices) > 1
	}
	in, err := of(b).Import(storetest.EndsWhen{Context: t.Context(), Ended: here}, file, Opening{KeyFiles: []string{secret}}, silent)
	require.NoError(t, err)
	require.True(t, here())
	require.NotEmpty(t, in.Practice.Name)
}

func TestAPracticeThatIsHereIsNotBroughtInAgain(t *testing.T) {
	p := full(t)
	_, file, secret := exportOf(t, p.Fixture, p.Admin.Practice)
	_, err := of(p.Fixture).Import(t.Context(), file, Opening{KeyFiles: []string{secret}}, silent)
	require.ErrorIs(t, err, ErrHere)
	p.Clean()
	b, _ := brought(t, file, secret)
	_, err = of(b).Import(t.Context(), file, Opening{KeyFiles: []string{secret}}, silent)
	require.ErrorIs(t, err, ErrHere)
	b.Clean()
}

func TestAnArchiveGivesNoPlaceToAnAccountThatIsHereAlready(t *testing.T) {
	p := full(t)
	_, file, secret := exportOf(t, p.Fixture, p.Admin.Practice)
	b := fixture.New(t)
	require.NoError(t, b.DB.Update(func(tx *store.Tx) error {
		_, err := tx.AddUser("admin@example.org", "Somebody else")
		return err
	}))
	in, err := of(b).Import(t.Context(), file, Opening{KeyFiles: []string{secret}}, silent)
	require.NoError(t, err)
	require.Empty(t, in.Admins)
	require.Equal(t, []string{"admin@example.org"}, in.Known)
	for _, u := range in.Users {
		require.NotEqual(t, "admin@example.org", u.Email)
	}
	b.Clean()
}

func TestADraftNamesTheSameProviderAndAmendsTheSameRecordAfterAMove(t *testing.T) {
	p := full(t)
	record := p.At("4")
	providers, err := store.Read(t.Context(), p.DB, func(v *store.View) ([]store.AttributedProvider, error) {
		return v.ProvidersOf(p.Admin.Practice.ID, record.ID, record.Content)
	})
	require.NoError(t, err)
	require.NotEmpty(t, providers)
	_, file, secret := exportOf(t, p.Fixture, p.Admin.Practice)

	f := fixture.New(t)
	for n := range 7 { // whose numbers the practice's providers had elsewhere
		(&fixture.Pair{Staffed: &fixture.Staffed{Fixture: f}}).Push(fixture.Course(strconv.Itoa(n), 3200))
	}
	in, err := of(f).Import(t.Context(), file, Opening{KeyFiles: []string{secret}}, silent)
	require.NoError(t, err)
	admin := auth.User{ID: in.Users[0].ID, Practice: in.Practice, Role: auth.Admin}
	all, err := drafts.New(f.DB, f.Vault, auth.New(f.DB, f.Vault)).List(t.Context(), admin, true, 9)
	require.NoError(t, err)
	at := slices.IndexFunc(all, func(d drafts.Draft) bool { return d.Record == record.UUID })
	require.GreaterOrEqual(t, at, 0)
	require.Equal(t, drafts.AmendmentToken(in.Practice.ID, admin.ID, record.UUID), all[at].Token)
	id, err := strconv.ParseInt(all[at].Typed.Get("person.0.provider"), 10, 64)
	require.NoError(t, err)
	chosen, err := records.New(f.DB, f.Vault).Chosen(t.Context(), in.Practice.ID, id)
	require.NoError(t, err)
	require.Equal(t, providers[0].Name, chosen.Name)
}

func TestSomebodyWhomTheOperatorHasDisabledComesDisabled(t *testing.T) {
	p := full(t)
	require.NoError(t, p.DB.Update(func(tx *store.Tx) error { return tx.DisableUser(p.Admin.ID) }))
	_, file, secret := exportOf(t, p.Fixture, p.Admin.Practice)
	_, in := brought(t, file, secret)
	require.Empty(t, in.Admins)
}

func TestAnArchiveThatWasChangedAnywhereBringsNothing(t *testing.T) {
	p := full(t)
	_, file, secret := exportOf(t, p.Fixture, p.Admin.Practice)
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	b := fixture.New(t)
	refused := func(changed []byte) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "changed.age")
		require.NoError(t, os.WriteFile(path, changed, 0o600))
		_, err := of(b).Import(t.Context(), path, Opening{KeyFiles: []string{secret}}, silent)
		require.Error(t, err)
	}
	for at := 0; at < len(content); at += len(content)/25 + 1 {
		changed := append([]byte{}, content...)
		changed[at] ^= 1
		refused(changed)
		refused(content[:at])
	}
	_, foreign := recipient(t)
	_, err = of(b).Import(t.Context(), file, Opening{KeyFiles: []string{foreign}}, silent)
	require.ErrorContains(t, err, "does not open")
	practices, err := store.Read(t.Context(), b.DB, (*store.View).Practices)
	require.NoError(t, err)
	require.Len(t, practices, 1)
	b.Clean()
}

func TestAnImportedPracticeWorksOn(t *testing.T) {
	p := full(t)
	_, file, secret := exportOf(t, p.Fixture, p.Admin.Practice)
	f, in := brought(t, file, secret)
	b := &fixture.Pair{Staffed: &fixture.Staffed{Fixture: f}}
	require.Equal(t, []string{"admin@example.org"}, in.Admins)
	admin := auth.User{ID: in.Users[0].ID, Name: "Robin", Practice: in.Practice, Role: auth.Admin}

	out := b.Push(fixture.Course("pushed", 3200))
	require.True(t, out.Accepted[0].Amended, "an amendment by chart number")
	saved := b.Save(admin, changes.Form{Draft: fixture.Typed("new", "okonkwo", 3500)})
	require.True(t, saved.Suspected, "a duplicate of an imported birth")
	require.Equal(t, []string{"3", "4"}, f.Found("nwosu"))
	b.Push(fixture.BirthBy("by7", "Peeters", "2026-02-08", "25", "1234567893", "Jo Reyes", "CNM"))
	require.Equal(t, attendant(b, "by2"), attendant(b, "by7"), "a new identity joins the group")
	undoes(b, admin)
	takesBack(b, admin, p.kept.ID)
	require.Equal(t, []string{"2", "replaced"}, b.Replaced(), "2 is on file again, with what a push has replaced")
	_, err := b.Changes.Reinstate(admin, b.At("replaced").UUID, b.At("replaced").Version)
	require.NoError(t, err)
	require.EqualValues(t, 3300, b.Weight("replaced"))
	b.Clean()
}

// attendant returns the number of the provider who attended a birth.
func attendant(b *fixture.Pair, chart string) int64 {
	rec, err := records.New(b.DB, b.Vault).Show(b.Context(), b.Caller.Practice, chart, 0, true)
	require.NoError(b, err)
	return rec.Attendant().ID
}

// undoes undoes the merges that were made elsewhere.
func undoes(b *fixture.Pair, admin auth.User) {
	b.Helper()
	reviews, err := store.Read(b.Context(), b.DB, func(v *store.View) ([]store.Review, error) { return v.Reviews(admin.Practice.ID, 0, 9) })
	require.NoError(b, err)
	undone := 0
	for _, r := range reviews {
		if r.Decision == store.MergeOne && r.UndoneAt == nil {
			_, err := b.Review.Undo(admin, r.ID)
			require.NoError(b, err)
			undone++
		}
	}
	require.Equal(b, 1, undone)
	require.Equal(b, birth.Active, b.At("2").State)
	b.Clean()
}

// takesBack undoes the import of a spreadsheet that was imported elsewhere.
func takesBack(b *fixture.Pair, admin auth.User, id string) {
	b.Helper()
	require.Equal(b, birth.Active, b.At("k1").State)
	require.NoError(b, b.Imports.Undo(b.Context(), admin, id))
	for more := true; more; {
		var err error
		more, err = b.Imports.UndoSteps(b.Context())
		require.NoError(b, err)
	}
	require.Equal(b, birth.Voided, b.At("k1").State)
	weight, _ := b.Base("revived").Draft.Children[0].Get("birth_weight_g")
	require.EqualValues(b, 3000, weight.Number, "the value from before the spreadsheet")
	b.Clean()
}

// The practice's downloads are the same in both places.
func TestTheDownloadsOfAPracticeAreTheSameAfterAMove(t *testing.T) {
	p := full(t)
	_, file, secret := exportOf(t, p.Fixture, p.Admin.Practice)
	b, in := brought(t, file, secret)
	downloads := func(f *fixture.Fixture, practice store.Practice) (all []string) {
		reads := records.New(f.DB, f.Vault)
		for _, filter := range []store.Filter{{}, {State: birth.Voided}, {State: birth.Merged}, {Source: birth.CSV}, {Born: "2026"}} {
			var to bytes.Buffer
			_, err := reads.Export(t.Context(), practice, filter, &to)
			require.NoError(t, err)
			all = append(all, to.String())
		}
		return all
	}
	want := downloads(p.Fixture, p.Admin.Practice)
	require.Contains(t, want[0], "Okonkwo")
	require.Equal(t, want, downloads(b, in.Practice))
}

// A former installation observed what was done there.
func TestTheFormerTrailIsNotExportedAsObservedHere(t *testing.T) {
	p := full(t)
	_, file, secret := exportOf(t, p.Fixture, p.Admin.Practice)
	b, in := brought(t, file, secret)
	var lined, events bytes.Buffer
	trail, of := audit.New(b.DB, b.Vault), audit.Selection{Practice: in.Practice.ID}
	_, err := trail.Export(t.Context(), of, "", &lined)
	require.NoError(t, err)
	require.Contains(t, lined.String(), "record.create")
	require.Contains(t, lined.String(), "practice.import")
	n, err := trail.Export(t.Context(), of, "https://births.example.org", &events)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Contains(t, events.String(), "practice.import")
}
