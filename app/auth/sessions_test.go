package auth

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

// open stores a person's session under a token.
func (g *gate) open(who User, token string) {
	g.t.Helper()
	g.keep(token, map[string]any{SessionUser: who.ID, SessionPractice: int64(who.Practice.ID), SessionAgent: "Firefox"})
}

func (g *gate) keep(token string, values map[string]any) {
	g.t.Helper()
	require.NoError(g.t, g.commit(token, values))
}

func (g *gate) commit(token string, values map[string]any) error {
	deadline := time.Now().Add(AbsoluteEnd)
	content, err := scs.GobCodec{}.Encode(deadline, values)
	require.NoError(g.t, err)
	return g.SessionStore().Commit(token, content, deadline)
}

// held returns what a session holds, or nil if it has ended.
func (g *gate) held(token string) map[string]any {
	g.t.Helper()
	content, found, err := g.SessionStore().Find(token)
	require.NoError(g.t, err)
	if !found {
		return nil
	}
	_, values, err := scs.GobCodec{}.Decode(content)
	require.NoError(g.t, err)
	return values
}

func (g *gate) alive(token string) bool { return g.held(token) != nil }

func TestASessionEndsAfterHalfAnHourUnusedOrAfterTwelveHours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		who := g.add(olive, Admin)
		g.open(who, "busy")
		g.open(who, "idle")
		time.Sleep(29 * time.Minute)
		require.True(t, g.alive("busy"))
		time.Sleep(time.Minute)
		require.False(t, g.alive("idle"))
		busy := 30 * time.Minute
		for busy < AbsoluteEnd {
			require.True(t, g.alive("busy"), busy)
			time.Sleep(20 * time.Minute)
			busy += 20 * time.Minute
		}
		require.False(t, g.alive("busy"), "however busy")
		open, err := g.SessionsOf(t.Context(), who.ID)
		require.NoError(t, err)
		require.Empty(t, open)
		require.Equal(t, 2, g.rows(who.ID))
		require.NoError(t, g.db.Update(Sweep))
		require.Zero(t, g.rows(who.ID), "swept")
	})
}

func (g *gate) rows(user int64) (n int) {
	g.t.Helper()
	require.NoError(g.t, g.db.View(context.Background(), func(v *store.View) error {
		all, err := v.SessionsOf(user)
		n = len(all)
		return err
	}))
	return n
}

func TestASweepDeletesOnlyWhatHasExpired(t *testing.T) {
	g := opened(t)
	who := g.add(olive, Admin)
	g.open(who, "a")
	g.keep("stranger", map[string]any{"wanted": "/registry"})
	link, err := g.Link(who, who.ID)
	require.NoError(t, err)
	require.NoError(t, g.db.Update(Sweep))
	require.True(t, g.alive("a"))
	require.Equal(t, "/registry", g.held("stranger")["wanted"])
	_, err = g.RedeemLink(t.Context(), link.Code, password, here)
	require.NoError(t, err)
}

func TestAnEndedSessionIsNotBroughtBackByARequestInProgress(t *testing.T) {
	g := opened(t)
	who := g.add(olive, Admin)
	manager := &scs.SessionManager{Store: g.SessionStore(), Codec: scs.GobCodec{}, Lifetime: AbsoluteEnd, HashTokenInStore: true}
	begin := func() (token string) {
		ctx, err := manager.Load(context.Background(), "")
		require.NoError(t, err)
		manager.Put(ctx, SessionUser, who.ID)
		manager.Put(ctx, SessionPractice, int64(g.p))
		token, _, err = manager.Commit(ctx)
		require.NoError(t, err)
		return token
	}
	token := begin()
	ctx, err := manager.Load(context.Background(), token)
	require.NoError(t, err)
	require.Equal(t, who.ID, manager.GetInt64(ctx, SessionUser))
	manager.Put(ctx, "flash", "Saved.")
	_, _, err = manager.Commit(ctx)
	require.NoError(t, err, "one that is alive is kept")

	require.NoError(t, g.EndSessions(who, who.ID))
	manager.Put(ctx, "flash", "Saved.")
	_, _, err = manager.Commit(ctx)
	require.ErrorIs(t, err, ErrSessionEnded)
	require.ErrorIs(t, manager.RenewToken(ctx), ErrSessionEnded, "not under another token either")
	require.Zero(t, g.rows(who.ID))

	token = begin()
	ctx, err = manager.Load(context.Background(), token)
	require.NoError(t, err)
	require.NoError(t, manager.RenewToken(ctx))
	fresh, _, err := manager.Commit(ctx)
	require.NoError(t, err)
	require.NotEqual(t, token, fresh)
	require.Equal(t, 1, g.rows(who.ID), "the old token is gone")
	require.NoError(t, manager.Destroy(ctx))
	require.Zero(t, g.rows(who.ID))
	ctx, err = manager.Load(context.Background(), "")
	require.NoError(t, err)
	require.NoError(t, manager.Destroy(ctx), "one that was never kept")
}

