package auth

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

// person returns a user of the gate's practice with this role.
func (g *gate) person(r Role) User { return g.personOf(g.p, r) }

func (g *gate) personOf(p store.PracticeID, r Role) (who User) {
	g.t.Helper()
	require.NoError(g.t, g.db.View(context.Background(), func(v *store.View) error {
		practice, err := v.Practice(p)
		who = User{Name: "Olive", Practice: practice, Role: r, Address: "192.0.2.7"}
		return err
	}))
	return who
}

// noted returns the audit trail, each entry as "who action object".
func (g *gate) noted() (all []string) {
	g.t.Helper()
	require.NoError(g.t, g.db.View(context.Background(), func(v *store.View) error {
		return v.Trail(func(row store.Audit) error {
			all = append(all, strings.Join([]string{row.Actor, row.Action, row.Object}, " "))
			return nil
		})
	}))
	return all
}

var anybody = []Role{Admin, Provider, Scribe, Viewer}

func TestAdminsAndProvidersMintAndRevokeKeysAndNobodyElse(t *testing.T) {
	for _, role := range anybody {
		g := opened(t)
		_, old := g.mint("ingest:write")
		before := len(g.noted())
		key, minted, err := g.MintKey(g.person(role), " nightly sync ", []string{"ingest:read", "ingest:write"})
		revoking := g.RevokeKey(g.person(role), old.ID)
		if role == Scribe || role == Viewer {
			require.ErrorIs(t, err, ErrForbidden)
			require.ErrorIs(t, revoking, ErrForbidden)
			require.Empty(t, key)
			require.Len(t, g.keys(g.p), 1)
			require.Nil(t, g.keys(g.p)[0].RevokedAt)
			require.Len(t, g.noted(), before)
			continue
		}
		require.NoError(t, err)
		require.NoError(t, revoking)
		require.Equal(t, "nightly sync", minted.Label)
		require.Equal(t, "Olive", minted.MintedBy)
		require.Equal(t, []string{"ingest:write", "ingest:read"}, minted.Scopes)
		who, err := g.Identify(t.Context(), key)
		require.NoError(t, err)
		require.Equal(t, g.p, who.Practice)
		require.Equal(t, []string{"Olive key.mint nightly sync", "Olive key.revoke nightly"}, g.noted()[before:])
	}
}

func TestAPracticeHasAtMostTwentyKeysInForce(t *testing.T) {
	g := opened(t)
	admin := g.person(Admin)
	for range MaxKeys {
		_, _, err := g.MintKey(admin, "one more", []string{"ingest:read"})
		require.NoError(t, err)
	}
	_, _, err := g.MintKey(admin, "too many", []string{"ingest:read"})
	require.ErrorIs(t, err, ErrTooManyKeys)
	require.NoError(t, g.RevokeKey(admin, g.keys(g.p)[3].ID))
	_, _, err = g.MintKey(admin, "room again", []string{"ingest:read"})
	require.NoError(t, err)
}

func TestAUserMintsKeysOnlyWhileThePracticeIsInTheBeta(t *testing.T) {
	g := opened(t)
	admin := g.person(Admin) // as the page read the user earlier
	require.NoError(t, g.db.Update(func(tx *store.Tx) error { return tx.SetEHRBeta(g.p, false) }))
	_, _, err := g.MintKey(admin, "late", []string{"ingest:read"})
	require.ErrorIs(t, err, ErrNoBeta)
	require.Empty(t, g.keys(g.p))
	require.Empty(t, g.noted())
}

func TestAKeyOfAnotherPracticeCannotBeRevoked(t *testing.T) {
	g := opened(t)
	other := g.practice(true)
	_, minted := g.mint("ingest:read")
	require.ErrorIs(t, g.RevokeKey(g.personOf(other, Admin), minted.ID), store.ErrNotFound)
	require.NoError(t, g.RevokeKey(g.person(Admin), minted.ID))
	require.ErrorIs(t, g.RevokeKey(g.person(Admin), minted.ID), store.ErrNotFound, "it is revoked")
}
