package cost_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/archive"
	"birthregistry/app/auth"
	"birthregistry/store"
)

// passphrase seals the archives here.
const passphrase = "for these tests alone"

// export exports the practice and returns the file.
func (s *installation) export() (file string) {
	s.Helper()
	file = filepath.Join(s.TempDir(), "practice.age")
	practice, err := store.Read(s.Context(), s.DB, func(v *store.View) (store.Practice, error) { return v.Practice(s.practice) })
	require.NoError(s, err)
	_, err = s.Archive.Export(s.Context(), auth.Operator(practice), archive.Sealing{Passphrase: passphrase}, file, func(int, int) {})
	require.NoError(s, err)
	return file
}

// bring imports an archive.
func (s *installation) bring(file string) error {
	_, err := s.Archive.Import(s.Context(), file, archive.Opening{Passphrase: passphrase}, func(string, int, int) {})
	return err
}

// births adds this many births, each with a provider of its own, in a practice of this many users.
func (s *installation) births(n, users int, domain string) {
	s.Helper()
	s.pushed(apptest.Batch(each(n, func(i int) string {
		return apptest.Course{Chart: fmt.Sprint("C", i), Mother: fmt.Sprint("Okonkwo", i), Extra: []string{practitioner(i)}}.Bundle()
	})...))
	require.NoError(s, s.DB.Update(func(tx *store.Tx) error {
		for i := range users {
			id, err := tx.AddUser(fmt.Sprint("user", i, "@", domain), "Robin")
			if err != nil {
				return err
			}
			if err := tx.AddMembership(s.practice, id, string(auth.Scribe)); err != nil {
				return err
			}
		}
		return nil
	}))
}

// archived returns an archive of a practice with this many births and users.
func archived(s *installation, n, users int) (file string) {
	from := newInstallation(s.T)
	from.births(n, users, "elsewhere.example.org")
	file = from.export()
	require.NoError(s, from.Close())
	return file
}

// inAnArchive takes practices out and brings them in.
var inAnArchive = []grows{
	{"the export of a practice with many births", 40, nLogN, func(s *installation, n int) func() {
		s.births(n, n, "example.org")
		return func() { s.export() }
	}},
	{"the import of a practice with many births", 40, nLogN, func(s *installation, n int) func() {
		file := archived(s, n, n)
		return func() { require.NoError(s, s.bring(file)) }
	}},
	{"an import that is cut off, and the deletion of what it has written", 40, nLogN, func(s *installation, n int) func() {
		file := archived(s, n, n)
		s.births(n, n, "example.org") // whose rows no deletion looks at
		return func() {
			ctx, cancel := context.WithCancel(s.Context())
			_, err := s.Archive.Import(ctx, file, archive.Opening{Passphrase: passphrase}, func(stage string, done, total int) {
				if stage == "Importing" && done == total {
					cancel()
				}
			})
			require.ErrorIs(s, err, context.Canceled)
		}
	}},
}

// The service answers within its second while a practice is exported or imported: no
// transaction of an import writes more for a large practice than for a small one, and an
// export writes two rows. The users come in one transaction; an archive has at most 10,000.
func TestAnImportHoldsOtherWritersUpNoLongerForALargePractice(t *testing.T) {
	held := func(n int) (exported, imported int64) {
		s := newInstallation(t)
		file := archived(s, n, 10)
		s.births(n, 10, "example.org")
		exported = measure(func() { s.export() }).held
		w := measure(func() { require.NoError(t, s.bring(file)) })
		t.Logf("%5d births: an export holds the writer for %d steps, an import for %d of %d", n, exported, w.held, w.steps)
		require.NoError(t, s.Close())
		return exported, w.held
	}
	someExported, someImported := held(500) // two transactions of each kind
	moreExported, moreImported := held(2000)
	require.LessOrEqual(t, moreExported, someExported+100)
	require.LessOrEqual(t, moreImported, someImported*11/10)
	require.LessOrEqual(t, moreImported, int64(heldAtMost))
}

func TestTheUsersOfTheLargestPracticeHoldOtherWritersUpWithinTheBound(t *testing.T) {
	s := newInstallation(t)
	file := archived(s, 1, 9_900)
	w := measure(func() { require.NoError(t, s.bring(file)) })
	t.Logf("9,900 users: an import holds the writer for %d steps", w.held)
	require.NoError(t, s.Close())
	require.LessOrEqual(t, w.held, int64(heldAtMost))
}
