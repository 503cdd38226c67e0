package auth

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

func (g *gate) refused(p store.PracticeID) (all []store.Refusal) {
	g.t.Helper()
	require.NoError(g.t, g.db.View(context.Background(), func(v *store.View) (err error) {
		all, err = v.Refusals(p, time.Time{}, 0, 1000)
		return err
	}))
	return all
}

func TestRefusalsAreNotedAtMostOnceASecondForAPracticeAndCode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		_, key := g.mint("ingest:write")
		other := g.practice(true)
		_, others, err := g.Mint(other, "theirs", []string{"ingest:write"}, "operator")
		require.NoError(t, err)
		note := func(c Caller, status int, code string) {
			require.NoError(t, g.NoteRefusal(c, store.Refusal{Status: status, Code: code, RequestID: "r"}))
		}
		mine, foreign := Caller{Key: key.ID, Practice: g.p}, Caller{Key: others.ID, Practice: other}
		for range 50 {
			note(mine, 429, "throttled")
			note(foreign, 429, "throttled")
			note(mine, 413, "too-large")
		}
		require.Len(t, g.refused(g.p), 2)
		require.Len(t, g.refused(other), 1)
		time.Sleep(refusalsApart)
		note(mine, 429, "throttled")
		require.Len(t, g.refused(g.p), 3)
		require.Equal(t, "nightly", g.refused(g.p)[0].Key)
	})
}

func TestErrorsThatAreNotTheCallersFaultAreNotNoted(t *testing.T) {
	g := opened(t)
	_, key := g.mint("ingest:write")
	mine := Caller{Key: key.ID, Practice: g.p}
	for _, status := range []int{202, 404, 405, 500, 503} {
		require.NoError(t, g.NoteRefusal(mine, store.Refusal{Status: status, Code: "x"}))
	}
	require.NoError(t, g.NoteRefusal(Caller{}, store.Refusal{Status: 401, Code: "unauthorized"}))
	require.Empty(t, g.refused(g.p))
}

func TestARevokedKeyNamesItsPracticeAndGrantsNothing(t *testing.T) {
	g := opened(t)
	key, minted := g.mint("ingest:write")
	_, err := g.Revoked(t.Context(), key)
	require.ErrorIs(t, err, ErrUnknownKey, "it is in force")
	_, err = g.Revoked(t.Context(), "rgk_nonsense")
	require.ErrorIs(t, err, ErrUnknownKey)
	require.NoError(t, g.RevokeKey(g.person(Admin), minted.ID))
	who, err := g.Revoked(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, g.p, who.Practice)
	for _, scope := range Scopes {
		require.False(t, who.May(scope))
	}
	_, err = g.Identify(t.Context(), key)
	require.ErrorIs(t, err, ErrUnknownKey)
}
