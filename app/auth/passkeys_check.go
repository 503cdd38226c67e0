package auth

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// The checks of an authenticator's answer (WebAuthn Level 3, 7.1 and 7.2). No attestation is asked
// for, so a new public key is taken as the browser states it (5.2.1.1). A test compares every
// outcome with the library go-webauthn, which the program itself has no room for: most of it
// reads attestations.

// errAnswer means that an answer isn't what the challenge asked for.
var errAnswer = errors.New("auth: the authenticator's answer is not right")

// The flags of an authenticator's data (6.1).
const (
	userPresent    = 1 << 0
	userVerified   = 1 << 2
	backupEligible = 1 << 3 // never changes
	backedUp       = 1 << 4
	hasCredential  = 1 << 6
	hasExtensions  = 1 << 7
)

// The algorithms that a new passkey may use (COSE), the preferred first.
const (
	algES256 = -7
	algEdDSA = -8
	algRS256 = -257
)

// relyingParty is the installation as authenticators know it.
type relyingParty struct {
	host   string // the relying party's ID
	origin string // the only origin whose pages may ask
}

// challenge is what an answer is compared with.
type challenge struct {
	Text  string    `json:"challenge"` // base64url of 32 random bytes
	User  []byte    `json:"user"`      // the handle of the only user who may answer; "" for any
	Until time.Time `json:"until"`
	// Password is the stamp of the password that confirmed the addition of a passkey.
	Password string `json:"password,omitzero"`
}

// base64URL is binary data as browsers write it in JSON.
type base64URL []byte

func (b base64URL) MarshalText() ([]byte, error) {
	return []byte(base64.RawURLEncoding.EncodeToString(b)), nil
}

func (b *base64URL) UnmarshalText(text []byte) (err error) {
	*b, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(string(text), "="))
	return err
}

// browserAnswer is PublicKeyCredentialJSON, what a browser makes of an authenticator's answer.
type browserAnswer struct {
	ID       base64URL `json:"rawId"`
	Type     string    `json:"type"`
	Response struct {
		ClientData base64URL `json:"clientDataJSON"`
		Data       base64URL `json:"authenticatorData"`
		// Of an answer to a challenge.
		Signature base64URL `json:"signature"`
		Handle    base64URL `json:"userHandle"`
		// Of a new passkey: SubjectPublicKeyInfo in DER.
		PublicKey base64URL `json:"publicKey"`
		Algorithm int       `json:"publicKeyAlgorithm"`
	} `json:"response"`
}

// The most bytes that a part of an answer may have. Whatever is longer is no answer.
const (
	mostCredential = 1023 // WebAuthn Level 3, 5.1.3
	mostHandle     = 64   // 4
	mostClientData = 4 << 10
	mostData       = 4 << 10
	mostPublicKey  = 1 << 10
	mostSignature  = mostRSA / 8
)

func parseAnswer(text []byte) (a browserAnswer, err error) {
	if err := json.Unmarshal(text, &a); err != nil || a.Type != "public-key" || len(a.ID) == 0 {
		return a, errAnswer
	}
	r := a.Response
	if len(a.ID) > mostCredential || len(r.ClientData) > mostClientData || len(r.Data) > mostData ||
		len(r.Signature) > mostSignature || len(r.Handle) > mostHandle || len(r.PublicKey) > mostPublicKey {
		return a, errAnswer
	}
	return a, nil
}

// credentialData is the part of an authenticator's data that every answer has.
type credentialData struct {
	flags     byte
	signCount uint32
	rest      []byte
}

