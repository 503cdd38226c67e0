package access

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"birthregistry/store"
)

// What a sign-in is refused for. ErrSignIn does not say which it was: an
// unknown address, a wrong password, an account or place that was disabled.
var (
	ErrSignIn = errors.New("access: the email address or the password is not right")
	ErrCode   = errors.New("access: the code is not right, or was used before; wait for the next one")
)

// doors is what stands between a stranger and an account.
type doors struct {
	hashing  *hashing // for strangers
	reserved *hashing // for browsers with a mark and for familiar addresses
	networks *delays
	near     *delays // by email address and network
	accounts *delays // by email address, from anywhere
	familiar familiar
	proofs   *delays // of who is signed in or holds a link, by email address
	factors  *delays // second factors, by user
	nobody   *delays // how often it is noted that nobody's account was tried
}

func newDoors() doors {
	accounts := newDelays(100, 30*time.Second, 2*time.Hour)
	accounts.fade = time.Minute
	return doors{
		hashing:  newHashing(),
		reserved: newHashing(),
		networks: newDelays(20, 5*time.Minute, 15*time.Minute),
		near:     newDelays(4, 30*time.Second, 15*time.Minute),
		accounts: accounts,
		familiar: familiar{rows: map[string]bool{}},
		proofs:   newDelays(4, 30*time.Second, 15*time.Minute),
		factors:  newDelays(5, 15*time.Minute, 24*time.Hour),
		nobody:   newDelays(0, time.Minute, 2*time.Minute),
	}
}

// Entry is a person whose password was right.
type Entry struct {
	User int64
	// Practice is where they begin: where they worked last.
	Practice store.PracticeID
	// SecondFactor says that a code is still asked for, by Verify.
	SecondFactor bool
	// Stamp tells Verify which password was right.
	Stamp string
}

// stamp is a mark of a stored password that is changed with it.
func stamp(stored string) string {
	sum := sha256.Sum256([]byte(stored))
	return base64.RawStdEncoding.EncodeToString(sum[:])
}

// Visitor is somebody who wants to sign in: their network address, and the marks that
// their browser keeps (MarkBrowser).
type Visitor struct{ Address, Marks string }

// SignIn checks a password. It takes as long for an address that nobody has as
// for one that somebody has. It returns ErrSignIn when the person may not sign
// in, and Wait when there were too many tries.
func (a *Access) SignIn(ctx context.Context, email, password string, from Visitor) (Entry, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	if len(email) > maxEmail {
		email = ""
	}
	of, err := a.attempt(ctx, email, from)
	if err != nil {
		return Entry{}, err
	}
	if wait := a.doors.begin(of); wait > 0 {
		return Entry{}, Wait{wait}
	}
	address := from.Address
	u, places, err := a.known(ctx, email)
	if err != nil {
		return Entry{}, err
	}
	hashing, stored := a.doors.hashingOf(of), u.Password
	if stored == "" || len(active(u, places)) == 0 {
		stored = hashing.decoy()
	}
	right, err := hashing.matches(stored, password)
	if err != nil { // too many at a time: nothing was tried
		a.doors.undo(of)
		return Entry{}, err
	}
	if !right {
		return Entry{}, errors.Join(ErrSignIn, a.noteRefusal(u, places, address))
	}
	a.doors.undo(of)
	entry := Entry{u.ID, latest(active(u, places)).Practice.ID, u.TOTP != nil, stamp(u.Password)}
	if entry.SecondFactor {
		return entry, nil
	}
	return entry, a.enter(u, places, address, func(*store.Tx) error { return nil })
}

// attempt is one try at the sign-in, by what it counts against: the account and the
// network, or only the browser when it has the person's mark.
type attempt struct{ email, network, mark string }

// attempt returns what a try counts against. Without a mark it does not look the person
// up: a try that has to wait then takes the same time whether the address is known or
// not.
func (a *Access) attempt(ctx context.Context, email string, from Visitor) (attempt, error) {
	of := attempt{email: email, network: Network(from.Address)}
	marks := a.marks(from.Marks)
	if len(marks) == 0 {
		return of, nil
	}
	u, _, err := a.known(ctx, email)
	for _, m := range marks {
		if err == nil && m.user == u.ID && m.stamp == markStamp(u.Password) {
			of.mark = fmt.Sprintf("mark %x", m.nonce)
		}
	}
	return of, err
}

// begin counts a try as a wrong one and returns 0; or, when it has to wait, how
// long.
func (d *doors) begin(of attempt) time.Duration {
	if of.mark != "" {
		return d.near.begin(of.mark)
	}
	if wait := d.networks.begin(of.network); wait > 0 {
		return wait
	}
	key := near(of.email, of.network)
	if wait := d.near.begin(key); wait > 0 {
		d.networks.undo(of.network)
		return wait
	}
	if wait := d.accounts.begin(of.email); wait > 0 && !d.familiar.has(key) {
		d.networks.undo(of.network)
		d.near.undo(key)
		return wait
	}
	return 0
}

