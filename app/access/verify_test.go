package access

import (
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

// noted opens an Access with n rows in its trail.
func noted(t *testing.T, n int) *gate {
	t.Helper()
	g := opened(t)
	who := Person{Name: "Carla", Practice: store.Practice{ID: g.p}, Role: Admin, Address: "10.0.0.1"}
	for i := range n {
		require.NoError(t, g.NoteAlone(who, "record.read", fmt.Sprint("record ", i)))
	}
	return g
}

// tamper does to the file what the program never does.
func (g *gate) tamper(statements ...string) {
	g.t.Helper()
	raw, err := sql.Open("sqlite", g.db.Path())
	require.NoError(g.t, err)
	defer raw.Close() //nolint:errcheck // the test's own
	for _, statement := range append([]string{"drop trigger audit_stands", "drop trigger audit_stays"}, statements...) {
		_, err := raw.Exec(statement)
		require.NoError(g.t, err)
	}
}

func TestATrailThatNobodyTouchedIsSound(t *testing.T) {
	for _, n := range []int{0, 1, 12} {
		rows, broken, err := noted(t, n).VerifyTrail(t.Context())
		require.NoError(t, err)
		require.Equal(t, n, rows)
		require.Zero(t, broken)
	}
}

func TestTheFirstRowThatIsNotAsItWasWrittenIsNamed(t *testing.T) {
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
			g := noted(t, 12)
			sound, err := g.TrailState(t.Context())
			require.NoError(t, err)
			require.Zero(t, sound.Broken)
			g.tamper(c.change)
			_, broken, err := g.VerifyTrail(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.broken, broken)
		})
	}
}

func TestAnEndThatWasCutOffIsFoundAndNeverHeals(t *testing.T) {
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
			g := noted(t, 11)
			require.NoError(t, g.db.Update(func(tx *store.Tx) error {
				user, err := tx.AddUser(olive, "Olive")
				if err != nil {
					return err
				}
				return errors.Join(tx.NoteSignIn(user), g.Note(tx, Operator(store.Practice{ID: g.p}), "user.sign-in", olive))
			}))
			g.tamper(c.change...)
			_, broken, err := g.VerifyTrail(t.Context())
			require.NoError(t, err)
			require.Equal(t, c.broken, broken)
			if name == "all, and a fresh head" {
				return // begins anew, as a new installation's
			}
			require.NoError(t, g.NoteAlone(Operator(store.Practice{ID: g.p}), "record.read", "x"))
			_, broken, err = g.VerifyTrail(t.Context())
			require.NoError(t, err)
			require.NotZero(t, broken)
		})
	}
}

func TestThePagesStateGoesOnWhereItWasAndLooksAtEveryRowOnceADay(t *testing.T) {
	g := noted(t, 3)
	state := func() TrailState {
		s, err := g.TrailState(t.Context())
		require.NoError(t, err)
		return s
	}
	first := state()
	require.Equal(t, 3, first.Rows)
	require.NoError(t, g.NoteAlone(Operator(store.Practice{ID: g.p}), "record.read", "x"))
	second := state()
	require.Equal(t, 4, second.Rows)
	require.Equal(t, first.At, second.At, "every row was looked at then")

	g.tamper("update audit set actor = 'Olive' where id = 2")
	require.Zero(t, state().Broken, "the row was looked at already")
	g.verified.At = time.Now().Add(-verifyEvery - time.Minute)
	require.EqualValues(t, 2, state().Broken)
	require.EqualValues(t, 2, state().Broken, "it stays so")
}

func TestAnEndThatIsCutOffShowsWhileTheProcessRemembersIt(t *testing.T) {
	g := noted(t, 5)
	_, err := g.TrailState(t.Context())
	require.NoError(t, err)
	g.tamper("delete from audit where id >= 4")
	state, err := g.TrailState(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 5, state.Broken)

	g = noted(t, 5)
	_, err = g.TrailState(t.Context())
	require.NoError(t, err)
	g.tamper("delete from audit where id = 5")
	require.NoError(t, g.NoteAlone(Operator(store.Practice{ID: g.p}), "record.read", "another fifth"))
	state, err = g.TrailState(t.Context())
	require.NoError(t, err)
	require.NotZero(t, state.Broken)
}
