package auth

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"birthregistry/store"
)

// These are the reasons why a sign-in is refused. ErrSignIn doesn't reveal whether the email
// address is unknown, the password is wrong, or the account or the membership is disabled.
var (
	ErrSignIn = errors.New("auth: the email address or the password is wrong")
	// ErrNoPassword means that a signed-in user left the password empty when confirming an action.
	ErrNoPassword = errors.New("auth: enter your password")
	ErrCode       = errors.New("auth: the code is not right, or was used before; try the next one")
)

// signInLimits limits how fast somebody can guess passwords and codes (throttle.go).
type signInLimits struct {
	hashing           *hashing // limits the hashing for strangers' sign-ins
	reserved          *hashing // limits all other hashing, such as for known networks and for signed-in users
	byNetwork         *throttle
	byEmailAndNetwork *throttle // tries by email address and network
	byEmail           *throttle // tries by email address, from anywhere
	knownNetworks     networkSet
	confirmations     *throttle // passwords of signed-in users, by email address
	secondFactors     *throttle // second factors, by user
	unknownEmails     *throttle // limits how often a try for an unknown address is added to the audit trail
	setUps            *throttle // tries of set-up codes, by network
}

func newSignInLimits() signInLimits {
	accounts := newThrottle(100, 30*time.Second, 2*time.Hour)
	accounts.fade = time.Minute
	return signInLimits{
		hashing:           newHashing(),
		reserved:          newHashing(),
		byNetwork:         newThrottle(20, 5*time.Minute, 15*time.Minute),
		byEmailAndNetwork: newThrottle(4, 30*time.Second, 15*time.Minute),
		byEmail:           accounts,
		knownNetworks:     networkSet{rows: map[string]bool{}},
		confirmations:     newThrottle(4, 30*time.Second, 15*time.Minute),
		secondFactors:     newThrottle(5, 15*time.Minute, 24*time.Hour),
		unknownEmails:     newThrottle(0, time.Minute, 2*time.Minute),
		setUps:            newThrottle(4, 5*time.Minute, 15*time.Minute),
	}
}

// SignInResult is the result of a sign-in with a correct password or a linked identity.
type SignInResult struct {
	User int64
	// Practice is the practice that the user enters by signing in.
	Practice store.PracticeID
	// SecondFactor is set if the user must still enter a code (Verify) or use a passkey
	// (VerifyPasskey).
	SecondFactor bool
	// PasswordStamp identifies the stored password. Verify compares it to notice that the password
	// has changed.
	PasswordStamp string
}

// passwordStamp returns a string that is different for each stored password, but reveals nothing
// about the password.
func passwordStamp(stored string) string {
	return base64.RawStdEncoding.EncodeToString(hash(stored))
}

// Visitor describes who tries to sign in: the network address, and the device
// cookies of the browser (RememberBrowser).
type Visitor struct{ Address, DeviceCookies string }

// SignIn checks a password. It takes as long for an unknown email address as for a known one. It
// returns ErrSignIn if the password is wrong or the user may not sign in. It returns Wait after too
// many tries. If the password is right but all of the user's practices require an identity
// provider, SignIn returns a ProviderRequired with the provider's name, or ErrOtherProvider if the
// provider is no longer known.
func (s *Service) SignIn(ctx context.Context, email, password string, from Visitor) (SignInResult, error) {
	email, err := lowerEmail(email)
	if err != nil || len(email) > maxEmail {
		email = "" // no account has this address
	}
	of, err := s.attempt(ctx, email, from)
	if err != nil {
		return SignInResult{}, err
	}
	if wait := s.limits.begin(of); wait > 0 {
		return SignInResult{}, Wait{wait}
	}
	address := from.Address
	u, memberships, err := s.accountByEmail(ctx, email)
	if err != nil {
		return SignInResult{}, err
	}
	stored := u.Password
	if len(active(u, memberships)) == 0 {
		stored = ""
	}
	right, err := s.isRight(of, stored, password)
	if err != nil {
		return SignInResult{}, err
	}
	if !right {
		return SignInResult{}, errors.Join(ErrSignIn, s.noteRefusal(u, memberships, address))
	}
	entry, err := resultFor(u, memberships, 0)
	if err != nil {
		return SignInResult{}, errors.Join(s.providerRequired(ctx, u, memberships), s.noteRefusal(u, memberships, address))
	}
	if entry.SecondFactor {
		return entry, nil
	}
	return entry, s.completeSignIn(u, admitted(memberships, 0), address, "user.sign-in", func(*store.Tx) error { return nil })
}