// common checks what every answer has: that it belongs to the pending challenge and to a page of
// the installation, and that the authenticator has recognized its owner.
func (p relyingParty) common(pending challenge, kind string, a browserAnswer) (d credentialData, err error) {
	var client struct {
		Type        string `json:"type"`
		Challenge   string `json:"challenge"`
		Origin      string `json:"origin"`
		CrossOrigin bool   `json:"crossOrigin"`
	}
	if err := json.Unmarshal(a.Response.ClientData, &client); err != nil {
		return d, errAnswer
	}
	data, host := a.Response.Data, sha256.Sum256([]byte(p.host))
	switch {
	case pending.Text == "" || !time.Now().Before(pending.Until),
		client.Type != kind || client.Origin != p.origin || client.CrossOrigin,
		subtle.ConstantTimeCompare([]byte(client.Challenge), []byte(pending.Text)) != 1,
		len(data) < len(host)+5 || !bytes.Equal(data[:len(host)], host[:]):
		return d, errAnswer
	}
	data = data[len(host):]
	d = credentialData{flags: data[0], signCount: binary.BigEndian.Uint32(data[1:]), rest: data[5:]}
	if d.flags&userPresent == 0 || d.flags&userVerified == 0 || d.flags&(backupEligible|backedUp) == backedUp {
		return d, errAnswer
	}
	return d, nil
}

// created checks the answer of an authenticator that has made a passkey.
func (p relyingParty) created(pending challenge, a browserAnswer) (d credentialData, err error) {
	if d, err = p.common(pending, "webauthn.create", a); err != nil {
		return d, err
	}
	const model = 16 // bytes of the authenticator's model, which isn't asked for
	if d.flags&hasCredential == 0 || len(d.rest) < model+2 {
		return d, errAnswer
	}
	size, rest := int(binary.BigEndian.Uint16(d.rest[model:])), d.rest[model+2:]
	if len(rest) < size || !bytes.Equal(rest[:size], a.ID) {
		return d, errAnswer
	}
	if _, algorithm := keyOf(a.Response.PublicKey); algorithm == 0 || algorithm != a.Response.Algorithm {
		return d, errAnswer
	}
	return d, nil
}

// The sizes of RSA keys in bits, and their exponent. Anybody can ask for the check of a signature:
// with a huge key or exponent, one check takes seconds.
const (
	leastRSA    = 2048
	mostRSA     = 4096
	rsaExponent = 65537
)

// keyOf reads a public key (SubjectPublicKeyInfo in DER) and returns its algorithm, or 0 if
// passkeys may not use it.
func keyOf(der []byte) (key any, algorithm int) {
	if len(der) > mostPublicKey {
		return nil, 0
	}
	key, err := x509.ParsePKIXPublicKey(der)
	if err != nil {
		return nil, 0
	}
	switch key := key.(type) {
	case *ecdsa.PublicKey:
		if key.Curve == elliptic.P256() {
			return key, algES256
		}
	case ed25519.PublicKey:
		return key, algEdDSA
	case *rsa.PublicKey:
		if bits := key.N.BitLen(); bits >= leastRSA && bits <= mostRSA && key.E == rsaExponent {
			return key, algRS256
		}
	}
	return nil, 0
}

// used checks an authenticator's answer to a challenge. The passkey is the one that the answer names,
// handle that of its user.
func (p relyingParty) used(pending challenge, a browserAnswer, passkey passkeyKey, handle []byte) (d credentialData, err error) {
	if d, err = p.common(pending, "webauthn.get", a); err != nil {
		return d, err
	}
	given := a.Response.Handle
	if len(pending.User)+len(given) == 0 || len(given) > 0 && !bytes.Equal(given, handle) || len(pending.User) > 0 && !bytes.Equal(pending.User, handle) {
		return d, errAnswer
	}
	if (d.flags^passkey.flags)&backupEligible != 0 || d.flags&hasCredential != 0 || d.flags&hasExtensions != 0 != (len(d.rest) > 0) {
		return d, errAnswer
	}
	if d.signCount <= passkey.signCount && (d.signCount != 0 || passkey.signCount != 0) { // there may be two copies
		return d, errAnswer
	}
	client := sha256.Sum256(a.Response.ClientData)
	if !signed(passkey.public, append(bytes.Clone(a.Response.Data), client[:]...), a.Response.Signature) {
		return d, errAnswer
	}
	return d, nil
}

// passkeyKey is what is known of a passkey.
type passkeyKey struct {
	public    []byte
	signCount uint32
	flags     byte
}

// signed reports whether a signature is right.
func signed(public, text, signature []byte) bool {
	key, _ := keyOf(public)
	digest := sha256.Sum256(text)
	switch key := key.(type) {
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(key, digest[:], signature)
	case ed25519.PublicKey:
		return ed25519.Verify(key, text, signature)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) == nil
	}
	return false
}
