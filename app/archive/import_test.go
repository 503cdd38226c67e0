package archive

import (
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/changes"
	"birthregistry/app/drafts"
	"birthregistry/app/fixture"
	"birthregistry/app/records"
	"birthregistry/store"
)

func silent(string, int, int) {}

// full makes a practice with something of everything.
func full(t *testing.T) *fixture.Pair {
	p := fixture.NewPair(t)
	p.Did(p.Review.Merge(p.Admin, p.Of(), "", nil))
	p.Push(fixture.Course("pushed", 3000))
	p.Push(fixture.Course("pushed", 3100))
	p.Save(p.Provider, changes.Form{Draft: fixture.Typed("3", "Nwosu", 3300)})
	p.Save(p.Provider, changes.Form{Draft: fixture.Typed("4", "NWOSU", 3310)})
	three, four := p.At("3"), p.At("4")
	_, err := p.Review.MarkNotDuplicates(p.Admin, pairOf(three, four))
	require.NoError(t, err)
	_, err = p.Changes.Void(p.Provider, p.At("3").UUID, "by mistake", p.At("3").Version)
	require.NoError(t, err)
	p.Retract("pushed")
	require.NoError(t, p.DB.Update(func(tx *store.Tx) error {
		return tx.OfferMembership(p.Caller.Practice, p.Admin.ID, "admin", "Robin")
	}))
	return p
}

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
	content := drafts.Content{
		Typed: url.Values{"person.0.provider": {strconv.FormatInt(providers[0].SurvivorID(), 10)}}, Record: record.UUID, BaseVersion: record.Version,
	}
	token := drafts.AmendmentToken(p.Admin.Practice.ID, p.Admin.ID, record.UUID)
	_, err = drafts.New(p.DB, p.Vault, auth.New(p.DB, p.Vault)).Save(t.Context(), p.Admin, token, 0, content)
	require.NoError(t, err)
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
	require.Len(t, all, 1)
	require.Equal(t, drafts.AmendmentToken(in.Practice.ID, admin.ID, record.UUID), all[0].Token)
	id, err := strconv.ParseInt(all[0].Typed.Get("person.0.provider"), 10, 64)
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
	out := b.Push(fixture.Course("pushed", 3200))
	require.True(t, out.Accepted[0].Amended, "an amendment by chart number")
	admin := auth.User{ID: in.Users[0].ID, Name: "Robin", Practice: in.Practice, Role: auth.Admin}
	saved := b.Save(admin, changes.Form{Draft: fixture.Typed("5", "okonkwo", 3500)})
	require.True(t, saved.Suspected, "a duplicate of an imported birth")
	require.Equal(t, []string{"3", "4"}, f.Found("nwosu"))
	reviews, err := store.Read(t.Context(), f.DB, func(v *store.View) ([]store.Review, error) { return v.Reviews(in.Practice.ID, 0, 9) })
	require.NoError(t, err)
	for _, r := range reviews {
		if r.Decision == store.MergeOne {
			_, err := b.Review.Undo(admin, r.ID)
			require.NoError(t, err)
		}
	}
	b.Clean()
}