// isRight reports whether a password is right. stored is the stored hash, or "" if there is none.
// In that case, isRight takes the same time and returns false. signInLimits.begin has already
// counted the try as wrong, so isRight subtracts it again if the password is right or can't be
// checked.
func (s *Service) isRight(of attempt, stored, password string) (right bool, err error) {
	hashing := s.limits.hashingOf(of)
	if stored == "" {
		stored = hashing.decoy()
	}
	right, err = hashing.matches(stored, password)
	if right || err != nil { // after an error, the password was not checked
		s.limits.undo(of)
	}
	return right, err
}

// checkUnsigned reports whether password is the password of a user who isn't signed in. It counts
// wrong passwords together with those of SignIn, so that a stranger's guesses add up. It returns
// Wait after too many tries.
func (s *Service) checkUnsigned(ctx context.Context, u store.User, password string, from Visitor) (right bool, err error) {
	of, err := s.attempt(ctx, u.Email, from)
	if err != nil {
		return false, err
	}
	if wait := s.limits.begin(of); wait > 0 {
		return false, Wait{wait}
	}
	return s.isRight(of, u.Password, password)
}

// attempt is one try to sign in. It holds the keys under which the try is counted. If the browser
// has a device cookie of the user, device is set, and the try is counted only for this cookie.
// Otherwise the try is counted for the network, for the email address, and for both together.
type attempt struct{ email, network, device string }

// attempt returns the keys under which a try is counted. Without a device cookie, it doesn't look
// the user up. So a try that has to wait takes the same time whether or not the email address is
// known.
func (s *Service) attempt(ctx context.Context, email string, from Visitor) (attempt, error) {
	of := attempt{email: email, network: Network(from.Address)}
	cookies := s.deviceCookies(from.DeviceCookies)
	if len(cookies) == 0 {
		return of, nil
	}
	u, _, err := s.accountByEmail(ctx, email)
	for _, m := range cookies {
		if err == nil && m.user == u.ID && m.password == deviceCookieStamp(u.Password) {
			of.device = fmt.Sprintf("device %x", m.nonce)
		}
	}
	return of, err
}

// begin returns 0 if the try may proceed, and counts the try as a wrong one. If the try turns out
// to be right, the caller must call undo. If the try has to wait, begin returns how long.
func (d *signInLimits) begin(of attempt) time.Duration {
	if of.device != "" {
		return d.byEmailAndNetwork.begin(of.device)
	}
	if wait := d.byNetwork.begin(of.network); wait > 0 {
		return wait
	}
	key := emailAndNetwork(of.email, of.network)
	if wait := d.byEmailAndNetwork.begin(key); wait > 0 {
		d.byNetwork.undo(of.network)
		return wait
	}
	if wait := d.byEmail.begin(of.email); wait > 0 && !d.knownNetworks.has(key) {
		d.byNetwork.undo(of.network)
		d.byEmailAndNetwork.undo(key)
		return wait
	}
	return 0
}

// undo subtracts a try from the counts, because it was right or couldn't be checked.
func (d *signInLimits) undo(of attempt) {
	if of.device != "" {
		d.byEmailAndNetwork.undo(of.device)
		return
	}
	d.byNetwork.undo(of.network)
	d.byEmailAndNetwork.undo(emailAndNetwork(of.email, of.network))
	d.byEmail.undo(of.email)
}

