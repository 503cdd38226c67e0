package access

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"strings"
	"time"

	"birthregistry/store"
)

// How long a link can be used.
const (
	inviteLife = 7 * 24 * time.Hour
	resetLife  = time.Hour
	// linksKept is how long a link that ran out is remembered, to say so.
	linksKept = 30 * 24 * time.Hour
)

// What a link can be refused for.
var (
	ErrNoLink       = errors.New("access: this is no code of a link; copy it whole, or ask for a new link")
	ErrLinkExpired  = errors.New("access: this link has run out; ask for a new one")
	ErrLinkUsed     = errors.New("access: this link was used; sign in with the password you chose, or ask for a new link")
	ErrLinkReplaced = errors.New("access: a newer link was made; use that one")
)

// NewLink is a link that was made: its code is seen this once.
type NewLink struct {
	Code    string
	Reset   bool // not an invitation
	Expires time.Time
}

// Path is the address of the page that takes the code, without a host. The
// code is in the fragment, which no server and no log sees.
func (l NewLink) Path() string {
	if l.Reset {
		return "/reset#" + l.Code
	}
	return "/invite#" + l.Code
}

// makeLink makes a link for a person: a reset for one who has a password, an
// invitation else. It takes the place of those before it.
func makeLink(tx *store.Tx, who Person, u store.User) (NewLink, error) {
	l := NewLink{Code: rand.Text(), Reset: u.Password != "", Expires: tx.Now.Add(inviteLife)} // 130 bits
	purpose := store.Invite
	if l.Reset {
		purpose, l.Expires = store.Reset, tx.Now.Add(resetLife)
	}
	return l, tx.AddLink(u.ID, purpose, linkHash(l.Code), who.Label(), l.Expires)
}

func linkHash(code string) []byte {
	sum := sha256.Sum256([]byte(strings.ToUpper(strings.TrimSpace(code))))
	return sum[:]
}

// TakeUp uses a link: it sets the password of the person it was made for, ends
// their sessions and returns their address. A second factor stays as it was.
// The link is used up only when the password is taken. It returns one of the
// ErrLink errors or of the errors of CheckPassword.
func (a *Access) TakeUp(code, password, address string) (email string, err error) {
	hash := linkHash(code)
	var u store.User
	if err := a.db.View(func(v *store.View) (err error) {
		_, u, err = usable(v, hash, time.Now())
		return err
	}); err != nil {
		return "", err
	}
	if err := CheckPassword(password, u.Email); err != nil {
		return "", err
	}
	stored, err := a.doors.hashing.of(password)
	if err != nil {
		return "", err
	}
	err = a.db.Update(func(tx *store.Tx) error {
		link, u, err := usable(&tx.View, hash, tx.Now)
		if err != nil {
			return err
		}
		if err := errors.Join(tx.UseLink(link.ID), a.setPassword(tx, u.ID, stored, "")); err != nil {
			return err
		}
		return a.noteEverywhere(tx, u, address, map[string]string{store.Invite: "user.join", store.Reset: "user.reset"}[link.Purpose])
	})
	if err == nil {
		a.doors.accounts.forgive(u.Email)
	}
	return u.Email, err
}

// usable finds the link of a hash and the person it was made for, if it can
// still be used.
func usable(v *store.View, hash []byte, now time.Time) (store.Link, store.User, error) {
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
	places, err := v.MembershipsOf(u.ID)
	switch {
	case err != nil:
		return link, u, err
	case link.Used:
		return link, u, ErrLinkUsed
	case link.Replaced:
		return link, u, ErrLinkReplaced
	case !now.Before(link.ExpiresAt) || len(active(u, places)) == 0:
		return link, u, ErrLinkExpired
	}
	return link, u, nil
}

// setPassword stores a password and ends what went by the old one: the links
// that are out, and the sessions but one.
func (a *Access) setPassword(tx *store.Tx, user int64, stored, spare string) error {
	_, err := tx.EndSessions(user, spare)
	return errors.Join(err, tx.SetPassword(user, stored), tx.VoidLinks(user))
}

// noteEverywhere notes what a person did with the whole account, in every
// practice they have a place in.
func (a *Access) noteEverywhere(tx *store.Tx, u store.User, address, action string) error {
	places, err := tx.MembershipsOf(u.ID)
	for _, place := range places {
		err = errors.Join(err, a.Note(tx, as(u, place, address), action, u.Email))
	}
	return err
}

// ChangePassword changes the password of a person who is signed in and ends
// their other sessions; spare is the one at hand. It returns ErrSignIn when the
// present one is not right, or one of the errors of CheckPassword.
func (a *Access) ChangePassword(who Person, present, next, spare string) error {
	if err := CheckPassword(next, who.Email); err != nil {
		return err
	}
	if err := a.Confirm(who, present); err != nil {
		return err
	}
	stored, err := a.doors.hashing.of(next)
	if err != nil {
		return err
	}
	return a.db.Update(func(tx *store.Tx) error {
		return errors.Join(a.setPassword(tx, who.User, stored, spare), a.Note(tx, who, "user.password", who.Email))
	})
}
