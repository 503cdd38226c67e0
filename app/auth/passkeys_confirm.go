package auth

import (
	"context"
	"errors"
)

// Proof is a passkey's answer to the challenge of AskUserForPasskey, with which a signed-in user
// confirms an action. It takes the place of the password and the code in Confirm and ConfirmFully,
// because a passkey is two factors.
type Proof struct {
	Pending []byte // the Pending of the Ceremony
	Answer  []byte
}

// confirmWithPasskey checks the Proof of a signed-in user. It returns ErrPasskey for a wrong Proof,
// and Wait after too many tries.
func (s *Service) confirmWithPasskey(ctx context.Context, who User) error {
	if wait := s.limits.confirmations.begin(who.Email); wait > 0 {
		return Wait{wait}
	}
	o, err := s.owner(ctx, who.ID)
	if err != nil {
		return err
	}
	right, err := s.check(o, who.Proof.Pending, who.Proof.Answer)
	if err == nil {
		err = s.Act(who, right.take)
	}
	if errors.Is(err, ErrPasskey) {
		return errors.Join(ErrPasskey, s.noteConfirmFailed(who))
	}
	if err == nil {
		s.limits.confirmations.forgive(who.Email)
	}
	return err
}