// hashingOf returns the limiter that applies when the password of a try is hashed. Sign-ins of
// strangers have a separate limiter. They therefore don't delay browsers with a device cookie, or
// users on a network from which they have signed in before.
func (d *signInLimits) hashingOf(of attempt) *hashing {
	if of.device != "" || d.knownNetworks.has(emailAndNetwork(of.email, of.network)) {
		return d.reserved
	}
	return d.hashing
}

// Verify completes a sign-in with a code of the user's authenticator app or with a recovery code.
// Each code works only once. recovered reports whether the code was a recovery code. If id isn't
// nil, Verify also links that identity, which LinkIdentity has left to Verify.
//
// Verify returns ErrCode for a wrong code, Wait after too many tries, and ErrUnknownIdentity if it
// can't link the identity. It returns ErrNoMembership if the user may no longer sign in, no longer
// has a second factor, or has changed the password since it was checked.
func (s *Service) Verify(ctx context.Context, of SignInResult, code, address string, id *Identity) (recovered bool, err error) {
	err = s.verify(ctx, of, address, id, "user.sign-in", ErrCode, func(u store.User) (take func(*store.Tx) error, err error) {
		if !u.SecondFactor() {
			return nil, ErrNoMembership
		}
		take, recovered, err = s.useCode(u, code)
		return take, err
	})
	return recovered, err
}

// verify completes a sign-in with a second factor. check checks the factor and returns take, the
// function that uses the factor up. If the factor is wrong, check or take returns the error wrong.
// verify then records the failed sign-in and returns wrong, too.
func (s *Service) verify(ctx context.Context, of SignInResult, address string, id *Identity, action string, wrong error,
	check func(store.User) (take func(*store.Tx) error, err error),
) error {
	key := fmt.Sprint(of.User)
	if wait := s.limits.secondFactors.begin(key); wait > 0 {
		return Wait{wait}
	}
	u, memberships, err := s.account(ctx, of.User)
	if err != nil {
		return err
	}
	entered := in(memberships, of.Practice)
	if len(active(u, entered)) == 0 || passwordStamp(u.Password) != of.PasswordStamp {
		return ErrNoMembership
	}
	take, err := check(u)
	if err == nil {
		err = s.completeSignIn(u, entered, address, action, func(tx *store.Tx) error {
			return errors.Join(stillPassword(tx, of), take(tx), s.link(tx, id, u, address))
		})
	}
	if errors.Is(err, wrong) {
		return errors.Join(wrong, s.noteRefusal(u, memberships, address))
	}
	if err == nil {
		s.limits.secondFactors.forgive(key)
	}
	return err
}

// stillPassword returns ErrNoMembership if the user's password has changed since the sign-in
// checked it.
func stillPassword(tx *store.Tx, of SignInResult) error {
	if now, err := tx.User(of.User); err != nil || passwordStamp(now.Password) != of.PasswordStamp {
		return errors.Join(ErrNoMembership, err)
	}
	return nil
}

// completeSignIn calls the function take, which uses up the second factor. In the same transaction,
// it records the sign-in in the audit trail as action, and stores in which practice the user now
// works. It then forgets the wrong tries for this email address and network, and adds the network
// to the known networks.
func (s *Service) completeSignIn(u store.User, memberships []store.Membership, address, action string, take func(*store.Tx) error) error {
	err := s.db.Update(func(tx *store.Tx) error {
		if err := take(tx); err != nil {
			return err
		}
		who := asUser(u, latest(active(u, memberships)), address)
		return errors.Join(tx.NoteSignIn(u.ID), tx.UseMembership(who.Practice.ID, u.ID), s.Note(tx, who, action, u.Email))
	})
	if err == nil {
		key := emailAndNetwork(u.Email, Network(address))
		s.limits.byEmailAndNetwork.forgive(key)
		s.limits.knownNetworks.add(key)
	}
	return err
}

