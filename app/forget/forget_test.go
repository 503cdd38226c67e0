package forget_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/stretchr/testify/require"

	"birthregistry/app/archive"
	"birthregistry/app/audit"
	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/app/forget"
	"birthregistry/app/records"
	"birthregistry/app/seal"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

// sign makes a fixture's database sign its rows, as every installation does.
func sign(t *testing.T, f *fixture.Fixture) {
	t.Helper()
	require.NoError(t, f.DB.Sign(t.Context(), store.Signing{
		Root: f.Vault.Key(seal.RowRoot), Keys: f.Vault.RowKeys, Progress: func(int, int) {},
		Signed: func(context.Context) (bool, error) { return false, nil },
		Note:   func(*store.Tx) error { return nil },
	}))
}

// newPair is a practice with two records that look like one birth.
func newPair(t *testing.T) *fixture.Pair {
	c := fixture.NewPair(t)
	sign(t, c.Fixture)
	return c
}

func of(f *fixture.Fixture) *forget.Service { return forget.New(f.DB, auth.New(f.DB, f.Vault)) }

// exported exports the practice of a fixture and returns the digest.
func exported(t *testing.T, f *fixture.Fixture) []byte {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	require.NoError(t, err)
	users := auth.New(f.DB, f.Vault)
	practice, err := store.Read(t.Context(), f.DB, func(v *store.View) (store.Practice, error) { return v.Practice(f.Caller.Practice) })
	require.NoError(t, err)
	made, err := archive.New(f.DB, f.Vault, users, records.New(f.DB, f.Vault), f.Changes, "test").
		Export(t.Context(), auth.Operator(practice), archive.Sealing{Recipients: []string{key.Recipient().String()}}, t.TempDir()+"/practice.age", func(int, int) {})
	require.NoError(t, err)
	return made.SHA256[:]
}

// done works until nothing is left of the practices that are being forgotten.
func done(t *testing.T, s *forget.Service) {
	t.Helper()
	clean, err := s.Work(t.Context())
	require.NoError(t, err)
	require.True(t, clean)
}

// elsewhere adds a second practice with a birth that is pushed.
func elsewhere(f *fixture.Fixture) store.PracticeID {
	f.Helper()
	own := f.Caller
	require.NoError(f, f.DB.Update(func(tx *store.Tx) (err error) {
		f.Caller.Practice, err = tx.AddPractice("Hillside", false, true)
		return err
	}))
	f.Caller.Key = 0
	f.Push(fixture.Birth("1", "Zyxwvut", fixture.Evening))
	other := f.Caller.Practice
	f.Caller = own
	return other
}

func intact(t *testing.T, f *fixture.Fixture) {
	t.Helper()
	f.Clean()
	state, err := audit.New(f.DB, f.Vault).Verify(context.Background())
	require.NoError(t, err)
	require.Zero(t, state.Broken, "the chain of the trail")
}

func TestAForgottenPracticeIsGoneAndTheOthersAreWhole(t *testing.T) {
	c := newPair(t)
	c.Did(c.Review.Merge(c.Provider, c.Of(), "typed twice", nil))
	other := elsewhere(c.Fixture)
	c.Accept(fixture.Birth("waits", "Okonkwo", fixture.Evening)) // and is never processed
	s, p := of(c.Fixture), c.Caller.Practice
	require.NoError(t, s.Begin(p, nil))
	intact(t, c.Fixture) // also while it is being forgotten
	_, err := s.Certificate(t.Context(), p)
	require.ErrorIs(t, err, forget.ErrNotDone)
	done(t, s)
	intact(t, c.Fixture)
	all, err := store.Read(t.Context(), c.DB, (*store.View).Practices)
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, other, all[0].ID)
	trail := strings.Join(c.Trail(), "\n")
	require.Contains(t, trail, fmt.Sprintf("practice.forget practice %d, without an export", p))
	require.Contains(t, trail, fmt.Sprintf("practice.forgotten practice %d", p))
	require.NotContains(t, trail, "duplicate.merge")
	require.ErrorIs(t, of(c.Fixture).Begin(p, nil), store.ErrNotFound)
}

// Readers can see the end of an erasure that the disk doesn't have.
func TestNoCertificateIsIssuedWhileTheDiskMayNotHaveTheErasure(t *testing.T) {
	c := newPair(t)
	s, p := of(c.Fixture), c.Caller.Practice
	require.NoError(t, s.Begin(p, nil))
	done(t, s)
	storetest.Moved(t, c.Path, func() {
		_, err := s.Certificate(t.Context(), p)
		require.ErrorIs(t, err, store.ErrMoved)
	})
	_, err := s.Certificate(t.Context(), p)
	require.NoError(t, err)
}

