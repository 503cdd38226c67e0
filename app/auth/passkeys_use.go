package auth

import (
	"context"
	"errors"

	"birthregistry/store"
)

// AskForPasskey starts a sign-in with a passkey alone: the browser offers the passkeys that it has
// for the installation. It returns ErrNoPasskeys if the installation's address doesn't allow
// passkeys.
func (s *Service) AskForPasskey() (c Ceremony, err error) {
	if s.party == nil {
		return c, ErrNoPasskeys
	}
	return s.party.request(owner{})
}

// AskUserForPasskey returns a request for one of a user's passkeys, as a second factor or for a
// Proof. It returns ErrNoPasskeys if the user has no passkey or the installation's address doesn't
// allow passkeys.
func (s *Service) AskUserForPasskey(ctx context.Context, user int64) (c Ceremony, err error) {
	o, err := s.owner(ctx, user)
	if err != nil {
		return c, err
	}
	if s.party == nil || len(o.passkeys) == 0 {
		return c, ErrNoPasskeys
	}
	return s.party.request(o)
}

// answered is a passkey's correct answer to a challenge.
type answered struct {
	passkey   int64
	signCount uint32
	flags     byte
}

// take stores the answer's counter and flags, and the time at which the passkey was used. It
// returns ErrPasskey if the passkey has been deleted in the meantime, or has given a later answer.
func (a answered) take(tx *store.Tx) error {
	return store.Translate(tx.UsePasskey(a.passkey, a.signCount, a.flags), store.ErrNotFound, ErrPasskey)
}

// SignInWithPasskey signs in the user whose passkey has answered the challenge of AskForPasskey. It
// returns ErrPasskey if the answer is wrong or the user may not sign in. It returns Wait after too
// many tries from one network. If the answer is right but all of the user's practices require an
// identity provider, it returns a ProviderRequired with the provider's name, or ErrOtherProvider if
// the provider is no longer known.
func (s *Service) SignInWithPasskey(ctx context.Context, pending, answer []byte, address string) (user int64, p store.PracticeID, err error) {
	network := Network(address)
	if wait := s.limits.byNetwork.begin(network); wait > 0 {
		return 0, 0, Wait{wait}
	}
	o, memberships, err := s.claimed(ctx, answer)
	if err != nil {
		return 0, 0, err
	}
	var entry SignInResult
	var right answered
	if err = ErrPasskey; o.ID != 0 && len(active(o.User, memberships)) > 0 {
		right, err = s.check(o, pending, answer)
	}
	if err == nil {
		if entry, err = resultFor(o.User, memberships, 0); err != nil {
			s.limits.byNetwork.undo(network)
			return 0, 0, errors.Join(s.providerRequired(ctx, o.User, memberships), s.noteRefusal(o.User, memberships, address))
		}
		err = s.completeSignIn(o.User, admitted(memberships, 0), address, "user.passkey-sign-in", right.take)
	}
	if errors.Is(err, ErrPasskey) {
		return 0, 0, errors.Join(ErrPasskey, s.noteRefusal(o.User, memberships, address))
	}
	if err != nil {
		return 0, 0, err
	}
	s.limits.byNetwork.undo(network)
	return entry.User, entry.Practice, nil
}

// claimed returns the user whose passkey has answered, and their memberships. It doesn't check the
// answer. If the answer can't be read or names no known passkey, claimed returns zero values.
func (s *Service) claimed(ctx context.Context, answer []byte) (o owner, memberships []store.Membership, err error) {
	parsed, err := parseUse(answer)
	if err != nil {
		return owner{}, nil, nil //nolint:nilerr // it names none
	}
	err = s.db.View(ctx, func(v *store.View) error {
		u, err := v.UserOfPasskey(parsed.RawID)
		if err != nil {
			return err
		}
		if o, err = s.ownerOf(v, u.ID); err != nil {
			return err
		}
		memberships, err = v.MembershipsOf(u.ID)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return owner{}, nil, nil
	}
	return o, memberships, err
}

// check checks a passkey's answer. text is the pending challenge, and o is the owner of the
// passkey. check returns ErrPasskey if the answer is wrong. It also returns ErrPasskey if the
// answer's counter suggests that there are two copies of the passkey.
func (s *Service) check(o owner, text, answer []byte) (a answered, err error) {
	pending, err := pendingOf(text)
	if err != nil || s.party == nil {
		return a, ErrPasskey
	}
	parsed, err := parseUse(answer)
	if err != nil {
		return a, ErrPasskey
	}
	p, known := o.passkey(parsed.RawID)
	if !known || s.party.used(pending, parsed, p, o.handle) != nil {
		return a, ErrPasskey
	}
	data := parsed.Response.AuthenticatorData
	return answered{p.ID, data.Counter, byte(data.Flags)}, nil
}

// VerifyPasskey is like Verify, but instead of a code, it checks how a passkey answered the
// challenge of AskUserForPasskey. It returns ErrPasskey for a wrong answer.
func (s *Service) VerifyPasskey(ctx context.Context, of SignInResult, pending, answer []byte, address string, id *Identity) error {
	return s.verify(ctx, of, address, id, "user.passkey-sign-in", ErrPasskey, func(u store.User) (func(*store.Tx) error, error) {
		o, err := s.owner(ctx, u.ID)
		if err != nil {
			return nil, err
		}
		right, err := s.check(o, pending, answer)
		return right.take, err
	})
}
