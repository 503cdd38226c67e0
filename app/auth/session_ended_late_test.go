package auth

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
)

// repairs end a user's session, or its permissions, while one of its requests waits for its body.
var repairs = map[string]func(*gate, User, string) error{
	"the operator resets the second factor": func(g *gate, who User, _ string) error {
		_, err := g.AccountLink(who.Email, ResetOptions{SecondFactor: true})
		return err
	},
	"the operator resets the memberships": func(g *gate, who User, _ string) error {
		_, err := g.AccountLink(who.Email, ResetOptions{Memberships: true})
		return err
	},
	"an admin resets the second factor": func(g *gate, who User, _ string) error {
		return g.ResetSecondFactor(g.add("admin@example.org", Admin), who.ID)
	},
	"the password is reset": func(g *gate, who User, _ string) error {
		link, err := g.AccountLink(who.Email, ResetOptions{})
		if err == nil {
			_, err = g.RedeemLink(g.t.Context(), link.Code, "otter lantern quilt seven", here)
		}
		return err
	},
	"the user ends the session":     func(g *gate, who User, session string) error { return g.EndSession(who, session) },
	"the account is disabled":       func(g *gate, who User, _ string) error { _, err := g.DisableUser(who.Email); return err },
	"a full disk delays the ending": func(g *gate, _ User, session string) error { g.RefuseSession(session); return nil },
	"the membership is disabled, the session stays": func(g *gate, who User, _ string) error {
		return g.db.Update(func(tx *store.Tx) error { return tx.DisableMembership(who.Practice.ID, who.ID) })
	},
	"the role is another, the session stays": func(g *gate, who User, _ string) error {
		other := map[Role]Role{Viewer: Scribe, Provider: Viewer, Admin: Viewer}[who.Role]
		return g.db.Update(func(tx *store.Tx) error { return tx.SetRole(who.Practice.ID, who.ID, string(other)) })
	},
	"the practice requires a provider": func(g *gate, who User, _ string) error {
		var provider int64
		err := g.db.Update(func(tx *store.Tx) (err error) {
			provider, _, err = tx.PutSSOProvider(store.SSOProvider{Name: "Required", Slug: "required", Issuer: "https://required.example.org", ClientID: "registry"})
			return err
		})
		return errors.Join(err, g.SetSSOOnly(Operator(who.Practice), provider))
	},
}

func TestAPasskeyIsNotAddedAfterTheSessionHasEnded(t *testing.T) {
	for name, repair := range repairs {
		t.Run(name, func(t *testing.T) {
			g, d := served(t), device(t)
			who := g.add(olive, Viewer)
			session := g.session(who)
			c, err := g.StartPasskey(t.Context(), who)
			require.NoError(t, err)
			answer, err := d.Create(c.Options)
			require.NoError(t, err)
			require.NoError(t, repair(g, who, session))
			_, err = g.AddPasskey(t.Context(), who, c.Pending, answer, "phone", session)
			require.ErrorIs(t, err, ErrSessionEnded)
			_, err = g.enters(g.asked(d))
			require.ErrorIs(t, err, ErrPasskey)
		})
	}
}

func TestAPasskeyIsNotAddedWithAPasswordThatHasChanged(t *testing.T) {
	g, d := served(t), device(t)
	who := g.add(olive, Viewer)
	session := g.session(who)
	c, err := g.StartPasskey(t.Context(), who)
	require.NoError(t, err)
	answer, err := d.Create(c.Options)
	require.NoError(t, err)
	require.NoError(t, g.ChangePassword(who, password, "otter lantern quilt seven", session))
	_, err = g.AddPasskey(t.Context(), who, c.Pending, answer, "phone", session)
	require.ErrorIs(t, err, ErrNotAdded)
	_, err = g.enters(g.asked(d))
	require.ErrorIs(t, err, ErrPasskey)
}

func TestPasskeysAndAppsAreAddedOnlyInASessionOfTheirOwner(t *testing.T) {
	g, d := served(t), device(t)
	who := g.add(olive, Viewer)
	strange := g.session(g.add("vera@example.org", Viewer))
	c, err := g.StartPasskey(t.Context(), who)
	require.NoError(t, err)
	answer, err := d.Create(c.Options)
	require.NoError(t, err)
	secret := NewSecondFactor()
	for _, session := range []string{strange, "", "unknown"} {
		_, err = g.AddPasskey(t.Context(), who, c.Pending, answer, "phone", session)
		require.ErrorIs(t, err, ErrSessionEnded)
		_, err = g.EnableSecondFactor(who, secret, codeOf(t, secret, time.Now()), session)
		require.ErrorIs(t, err, ErrSessionEnded)
	}
}

func TestAnAppIsNotAddedAfterTheSessionHasEnded(t *testing.T) {
	for name, repair := range repairs {
		t.Run(name, func(t *testing.T) {
			g := opened(t)
			who, secret := g.add(olive, Viewer), NewSecondFactor()
			session := g.session(who)
			require.NoError(t, repair(g, who, session))
			_, err := g.EnableSecondFactor(who, secret, codeOf(t, secret, time.Now()), session)
			require.ErrorIs(t, err, ErrSessionEnded)
			factors, err := g.SecondFactors(t.Context(), who.ID)
			require.NoError(t, err)
			require.Equal(t, Factors{}, factors)
		})
	}
}