func TestTheContentOfASessionIsSealedToItsToken(t *testing.T) {
	g := opened(t)
	who := g.add(olive, Admin)
	g.keep("mine", map[string]any{SessionUser: who.ID, "secret": "CNRY-secret-of-a-session"})
	g.open(who, "other")
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(g.db.Path() + suffix)
		require.NoError(t, err)
		require.False(t, bytes.Contains(content, []byte("CNRY")))
	}
	require.NoError(t, g.db.Update(func(tx *store.Tx) error { // copied to another session's row, without the program
		s, err := tx.Session("mine")
		if err != nil {
			return err
		}
		s.Token = "other"
		return tx.PutSession(s)
	}))
	_, found, err := g.SessionStore().Find("other")
	require.Error(t, err)
	require.False(t, found)
	require.Equal(t, "CNRY-secret-of-a-session", g.held("mine")["secret"])
}

func TestUsersSeeAndEndOnlyTheirOwnSessions(t *testing.T) {
	g := opened(t)
	who, vera := g.add(olive, Admin), g.add("vera@example.org", Viewer)
	g.open(who, "a")
	g.open(who, "b")
	g.open(vera, "c")
	all, err := g.SessionsOf(t.Context(), who.ID)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, "Firefox", all[0].Agent)
	require.Equal(t, g.p, all[0].Practice)
	require.ErrorIs(t, g.EndSession(who, "c"), store.ErrNotFound)
	require.True(t, g.alive("c"))
	require.NoError(t, g.EndSession(who, "a"))
	require.False(t, g.alive("a"))
	g.open(who, "d")
	require.NoError(t, g.EndOtherSessions(who, "d"))
	require.False(t, g.alive("b"))
	require.True(t, g.alive("d"))
	require.True(t, g.alive("c"))
	require.Equal(t, "d", g.held("d")[SessionSelf], "a session knows its handle")
}

func TestSessionsOfStrangersAreLimited(t *testing.T) {
	g := opened(t)
	who := g.add(olive, Admin)
	g.open(who, "olive's")
	require.NoError(t, g.db.Update(func(tx *store.Tx) error {
		for n := range 50 {
			s := store.Session{Token: fmt.Sprint(n), Sealed: []byte{1}, CreatedAt: tx.Now.Add(time.Duration(n-100) * time.Second), ExpiresAt: tx.Now}
			if err := tx.PutSession(s); err != nil {
				return err
			}
		}
		return tx.BoundAnonymousSessions(10)
	}))
	require.NoError(t, g.db.View(t.Context(), func(v *store.View) error {
		for n := range 50 {
			_, err := v.Session(fmt.Sprint(n))
			require.Equal(t, n >= 40, err == nil, "the oldest go")
		}
		return nil
	}))
	require.True(t, g.alive("olive's"), "who has signed in is not concerned")
}

func TestAUserHasALimitedNumberOfSessionsAndTheOldestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		who, other := g.add(olive, Admin), g.add("other@example.org", Scribe)
		g.open(other, "other")
		for n := range maxOfUser + 2 {
			time.Sleep(time.Second)
			g.open(who, fmt.Sprint(n))
		}
		for n := range maxOfUser + 2 {
			require.Equal(t, n >= 2, g.alive(fmt.Sprint(n)), n)
		}
		require.True(t, g.alive("other"))
	})
}

func TestALongBrowserNameIsCut(t *testing.T) {
	g := opened(t)
	who := g.add(olive, Admin)
	g.keep("a", map[string]any{SessionUser: who.ID, SessionAgent: string(bytes.Repeat([]byte("é"), 5000))})
	all, err := g.SessionsOf(t.Context(), who.ID)
	require.NoError(t, err)
	require.Equal(t, maxAgent, len([]rune(all[0].Agent)))
}
