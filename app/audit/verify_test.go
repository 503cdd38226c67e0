package audit

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/seal"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.OffTheDisk(m)) }

// fixture is a trail on a real database with one practice.
type fixture struct {
	*Trail
	t testing.TB
	p store.PracticeID
}

// withEntries returns a trail with n entries.
func withEntries(t *testing.T, n int) *fixture {
	t.Helper()
	db, err := store.Open(t.Context(), storetest.Blank(t, filepath.Join(t.TempDir(), "registry.db"), store.Open))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	vault, _, err := seal.Open(db, db.Path()+".key")
	require.NoError(t, err)
	require.NoError(t, vault.Ready())
	f := &fixture{New(db, vault), t, 0}
	require.NoError(t, db.Update(func(tx *store.Tx) (err error) {
		f.p, err = tx.AddPractice("Riverside", false, true)
		return err
	}))
	for i := range n {
		f.add(fmt.Sprint("record ", i))
	}
	return f
}

// add appends an entry about an object.
func (f *fixture) add(object string) {
	f.t.Helper()
	require.NoError(f.t, f.db.Update(func(tx *store.Tx) error {
		return f.Add(tx, Actor{Practice: f.p, Name: "Carla", Address: "10.0.0.1"}, "record.read", object)
	}))
}

// tamper runs statements on the file that the program never runs.
func (f *fixture) tamper(statements ...string) {
	f.t.Helper()
	raw, err := sql.Open("sqlite", f.db.Path())
	require.NoError(f.t, err)
	defer raw.Close() //nolint:errcheck // the test's own connection
	for _, statement := range append([]string{"drop trigger audit_stands", "drop trigger audit_stays"}, statements...) {
		_, err := raw.Exec(statement)
		require.NoError(f.t, err)
	}
}

func TestAnUntouchedTrailIsIntact(t *testing.T) {
	for _, n := range []int{0, 1, 12} {
		state, err := withEntries(t, n).Verify(t.Context())
		require.NoError(t, err)
		require.Equal(t, n, state.Entries)
		require.Zero(t, state.Broken)
	}
}

func TestTheFirstChangedEntryIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		change string
		broken int64
	}{
		"who it was":          {"update audit set actor = 'Olive' where id = 5", 5},
		"what was done":       {"update audit set action = 'record.amend' where id = 5", 5},
		"to what":             {"update audit set object = 'record 9' where id = 5", 5},
		"from where":          {"update audit set address = '' where id = 5", 5},
		"when":                {"update audit set at = at + 1 where id = 5", 5},
		"in which practice":   {"update audit set practice = null where id = 5", 5},
		"its code":            {"update audit set mac = zeroblob(32) where id = 5", 5},
		"one that is gone":    {"delete from audit where id = 5", 6},
		"the first is gone":   {"delete from audit where id = 1", 2},
		"two that swapped":    {"update audit set id = case id when 5 then 600 else 500 end where id in (5, 6); update audit set id = id / 100 where id > 100", 5},
		"one that was put in": {"insert into audit select id + 1, at, practice, user, actor, action, object, address, mac from audit where id = 12", 13},
		"a code taken over":   {"update audit set object = 'x', mac = (select mac from audit where id = 4) where id = 5", 5},
	} {
		t.Run(name, func(t *testing.T) {
			f := withEntries(t, 12)
			before, err := f.State(t.Context())
			require.NoError(t, err)
			require.Zero(t, before.Broken)
			f.tamper(c.change)
			state, err := f.Verify(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.broken, state.Broken)
		})
	}
}

func TestEntriesCutOffAtTheEndAreFoundForever(t *testing.T) {
	for name, c := range map[string]struct {
		change []string
		broken int64
	}{
		"the last":               {[]string{"delete from audit where id = 12"}, 12},
		"the last three":         {[]string{"delete from audit where id > 9"}, 10},
		"all":                    {[]string{"delete from audit"}, 1},
		"with the head":          {[]string{"delete from audit where id > 9", "delete from audit_head"}, 10},
		"with the head's number": {[]string{"delete from audit where id > 9", "update audit_head set last = 9"}, 10},
		"all, and a fresh head":  {[]string{"delete from audit", "update audit_head set last = 0, mac = x''"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := withEntries(t, 11)
			require.NoError(t, f.db.Update(func(tx *store.Tx) error {
				user, err := tx.AddUser("olive@example.org", "Olive")
				if err != nil {
					return err
				}
				return errors.Join(tx.NoteSignIn(user), f.Add(tx, Actor{Practice: f.p, User: user, Name: "Olive"}, "user.sign-in", "olive@example.org"))
			}))
			f.tamper(c.change...)
			state, err := f.Verify(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.broken, state.Broken)
			if name == "all, and a fresh head" {
				return // begins a new chain, as in a new installation
			}
			f.add("x")
			state, err = f.Verify(t.Context())
			require.NoError(t, err)
			require.NotZero(t, state.Broken)
		})
	}
}

func TestStateChecksNewEntriesAndEveryEntryOnceADay(t *testing.T) {
	f := withEntries(t, 3)
	state := func() State {
		s, err := f.State(t.Context())
		require.NoError(t, err)
		return s
	}
	first := state()
	require.Equal(t, 3, first.Entries)
	f.add("x")
	second := state()
	require.Equal(t, 4, second.Entries)
	require.Equal(t, first.At, second.At, "when every entry was checked")

	f.tamper("update audit set actor = 'Olive' where id = 2")
	require.Zero(t, state().Broken, "the entry was checked before")
	f.verified.At = time.Now().Add(-verifyEvery - time.Minute)
	require.EqualValues(t, 2, state().Broken)
	require.EqualValues(t, 2, state().Broken, "it stays so")
}

func TestEntriesCutOffAtTheEndAreFoundByARunningProcess(t *testing.T) {
	f := withEntries(t, 5)
	_, err := f.State(t.Context())
	require.NoError(t, err)
	f.tamper("delete from audit where id >= 4")
	state, err := f.State(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 5, state.Broken)

	f = withEntries(t, 5)
	_, err = f.State(t.Context())
	require.NoError(t, err)
	f.tamper("delete from audit where id = 5")
	f.add("another fifth")
	state, err = f.State(t.Context())
	require.NoError(t, err)
	require.NotZero(t, state.Broken)
}
