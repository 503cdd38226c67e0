package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"birthregistry/store"
)

// How long links are valid.
const (
	InviteLife = 7 * 24 * time.Hour
	ResetLife  = time.Hour
	// LinksKept is how long a link is kept after it has expired. Until then, the link's page can
	// state that the link has expired.
	LinksKept = 30 * 24 * time.Hour
)

// The ErrLink errors are the reasons why a link can't be used. ErrNoLink is one of them.
var (
	ErrNoLink       = errors.New("auth: this is not the code of a link; copy the whole code, or ask for a new link")
	ErrLinkExpired  = errors.New("auth: this link has expired; ask for a new one")
	ErrLinkUsed     = errors.New("auth: this link was used; sign in with the password you chose, or ask for a new link")
	ErrLinkReplaced = errors.New("auth: a newer link replaced this one; use the newer one")
)

// NewLink is a link that was just made. Its code cannot be shown again.
type NewLink struct {
	Code    string
	Reset   bool // set for a reset, not for an invitation
	Expires time.Time
	// Passkeys is how many passkeys the account keeps. It is set only by AccountLink.
	Passkeys int
}

// Path returns the path and fragment of the page on which the link is used. The fragment holds the
// code, because browsers send fragments to no server, so no log contains the code.
func (l NewLink) Path() string {
	if l.Reset {
		return "/reset#" + l.Code
	}
	return "/invite#" + l.Code
}

// makeInvitation makes a link with which a user accepts their membership in a practice. The link
// replaces the user's earlier invitations to that practice.
func makeInvitation(tx *store.Tx, who User, user int64, p store.PracticeID) (NewLink, error) {
	l := NewLink{Code: rand.Text(), Expires: tx.Now.Add(InviteLife)} // 130 bits
	return l, tx.AddLink(user, p, linkHash(l.Code), who.Label(), l.Expires)
}

// makeReset makes a link with which a user sets a new password. The link replaces the user's
// earlier reset links.
func makeReset(tx *store.Tx, who User, user int64) (NewLink, error) {
	l := NewLink{Code: rand.Text(), Reset: true, Expires: tx.Now.Add(ResetLife)}
	return l, tx.AddLink(user, 0, linkHash(l.Code), who.Label(), l.Expires)
}

func linkHash(code string) []byte { return hash(strings.ToUpper(strings.TrimSpace(code))) }

// LinkUse is a request to use a link, from a person who isn't signed in.
type LinkUse struct {
	Code string
	// Name is the name that the person has chosen. If it is "", the name in the invitation stays.
	Name     string
	Password string
	Address  string // the network address of the request
	// DeletePasskeys is set if a reset should also delete the account's passkeys.
	DeletePasskeys bool
}

// ErrOnlyFactor means that a reset link can't delete an account's passkeys, because they are the
// account's only second factor.
var ErrOnlyFactor = errors.New("auth: your passkeys are your only second factor, which this link doesn't remove; " +
	"delete them on your account page after you have signed in, or ask the person who runs the registry (birthregistry user reset --second-factor)")

// Redeemed is a link that was used.
type Redeemed struct {
	User     int64
	Email    string
	Practice store.PracticeID // the practice that an invitation is for
	// New is set if an invitation gave an account its first password. The user of such an account
	// needn't sign in again.
	New bool
	// Passkeys is how many passkeys the account still has after a reset.
	Passkeys int
}

// Redeem uses a link for a person who is not signed in.
//
// A reset link sets the account's password, ends its sessions, and unlinks its identity providers.
// It keeps the second factor. It also keeps the passkeys, unless use.DeletePasskeys is set.
//
// An invitation link accepts the one membership for which it was made. If the account has no
// password, the link also sets one. If the account has a password, use.Password must be that
// password. But if the user can already sign in because of another membership, Redeem returns
// ErrHasAccount.
//
// A refused name or password doesn't use up the link: Redeem returns ErrBadName and an error of
// CheckPassword, joined. Redeem also returns one of the ErrLink errors, ErrSignIn, ErrOnlyFactor or
// Wait.
func (s *Service) Redeem(ctx context.Context, use LinkUse) (done Redeemed, err error) {
	hash, name := linkHash(use.Code), use.Name
	var link store.Link
	u, memberships, err := s.accountBy(ctx, func(v *store.View) (u store.User, err error) {
		link, u, err = usableLink(v, hash, time.Now())
		return u, err
	})
	if err != nil {
		return done, err
	}
	done = Redeemed{User: u.ID, Email: u.Email, Practice: link.Practice, New: link.Purpose == store.Invite && u.Password == ""}
	if link.Purpose == store.Invite && u.Password != "" {
		if len(active(u, memberships)) > 0 {
			return Redeemed{}, ErrHasAccount
		}
		return done, s.acceptWithPassword(ctx, u, link.Practice, use.Code, use.Password, use.Address)
	}
	var wrongName error
	if name != "" {
		name, wrongName = normalName(name, u.Email)
	}
	if err := errors.Join(wrongName, CheckPassword(use.Password, u.Email)); err != nil {
		return done, err
	}
	stored, err := s.limits.reserved.of(use.Password)
	if err != nil {
		return done, err
	}
	err = s.db.Update(func(tx *store.Tx) error {
		if done.Passkeys, err = s.keepPasskeys(tx, u.ID, use); err != nil {
			return err
		}
		return s.useLink(tx, hash, name, stored, use.Address)
	})
	if err == nil {
		s.limits.byEmailAndNetwork.forgive(emailAndNetwork(u.Email, Network(use.Address)))
	}
	return done, err
}

