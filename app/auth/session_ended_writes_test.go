package auth

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/task"
	"birthregistry/store"
)

// lateActions are the actions of a form whose body arrives late, each with the lowest role that may do it.
var lateActions = map[string]struct {
	role Role
	act  func(g *gate, who User) error
}{
	"new recovery codes": {Viewer, func(g *gate, who User) error { _, err := g.RenewRecoveryCodes(who); return err }},
	"another password": {Viewer, func(g *gate, who User) error {
		return g.ChangePassword(who, password, "another lantern quilt nine", who.Session)
	}},
	"no authenticator app":   {Viewer, func(g *gate, who User) error { return g.DisableSecondFactor(who) }},
	"a passkey is deleted":   {Viewer, func(g *gate, who User) error { return g.DeletePasskey(who, 1) }},
	"a provider is unlinked": {Viewer, func(g *gate, who User) error { return g.UnlinkProvider(who, 1) }},
	"an entry in the trail":  {Viewer, func(g *gate, who User) error { return g.NoteAlone(who, "record.read", "x") }},
	"an API key": {Provider, func(g *gate, who User) error {
		_, _, err := g.MintKey(who, "late", []string{string(IngestRead)})
		return err
	}},
	"an invitation": {Admin, func(g *gate, who User) error {
		_, err := g.Invite(who, "late@example.org", "Late", Admin)
		return err
	}},
	"a role":               {Admin, func(g *gate, who User) error { return g.SetRole(who, who.ID, Admin) }},
	"no required provider": {Admin, func(g *gate, who User) error { return g.SetSSOOnly(who, 0) }},
	"a link":               {Admin, func(g *gate, who User) error { _, err := g.Link(who, who.ID); return err }},
}

// hooked is a user with a session, an authenticator app, a passkey and a linked identity provider.
func (g *gate) hooked(role Role) User {
	g.t.Helper()
	who := g.add(olive, role)
	g.factored(who)
	who.Session = g.session(who)
	require.NoError(g.t, g.db.Update(func(tx *store.Tx) error {
		provider, _, err := tx.PutSSOProvider(store.SSOProvider{Name: "Clinic", Slug: "clinic", Issuer: "https://id.example.org", ClientID: "registry"})
		if err := errors.Join(err, tx.AddSSOLink(provider, []byte("s"), who.ID)); err != nil {
			return err
		}
		return tx.AddPasskey(store.Passkey{User: who.ID, Credential: []byte("c"), PublicKey: []byte("k"), Name: []byte("n")})
	}))
	return who
}

func TestASessionThatHasEndedChangesNothing(t *testing.T) {
	for repaired, repair := range repairs {
		for action, of := range lateActions {
			if of.role == Admin && repaired == "an admin resets the second factor" {
				continue // only the operator may
			}
			t.Run(repaired+", then "+action, func(t *testing.T) {
				g := opened(t)
				who := g.hooked(of.role)
				require.NoError(t, repair(g, who, who.Session))
				before := g.everything()
				err := of.act(g, who)
				if action == "another password" && repaired == "the password is reset" {
					require.ErrorIs(t, err, ErrSignIn)
					return
				}
				require.ErrorIs(t, err, ErrSessionEnded)
				require.Equal(t, before, g.everything())
			})
		}
	}
}

func TestASessionThatStandsMayActUntilItEnds(t *testing.T) {
	for action, of := range lateActions {
		t.Run(action, func(t *testing.T) {
			g := opened(t)
			require.NoError(t, of.act(g, g.hooked(of.role)))
		})
	}
}

