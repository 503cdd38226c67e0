package auth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net"
	"net/url"
	"strings"
	"time"

	"birthregistry/app/seal"
	"birthregistry/store"
)

// A passkey (WebAuthn, decision 56) is a key pair on a user's device or in their password manager.
// The device lets the passkey sign a challenge only after it has recognized the user, so a passkey
// is two factors. It can sign the user in alone, or be the second factor after a password. It is
// bound to the installation's address. The service doesn't ask for attestations, so it accepts any
// authenticator.
//
// In WebAuthn, a ceremony is the creation or one use of a passkey. The caller keeps the challenge
// of a ceremony in the session and uses it for only one answer.

// These are the reasons why a passkey is refused. ErrPasskey doesn't reveal what was wrong: the
// passkey, its signature, its counter, the challenge, the address or the owner.
var (
	ErrPasskey       = errors.New("auth: the passkey was not accepted; try again, or sign in another way")
	ErrNotAdded      = errors.New("auth: the passkey was not added; try again")
	ErrPasskeyName   = errors.New("auth: the name of the passkey must have 1 to 60 printable characters")
	ErrPasskeyExists = errors.New("auth: this passkey is in use already; choose another device, or delete the passkey first")
	ErrManyPasskeys  = errors.New("auth: an account can have 20 passkeys; delete one that you no longer use")
	ErrNoPasskeys    = errors.New("auth: passkeys need an address with a name, such as births.example.org, and https")
)

const (
	mostPasskeys = 20
	// PasskeyLife is how long the user has to answer a challenge.
	PasskeyLife = 5 * time.Minute
)

// Passkey is a passkey as its owner sees it.
type Passkey struct {
	ID      int64
	Name    string
	AddedAt time.Time
	UsedAt  *time.Time
	// Elsewhere is the only host at which the passkey works, if the installation's address has
	// changed since the passkey was added. It is "" if the passkey works at the present address.
	Elsewhere string
}

// Ceremony is a request to create or use a passkey, in two parts: one for the browser, and one for
// the server.
type Ceremony struct {
	// Options is sent to the browser. It is the JSON of PublicKeyCredentialCreationOptions or
	// PublicKeyCredentialRequestOptions.
	Options []byte
	// Pending is what the service compares with the authenticator's answer. It is never sent to the
	// browser.
	Pending []byte
}

// ServeAt sets the installation's address, to which its passkeys are bound. Browsers allow passkeys
// only for host names, so ServeAt ignores an address with an IP address as its host.
func (s *Service) ServeAt(base string) {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" || net.ParseIP(u.Hostname()) != nil {
		return
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	origin := u.Scheme + "://" + host
	if standard := map[string]string{"http": "80", "https": "443"}[u.Scheme]; port != "" && port != standard {
		origin += ":" + port
	}
	s.party = &relyingParty{host, origin}
}

// PasskeyOrigin returns the origin at which passkeys work, or "" if the installation's address
// doesn't allow passkeys.
func (s *Service) PasskeyOrigin() string {
	if s.party == nil {
		return ""
	}
	return s.party.origin
}

// owner is a user with their passkeys. handle is the user's WebAuthn user handle.
type owner struct {
	store.User
	handle   []byte
	passkeys []store.Passkey
}

// passkey returns the owner's passkey with the given credential ID. It returns false if the owner
// has no such passkey.
func (o owner) passkey(credential []byte) (store.Passkey, bool) {
	for _, p := range o.passkeys {
		if string(p.Credential) == string(credential) {
			return p, true
		}
	}
	return store.Passkey{}, false
}

// handleOf returns a user's WebAuthn user handle. It is a keyed hash of the user's ID, so it means
// nothing to anybody else.
func (s *Service) handleOf(user int64) []byte {
	mac := hmac.New(sha256.New, s.vault.Key("passkeys"))
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(user))) //nolint:gosec // IDs are positive
	return mac.Sum(nil)
}

// ownerOf returns a user with their passkeys.
func (s *Service) ownerOf(v *store.View, user int64) (o owner, err error) {
	o.handle = s.handleOf(user)
	if o.User, err = v.User(user); err != nil {
		return o, err
	}
	o.passkeys, err = v.PasskeysOf(user)
	return o, err
}

func (s *Service) owner(ctx context.Context, user int64) (owner, error) {
	return store.Read(ctx, s.db, func(v *store.View) (owner, error) { return s.ownerOf(v, user) })
}

// Passkeys lists a user's passkeys, oldest first.
func (s *Service) Passkeys(ctx context.Context, user int64) (all []Passkey, err error) {
	o, err := s.owner(ctx, user)
	if err != nil {
		return nil, err
	}
	for _, p := range o.passkeys {
		name, elsewhere, err := s.openLabel(p)
		if err != nil {
			return nil, err
		}
		all = append(all, Passkey{ID: p.ID, Name: name, AddedAt: p.CreatedAt, UsedAt: p.UsedAt, Elsewhere: elsewhere})
	}
	return all, nil
}

// sealLabel seals a passkey's name and, on a second line, the host to which it is bound.
func (s *Service) sealLabel(p store.Passkey, name string) ([]byte, error) {
	return s.vault.SealOne(passkeyPlace(p.Credential), []byte(name+"\n"+s.party.host))
}

// openLabel returns a passkey's name. elsewhere is the host to which the passkey is bound, if that
// isn't the installation's host. For a passkey that was made before hosts were stored, elsewhere is
// "".
func (s *Service) openLabel(p store.Passkey) (name, elsewhere string, err error) {
	text, err := s.vault.Open(passkeyPlace(p.Credential), p.Name)
	name, host, _ := strings.Cut(string(text), "\n")
	if s.party == nil || host != s.party.host {
		elsewhere = host
	}
	return name, elsewhere, err
}

// PasskeysElsewhere returns how many passkeys no longer work because the installation's address has
// changed, and how many users have such passkeys.
func (s *Service) PasskeysElsewhere(ctx context.Context) (passkeys, users int, err error) {
	all, err := store.Read(ctx, s.db, (*store.View).Passkeys)
	owners := map[int64]bool{}
	for _, p := range all {
		_, elsewhere, err := s.openLabel(p)
		if err != nil {
			return 0, 0, err
		}
		if elsewhere != "" {
			passkeys, owners[p.User] = passkeys+1, true
		}
	}
	return passkeys, len(owners), err
}

func passkeyPlace(credential []byte) seal.Place {
	return seal.Place{Table: "passkeys", Row: base64.RawURLEncoding.EncodeToString(credential)}
}