// keepPasskeys returns how many passkeys an account still has after a link is used. If
// use.DeletePasskeys is set, it first deletes the passkeys. It returns ErrOnlyFactor if no second
// factor would be left, because the link replaces only the password.
func (s *Service) keepPasskeys(tx *store.Tx, user int64, use LinkUse) (remain int, err error) {
	u, err := tx.User(user)
	if err != nil || !use.DeletePasskeys || u.Passkeys == 0 {
		return u.Passkeys, err
	}
	if u.TOTP == nil {
		return 0, ErrOnlyFactor
	}
	return 0, errors.Join(tx.DropPasskeys(user), s.noteEverywhere(tx, u, use.Address, "user.passkey-remove"))
}

// useLink uses up a link. It stores password, which is already hashed. For an invitation, it also
// accepts the membership and records a sign-in. If name isn't "", it becomes the user's name.
// Otherwise the user gets the name in the invitation.
func (s *Service) useLink(tx *store.Tx, hash []byte, name, password, address string) error {
	link, u, err := usableLink(&tx.View, hash, tx.Now)
	if err != nil {
		return err
	}
	if err := errors.Join(tx.UseLink(link.ID), s.setPassword(tx, u.ID, password, "")); err != nil {
		return err
	}
	if link.Purpose == store.Reset {
		return errors.Join(s.noteEverywhere(tx, u, address, "user.reset"), s.unlinkForReset(tx, u, address))
	}
	if u.Password != "" { // another request has used the link first
		return ErrHasAccount
	}
	membership, err := membershipOf(&tx.View, link)
	if err != nil {
		return err
	}
	name = cmp.Or(name, membership.Called)
	return errors.Join(
		tx.SetName(u.ID, name), tx.AcceptMembership(link.Practice, u.ID), tx.NoteSignIn(u.ID),
		s.Note(tx, asUser(store.User{ID: u.ID, Email: u.Email, Name: name}, membership, address), "user.join", u.Email),
	)
}

// unlinkForReset unlinks an account from all identity providers, because somebody who knew the
// former password may have linked their own identity.
func (s *Service) unlinkForReset(tx *store.Tx, u store.User, address string) error {
	n, err := tx.DropSSOLinks(u.ID)
	if n == 0 {
		return err
	}
	return s.noteEverywhere(tx, u, address, "user.sso-unlink")
}

// acceptWithPassword accepts an invitation for an account that has a password, but no membership
// that lets its user sign in. For a wrong password, it returns ErrSignIn, and adds the failure to
// the audit trail of the practice that sent the invitation.
func (s *Service) acceptWithPassword(ctx context.Context, u store.User, p store.PracticeID, code, password, address string) error {
	right, err := s.checkUnsigned(ctx, u, password, Visitor{Address: address})
	if err != nil {
		return err
	}
	if !right {
		stranger := User{Name: "not signed in", Address: address, Practice: store.Practice{ID: p}}
		return errors.Join(ErrSignIn, s.NoteAlone(stranger, "user.sign-in-failed", u.Email))
	}
	who := User{ID: u.ID, Email: u.Email, Name: u.Name, Address: address}
	offer, err := s.Invitation(ctx, who, code)
	if err != nil {
		return err
	}
	_, err = s.AcceptInvitation(ctx, who, code, offer.Role)
	return err
}

// usableLink returns the link with this hash, and the link's user. If the link can't be used, it
// returns the ErrLink error that states why.
func usableLink(v *store.View, hash []byte, now time.Time) (store.Link, store.User, error) {
	link, err := v.LinkByHash(hash)
	if errors.Is(err, store.ErrNotFound) {
		return link, store.User{}, ErrNoLink
	}
	if err != nil {
		return link, store.User{}, err
	}
	u, err := v.User(link.User)
	if err != nil {
		return link, u, err
	}
	memberships, err := v.MembershipsOf(u.ID)
	var open bool
	for _, membership := range notDisabled(u, memberships) {
		open = open || link.Practice == 0 || membership.Practice.ID == link.Practice
	}
	switch {
	case err != nil:
		return link, u, err
	case link.Used:
		return link, u, ErrLinkUsed
	case link.Replaced:
		return link, u, ErrLinkReplaced
	case !now.Before(link.ExpiresAt) || !open:
		return link, u, ErrLinkExpired
	}
	return link, u, nil
}

// setPassword stores a password. It invalidates the unused reset links, and ends all sessions
// except the session with the handle spare. Invitations stay valid, because they only add a
// membership to an account that has a password.
func (s *Service) setPassword(tx *store.Tx, user int64, stored, spare string) error {
	_, err := tx.EndSessions(user, spare)
	return errors.Join(err, tx.SetPassword(user, stored), tx.VoidResets(user))
}

// noteEverywhere adds an action that concerns a whole account to the audit trail of every practice
// that the user has joined.
func (s *Service) noteEverywhere(tx *store.Tx, u store.User, address, action string) error {
	memberships, err := tx.MembershipsOf(u.ID)
	for _, membership := range accepted(memberships) {
		err = errors.Join(err, s.Note(tx, asUser(u, membership, address), action, u.Email))
	}
	return err
}

// ChangePassword changes the password of a signed-in user from present to next. It ends the user's
// sessions, except the session with the handle spare. It returns the errors of Confirm, an error of
// CheckPassword for the new password, or ErrSessionEnded.
func (s *Service) ChangePassword(who User, present, next, spare string) error {
	if err := CheckPassword(next, who.Email); err != nil {
		return err
	}
	if err := s.Confirm(context.Background(), who, present); err != nil {
		return err
	}
	stored, err := s.limits.reserved.of(next)
	if err != nil {
		return err
	}
	return s.Act(who, func(tx *store.Tx) error {
		return errors.Join(s.setPassword(tx, who.ID, stored, spare), s.Note(tx, who, "user.password", who.Email))
	})
}