// undo takes a try back that was right, or was none.
func (d *doors) undo(of attempt) {
	if of.mark != "" {
		d.near.undo(of.mark)
		return
	}
	d.networks.undo(of.network)
	d.near.undo(near(of.email, of.network))
	d.accounts.undo(of.email)
}

// hashingOf returns where a try is hashed: apart from strangers when the browser has a
// mark, or when the person has signed in from the same network before.
func (d *doors) hashingOf(of attempt) *hashing {
	if of.mark != "" || d.familiar.has(near(of.email, of.network)) {
		return d.reserved
	}
	return d.hashing
}

// Verify checks the second factor of a person whose password was right: a code
// of their app, or one of their recovery codes, which recovered tells. Each
// works once. It returns ErrCode, ErrNoPlace when the person may not sign in any
// more or has another password by now than the one of the stamp, or Wait when
// there were too many tries.
func (a *Access) Verify(ctx context.Context, user int64, of, code, address string) (recovered bool, err error) {
	key := fmt.Sprint(user)
	if wait := a.doors.factors.begin(key); wait > 0 {
		return false, Wait{wait}
	}
	u, places, err := a.person(ctx, user)
	if err != nil {
		return false, err
	}
	if u.TOTP == nil || len(active(u, places)) == 0 || stamp(u.Password) != of {
		return false, ErrNoPlace
	}
	take, recovered, err := a.factor(u, code)
	if err != nil {
		return false, err
	}
	err = a.enter(u, places, address, func(tx *store.Tx) error {
		if now, err := tx.User(user); err != nil || stamp(now.Password) != of {
			return errors.Join(ErrNoPlace, err)
		}
		return take(tx)
	})
	if errors.Is(err, ErrCode) {
		return false, errors.Join(ErrCode, a.noteRefusal(u, places, address))
	}
	if err == nil {
		a.doors.factors.forgive(key)
	}
	return recovered, err
}

// enter notes that a person has signed in, once take has found their second
// factor right.
func (a *Access) enter(u store.User, places []store.Membership, address string, take func(*store.Tx) error) error {
	err := a.db.Update(func(tx *store.Tx) error {
		if err := take(tx); err != nil {
			return err
		}
		who := as(u, latest(active(u, places)), address)
		return errors.Join(tx.NoteSignIn(u.ID), tx.UseMembership(who.Practice.ID, u.ID), a.Note(tx, who, "user.sign-in", u.Email))
	})
	if err == nil {
		key := near(u.Email, Network(address))
		a.doors.near.forgive(key)
		a.doors.familiar.add(key)
	}
	return err
}

// noteRefusal notes a failed sign-in in the practices of the person it was
// tried for. An address that nobody has is not kept: people type passwords
// into the wrong box. Those tries are noted about once a minute, since anybody
// can make as many as they have networks, and the trail is kept for good.
func (a *Access) noteRefusal(u store.User, places []store.Membership, address string) error {
	if u.ID == 0 && a.doors.nobody.begin("") > 0 {
		return a.db.Update((*store.Tx).WriteNothing)
	}
	return a.db.Update(func(tx *store.Tx) error {
		who := Person{Name: "not signed in", Address: address}
		if len(joined(places)) == 0 {
			return a.Note(tx, who, "user.sign-in-failed", u.Email)
		}
		for _, place := range joined(places) {
			who.Practice = place.Practice
			if err := a.Note(tx, who, "user.sign-in-failed", u.Email); err != nil {
				return err
			}
		}
		return nil
	})
}

// known finds a person by the address; nobody when there is none.
func (a *Access) known(ctx context.Context, email string) (u store.User, places []store.Membership, err error) {
	err = a.db.View(ctx, func(v *store.View) error {
		if u, err = v.UserByEmail(email); err != nil {
			return err
		}
		places, err = v.MembershipsOf(u.ID)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return store.User{}, nil, nil
	}
	return u, places, err
}

// SignOut notes that a person has signed out.
func (a *Access) SignOut(who Person) error { return a.NoteAlone(who, "user.sign-out", who.Email) }

// Confirm checks the password of a person who is signed in, before what only
// they may do: their password, their second factor. It returns ErrSignIn or
// Wait.
func (a *Access) Confirm(ctx context.Context, who Person, password string) error {
	u, _, err := a.person(ctx, who.User)
	if err != nil {
		return err
	}
	return a.prove(who, u.Password, password)
}

// prove checks a password against the stored one of a person.
func (a *Access) prove(who Person, stored, password string) error {
	if wait := a.doors.proofs.begin(who.Email); wait > 0 {
		return Wait{wait}
	}
	right, err := a.doors.reserved.matches(stored, password)
	if err != nil {
		return err
	}
	if !right {
		return errors.Join(ErrSignIn, a.NoteAlone(who, "user.confirm-failed", who.Email))
	}
	a.doors.proofs.forgive(who.Email)
	return nil
}
