package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"birthregistry/store"
)

// In a new installation, nobody can sign in yet. The operator, who has the key file, gets a set-up
// link from the command serve or the command setup-link. The link makes the first practice and its
// admin. It works only while there is neither a practice nor a user, so it can be used only once.
//
// The code in the link is the time at which the link expires, with a MAC of that time. The MAC's
// key is derived from the database's root secret, which is stored sealed. No part of the code is
// stored, so nobody can steal it from the database or a backup. Somebody who can only write to the
// database file can't make a code.

// SetUpLife is how long a set-up link is valid.
const SetUpLife = 24 * time.Hour

// These are the reasons why an installation can't be set up.
var (
	ErrIsSetUp       = errors.New("auth: the registry is set up already; sign in, or have an admin invite you")
	ErrSetUpCode     = errors.New("auth: this is not the code of a set-up link; copy the whole code")
	ErrSetUpExpired  = errors.New("auth: this set-up link has expired; birthregistry setup-link prints a new one")
	ErrPracticeName  = errors.New("auth: enter the name of the practice, in at most 200 printable characters")
	ErrPracticesZone = errors.New("auth: this is not the name of a time zone; write it like America/New_York or UTC")
	ErrPracticeKind  = errors.New("auth: choose what the practice is for: live or sandbox")
)

// SetUpLink is a link with which a person sets up an installation.
type SetUpLink struct {
	Code    string
	Expires time.Time
}

// Path returns the path and fragment of the page on which the link is used. The fragment holds the
// code, because browsers send fragments to no server, so no log contains the code.
func (l SetUpLink) Path() string { return "/setup#" + l.Code }

// FirstPractice is what a person enters to set up an installation.
type FirstPractice struct {
	Practice, TimeZone string
	Kind               string // live or sandbox
	Name, Email        string
	Password           string
}

// The kinds of the first practice. Nobody is given one without choosing it, because a practice with
// births can't change its kind.
const kindLive, kindSandbox = "live", "sandbox"

// The parts of a code, in bytes: the Unix time at which it expires, and the MAC.
const codeTime, codeMAC = 4, 16

// IsEmpty reports whether the installation has neither a practice nor a user.
func (s *Service) IsEmpty(ctx context.Context) (bool, error) {
	return store.Read(ctx, s.db, (*store.View).IsEmpty)
}

// SetUpLink returns a new link that sets up the installation, or ErrIsSetUp.
func (s *Service) SetUpLink(ctx context.Context) (SetUpLink, error) {
	empty, err := s.IsEmpty(ctx)
	if err != nil {
		return SetUpLink{}, err
	}
	if !empty {
		return SetUpLink{}, ErrIsSetUp
	}
	expires := time.Now().Add(SetUpLife).Truncate(time.Second)
	return SetUpLink{Code: s.setUpCode(expires), Expires: expires}, nil
}

func (s *Service) setUpCode(expires time.Time) string {
	code := binary.BigEndian.AppendUint32(nil, uint32(expires.Unix())) //nolint:gosec // until 2106
	mac := hmac.New(sha256.New, s.vault.Key("set-up"))
	mac.Write(code)
	return base32Text.EncodeToString(append(code, mac.Sum(nil)[:codeMAC]...))
}

// checkSetUpCode returns ErrSetUpCode or ErrSetUpExpired unless a code is valid.
func (s *Service) checkSetUpCode(code string) error {
	code = strings.ToUpper(strings.TrimSpace(code))
	raw, err := base32Text.DecodeString(code)
	if err != nil || len(raw) != codeTime+codeMAC {
		return ErrSetUpCode
	}
	expires := time.Unix(int64(binary.BigEndian.Uint32(raw)), 0)
	if !hmac.Equal([]byte(code), []byte(s.setUpCode(expires))) {
		return ErrSetUpCode
	}
	if !time.Now().Before(expires) {
		return ErrSetUpExpired
	}
	return nil
}

// SetUp makes the first practice and its admin, who can then sign in. It returns ErrIsSetUp if the
// installation is set up already. For an invalid code, it returns only ErrSetUpCode or
// ErrSetUpExpired; after a few such tries from one network, the next try gets Wait. If the code is
// valid, it returns all mistakes in what the person entered, joined: ErrPracticeName,
// ErrPracticesZone, ErrPracticeKind, ErrBadName, one of ErrBadEmail and ErrEmailLetter, and an error of CheckPassword.
func (s *Service) SetUp(ctx context.Context, code string, first FirstPractice, address string) (user int64, p store.PracticeID, err error) {
	empty, err := s.IsEmpty(ctx)
	if err != nil {
		return 0, 0, err
	}
	if !empty {
		return 0, 0, ErrIsSetUp
	}
	network := Network(address)
	if wait := s.limits.setUps.begin(network); wait > 0 {
		return 0, 0, Wait{wait}
	}
	if err := s.checkSetUpCode(code); err != nil {
		return 0, 0, err
	}
	s.limits.setUps.forgive(network)
	if err := first.check(); err != nil {
		return 0, 0, err
	}
	stored, err := s.limits.reserved.of(first.Password)
	if err != nil {
		return 0, 0, err
	}
	err = s.db.Update(func(tx *store.Tx) error {
		user, p, err = s.addFirst(tx, first, stored, address)
		return err
	})
	return user, p, err
}

// check normalizes what the person entered. It returns everything that is wrong, joined in the
// order of the form.
func (f *FirstPractice) check() error {
	var practice, zone, kind, name, email error
	f.Practice = strings.Join(strings.Fields(f.Practice), " ")
	if f.Practice == "" || len(f.Practice) > 200 || strings.ContainsFunc(f.Practice, unprintable) {
		practice = ErrPracticeName
	}
	f.TimeZone = strings.TrimSpace(f.TimeZone)
	if _, err := time.LoadLocation(f.TimeZone); err != nil || f.TimeZone == "" || f.TimeZone == "Local" {
		zone = ErrPracticesZone
	}
	if f.Kind != kindLive && f.Kind != kindSandbox {
		kind = ErrPracticeKind
	}
	f.Email, email = normalEmail(f.Email)
	f.Name, name = normalName(f.Name, f.Email)
	return errors.Join(practice, zone, kind, name, email, CheckPassword(f.Password, f.Email))
}

// addFirst adds the first practice and its admin. It returns ErrIsSetUp if another request has set
// up the installation first. A sandbox may create API keys immediately. In a practice with real
// births, the operator must first allow that.
func (s *Service) addFirst(tx *store.Tx, first FirstPractice, password, address string) (user int64, p store.PracticeID, err error) {
	empty, err := tx.IsEmpty()
	if err != nil {
		return 0, 0, err
	}
	if !empty {
		return 0, 0, ErrIsSetUp
	}
	isSandbox := first.Kind == kindSandbox
	if p, err = tx.AddPractice(first.Practice, isSandbox, isSandbox); err != nil {
		return 0, 0, err
	}
	if err := tx.SetTimeZone(p, first.TimeZone); err != nil {
		return 0, 0, err
	}
	who := Operator(store.Practice{ID: p})
	u, err := s.inviteUser(tx, who, first.Email, first.Name, Admin)
	if err != nil {
		return 0, 0, err
	}
	by := User{ID: u.ID, Email: u.Email, Name: u.Name, Practice: who.Practice, Role: Admin, Address: address}
	return u.ID, p, errors.Join(
		s.setPassword(tx, u.ID, password, ""), tx.AcceptMembership(p, u.ID), tx.NoteSignIn(u.ID), s.Note(tx, by, "user.add", u.Email+": "+string(Admin)),
	)
}