func TestARequestKeepsItsSessionUntilItsAbsoluteEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		who := g.hooked(Viewer)
		acts := func() error { return g.NoteAlone(who, "record.read", "x") }
		time.Sleep(IdleEnd - time.Minute)
		stop := g.KeepSeen(slog.New(slog.DiscardHandler), func() User { return who })
		time.Sleep(time.Minute)
		require.ErrorIs(t, acts(), ErrSessionEnded, "a request does not bring a session back")
		stop()

		who.Session = g.session(who)
		stop = g.KeepSeen(slog.New(slog.DiscardHandler), func() User { return who })
		began := time.Now()
		for time.Since(began) < AbsoluteEnd-time.Hour {
			time.Sleep(time.Hour)
			require.NoError(t, acts())
		}
		time.Sleep(time.Hour)
		require.ErrorIs(t, acts(), ErrSessionEnded)
		stop()

		who.Session = g.session(who)
		stop = g.KeepSeen(slog.New(slog.DiscardHandler), func() User { return who })
		time.Sleep(time.Hour)
		stop()
		time.Sleep(IdleEnd)
		require.ErrorIs(t, acts(), ErrSessionEnded, "the request has ended")
	})
}

func TestAPanicWhileASessionIsKeptEndsNeitherTheProgramNorTheKeeping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := opened(t)
		who := g.hooked(Viewer)
		_, before := task.Counts()
		var asked atomic.Int32
		stop := g.KeepSeen(slog.New(slog.DiscardHandler), func() User {
			if asked.Add(1) == 1 {
				panic("Okonkwo")
			}
			return who
		})
		defer stop()
		time.Sleep(2*keepSeenEvery + time.Minute)
		require.Greater(t, asked.Load(), int32(1))
		_, after := task.Counts()
		require.Equal(t, before+1, after)
		time.Sleep(keepSeenEvery)
		require.NoError(t, g.NoteAlone(who, "record.read", "x"), "it was kept after the panic, past IdleEnd")
	})
}

func TestAUserMayEndTheSessionThatTheyAreUsing(t *testing.T) {
	g := opened(t)
	who := g.hooked(Viewer)
	require.NoError(t, g.EndSession(who, who.Session))
	require.ErrorIs(t, g.NoteAlone(who, "record.read", "x"), ErrSessionEnded)
}

func TestAFailedConfirmationIsNotedEvenIfTheSessionHasEnded(t *testing.T) {
	g := opened(t)
	who := g.hooked(Viewer)
	require.NoError(t, g.EndSession(who, who.Session))
	err := g.Confirm(context.Background(), who, "wrong")
	require.ErrorIs(t, err, ErrSignIn)
	require.NotErrorIs(t, err, ErrSessionEnded)
	require.Contains(t, g.noted(), "olive user.confirm-failed "+olive)
}

// everything returns what the actions could change.
func (g *gate) everything() (rows []any) {
	g.t.Helper()
	require.NoError(g.t, g.db.View(context.Background(), func(v *store.View) error {
		users, err := v.Users()
		require.NoError(g.t, err)
		for _, u := range users {
			memberships, err := v.MembershipsOf(u.ID)
			require.NoError(g.t, err)
			passkeys, err := v.PasskeysOf(u.ID)
			require.NoError(g.t, err)
			links, err := v.SSOLinksOf(u.ID)
			require.NoError(g.t, err)
			rows = append(rows, u, memberships, passkeys, links)
		}
		keys, err := v.APIKeys(g.p)
		rows = append(rows, keys)
		return err
	}))
	return append(rows, g.noted())
}

func TestARecoveryCodeIsNotUsedUpAfterTheSessionHasEnded(t *testing.T) {
	g := opened(t)
	who := g.hooked(Admin)
	codes, err := g.RenewRecoveryCodes(who)
	require.NoError(t, err)
	require.NoError(t, g.EndSession(who, who.Session))
	require.ErrorIs(t, g.ConfirmFully(t.Context(), who, password, codes[0]), ErrSessionEnded)
	left, err := g.SecondFactors(t.Context(), who.ID)
	require.NoError(t, err)
	require.Equal(t, len(codes), left.Codes)
}

func TestAUserDoesNotSwitchPracticeAfterTheSessionHasEnded(t *testing.T) {
	g := opened(t)
	who := g.hooked(Admin)
	require.NoError(t, g.EndSession(who, who.Session))
	require.ErrorIs(t, g.SwitchPractice(t.Context(), who, who.Practice.ID), ErrSessionEnded)
	require.NotContains(t, g.noted(), "olive user.switch "+olive)
}