// noteRefusal records a failed sign-in in the audit trail of each practice that the user has
// joined. If there is no such practice, it records the sign-in in the installation's trail.
//
// noteRefusal never stores an unknown email address, because somebody may have typed a password
// into that box. It records only about one try a minute for unknown addresses, because anybody can
// make any number of such tries, and the trail is kept forever.
func (s *Service) noteRefusal(u store.User, memberships []store.Membership, address string) error {
	if u.ID == 0 && s.limits.unknownEmails.begin("") > 0 {
		return s.db.Update((*store.Tx).WriteNothing)
	}
	return s.db.Update(func(tx *store.Tx) error {
		who := User{Name: "not signed in", Address: address}
		if len(accepted(memberships)) == 0 {
			return s.Note(tx, who, "user.sign-in-failed", u.Email)
		}
		for _, membership := range accepted(memberships) {
			who.Practice = membership.Practice
			if err := s.Note(tx, who, "user.sign-in-failed", u.Email); err != nil {
				return err
			}
		}
		return nil
	})
}

// accountByEmail returns the user with the given email address, and their memberships. If there is
// no such user, it returns the zero User.
func (s *Service) accountByEmail(ctx context.Context, email string) (u store.User, memberships []store.Membership, err error) {
	u, memberships, err = s.accountBy(ctx, func(v *store.View) (store.User, error) { return v.UserByEmail(email) })
	if errors.Is(err, store.ErrNotFound) {
		return store.User{}, nil, nil
	}
	return u, memberships, err
}

// SignOut adds an entry to the audit trail, which records that the user has signed out. It ends no
// session.
func (s *Service) SignOut(who User) error { return s.NoteAlone(who, "user.sign-out", who.Email) }

// Confirm checks the password of a signed-in user, or their Proof, before an action that needs
// confirmation. It returns ErrNoPassword, ErrSignIn, Wait or, for a Proof, ErrPasskey.
func (s *Service) Confirm(ctx context.Context, who User, password string) error {
	if who.Proof != nil {
		return s.confirmWithPasskey(ctx, who)
	}
	u, _, err := s.account(ctx, who.ID)
	if err != nil {
		return err
	}
	return s.checkPassword(who, u.Password, password)
}

// ConfirmFully is like Confirm, but also checks the user's second factor, if they have one. That is
// a code of their app or a recovery code, and each code works only once. A user who confirms with a
// Proof needs no code. ConfirmFully returns the errors of Confirm, and ErrCode for a wrong code.
func (s *Service) ConfirmFully(ctx context.Context, who User, password, code string) error {
	if who.Proof != nil {
		return s.confirmWithPasskey(ctx, who)
	}
	u, _, err := s.account(ctx, who.ID)
	if err != nil {
		return err
	}
	if err := s.checkPassword(who, u.Password, password); err != nil || !u.SecondFactor() {
		return err
	}
	key := fmt.Sprint(who.ID)
	if wait := s.limits.secondFactors.begin(key); wait > 0 {
		return Wait{wait}
	}
	take, _, err := s.useCode(u, code)
	if err == nil {
		err = s.Act(who, take)
	}
	if errors.Is(err, ErrCode) {
		return errors.Join(ErrCode, s.noteConfirmFailed(who))
	}
	if err == nil {
		s.limits.secondFactors.forgive(key)
	}
	return err
}

// checkPassword checks a password against the stored hash. It checks nothing if who.Confirmed is
// set.
func (s *Service) checkPassword(who User, stored, password string) error {
	if who.Confirmed {
		return nil
	}
	if password == "" {
		return ErrNoPassword // an empty box isn't a guess
	}
	if wait := s.limits.confirmations.begin(who.Email); wait > 0 {
		return Wait{wait}
	}
	right, err := s.limits.reserved.matches(stored, password)
	if err != nil {
		return err
	}
	if !right {
		return errors.Join(ErrSignIn, s.noteConfirmFailed(who))
	}
	s.limits.confirmations.forgive(who.Email)
	return nil
}

// noteConfirmFailed records in the audit trail that a signed-in user has entered a wrong password
// or code. It does so even if the session has ended in the meantime.
func (s *Service) noteConfirmFailed(who User) error {
	who.Session = ""
	return s.NoteAlone(who, "user.confirm-failed", who.Email)
}