// While an account has no place yet, the trail names it by its address alone.
func TestTheTrailKeepsNoAddressOfWhoeverFailedToSignIn(t *testing.T) {
	f := fixture.New(t)
	sign(t, f)
	users := auth.New(f.DB, f.Vault)
	practice, err := store.Read(t.Context(), f.DB, func(v *store.View) (store.Practice, error) { return v.Practice(f.Caller.Practice) })
	require.NoError(t, err)
	const wanda = "wanda@example.org"
	_, err = users.Invite(auth.Operator(practice), wanda, "Wanda", auth.Viewer)
	require.NoError(t, err)
	_, err = users.SignIn(t.Context(), wanda, "not the password at all", auth.Visitor{Address: "192.0.2.7"})
	require.Error(t, err)
	named := func() (n int) {
		db, err := sql.Open("sqlite", f.Path)
		require.NoError(t, err)
		defer db.Close() //nolint:errcheck // only read
		require.NoError(t, db.QueryRow(`select count(*) from audit where object = ? or address = '192.0.2.7'`, wanda).Scan(&n))
		return n
	}
	require.Positive(t, named())
	s := of(f)
	require.NoError(t, s.Begin(f.Caller.Practice, nil))
	done(t, s)
	require.Zero(t, named())
	intact(t, f)
}

func TestAnExportMustHoldEverythingThatIsErased(t *testing.T) {
	c := newPair(t)
	s, p := of(c.Fixture), c.Caller.Practice
	digest := exported(t, c.Fixture)
	require.ErrorIs(t, s.Begin(p, make([]byte, 32)), store.ErrExportUnknown)
	foreign := elsewhere(c.Fixture)
	require.ErrorIs(t, s.Begin(foreign, digest), store.ErrExportUnknown, "it is another practice's")
	require.ErrorIs(t, s.Begin(99, digest), store.ErrNotFound)

	changes := map[string]func(){
		"a push": func() { c.Push(fixture.Birth("3", "Haddad", fixture.Evening)) },
		"a push that waits": func() {
			c.Accept(fixture.Birth("4", "Haddad", fixture.Evening))
		},
		"a review": func() { c.Drain(); c.Did(c.Review.Merge(c.Provider, c.Of(), "", nil)) },
		"a place": func() {
			require.NoError(t, c.DB.Update(func(tx *store.Tx) error { return tx.AddMembership(p, c.Viewer.ID, "viewer") }))
		},
		"a setting": func() {
			require.NoError(t, c.DB.Update(func(tx *store.Tx) error { return tx.SetTimeZone(p, "America/New_York") }))
		},
	}
	for _, what := range []string{"a push", "a push that waits", "a review", "a place", "a setting"} {
		changes[what]()
		require.ErrorIs(t, s.Begin(p, digest), store.ErrExportOld, what)
		if what != "a push that waits" {
			digest = exported(t, c.Fixture)
		}
	}
	require.NoError(t, auth.New(c.DB, c.Vault).NoteAlone(c.Admin, "record.read", "to look at it changes nothing"))
	require.NoError(t, s.Begin(p, digest))
	done(t, s)
	certificate, err := s.Certificate(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("%x", digest), certificate.Exported)
	intact(t, c.Fixture)
}

func TestACertificateStatesHowManySessionsWereEndedAndHowLongBackupsHoldThePractice(t *testing.T) {
	f := fixture.New(t)
	sign(t, f)
	who, p, s := f.Person(auth.Viewer), f.Caller.Practice, of(f)
	require.NoError(t, f.DB.Update(func(tx *store.Tx) error {
		for n := range 3 {
			at := store.Session{Token: fmt.Sprint(n), User: who.ID, Practice: p, Sealed: []byte("x"), CreatedAt: tx.Now, ExpiresAt: tx.Now.Add(time.Hour)}
			if err := tx.PutSession(at); err != nil {
				return err
			}
		}
		return nil
	}))
	require.NoError(t, s.Begin(p, nil))
	done(t, s)
	c, err := s.Certificate(t.Context(), p)
	require.NoError(t, err)
	require.Contains(t, c.Erased, forget.Count{What: "sessions that were ended", Number: 3})
	for _, text := range []string{"--backup-keep", "REGISTRY_BACKUP_KEEP", "14 if neither is set", "/etc/birthregistry/env"} {
		require.Contains(t, c.String(), text)
	}
}
