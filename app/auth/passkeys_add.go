package auth

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"birthregistry/store"
)

// StartPasskey starts to add a passkey to a user's account. It returns ErrNoPasskeys if the
// installation's address doesn't allow passkeys, and ErrManyPasskeys if the account already has the
// maximum number (mostPasskeys).
func (s *Service) StartPasskey(ctx context.Context, who User) (c Ceremony, err error) {
	if s.party == nil {
		return c, ErrNoPasskeys
	}
	o, err := s.owner(ctx, who.ID)
	if err != nil {
		return c, err
	}
	if len(o.passkeys) >= mostPasskeys {
		return c, ErrManyPasskeys
	}
	return s.party.creation(o)
}

// AddPasskey adds a passkey with the given name to the user's account. text is the Pending part of
// the Ceremony that StartPasskey returned. answer is the JSON with which the browser answered the
// Options of the Ceremony.
//
// If the user had no second factor, AddPasskey returns new recovery codes, which can't be shown
// again. It then also ends the user's sessions, except the current one, whose handle is session.
//
// AddPasskey returns ErrNotAdded if the answer is wrong or the password has changed since
// StartPasskey. Its other errors are ErrPasskeyName, ErrPasskeyExists, ErrNoPasskeys,
// ErrManyPasskeys and ErrSessionEnded.
func (s *Service) AddPasskey(ctx context.Context, who User, text, answer []byte, name, session string) (codes []string, err error) {
	name = strings.Join(strings.Fields(name), " ")
	if CheckLabel(name) != nil {
		return nil, ErrPasskeyName
	}
	pending, added, err := s.created(who, text, answer)
	if err != nil {
		return nil, err
	}
	if added.Name, err = s.sealLabel(added, name); err != nil {
		return nil, err
	}
	err = s.actIn(session, who, func(tx *store.Tx) error {
		codes = nil
		u, err := tx.User(who.ID)
		if err != nil {
			return err
		}
		if passwordStamp(u.Password) != pending.Password {
			return ErrNotAdded
		}
		if u.Passkeys >= mostPasskeys {
			return ErrManyPasskeys
		}
		if err := tx.AddPasskey(added); err != nil {
			return err
		}
		if !u.SecondFactor() {
			var hashes [][]byte
			codes, hashes = newRecoveryCodes()
			_, err = tx.EndSessions(who.ID, session)
			err = errors.Join(err, tx.SetRecoveryCodes(who.ID, hashes))
		}
		return errors.Join(err, s.noteEverywhere(tx, u, who.Address, "user.passkey-add"))
	})
	return codes, store.Translate(err, store.ErrConflict, ErrPasskeyExists)
}

// created checks the answer of an authenticator that has created a passkey. It returns the pending
// challenge and the passkey. It returns ErrNoPasskeys if the installation's address doesn't allow
// passkeys, and ErrNotAdded if the answer is wrong.
func (s *Service) created(who User, text, made []byte) (pending challenge, p store.Passkey, err error) {
	if s.party == nil {
		return pending, p, ErrNoPasskeys
	}
	if pending, err = pendingOf(text); err != nil || !bytes.Equal(pending.User, s.handleOf(who.ID)) {
		return pending, p, ErrNotAdded
	}
	if p, err = s.party.created(pending, made); err != nil {
		return pending, p, ErrNotAdded
	}
	p.User = who.ID
	return pending, p, nil
}

// DeletePasskey deletes a passkey of a user. If no second factor is left, the recovery codes are
// deleted, too. It returns store.ErrNotFound if the user has no such passkey, or ErrSessionEnded.
func (s *Service) DeletePasskey(who User, id int64) error {
	return s.Act(who, func(tx *store.Tx) error {
		if err := tx.DropPasskey(who.ID, id); err != nil {
			return err
		}
		u, err := tx.User(who.ID)
		return errors.Join(err, dropUnusedCodes(tx, who.ID), s.noteEverywhere(tx, u, who.Address, "user.passkey-remove"))
	})
}

// dropUnusedCodes deletes a user's recovery codes if the user has no second factor.
func dropUnusedCodes(tx *store.Tx, user int64) error {
	u, err := tx.User(user)
	if err != nil || u.SecondFactor() {
		return err
	}
	return tx.SetRecoveryCodes(user, nil)
}
