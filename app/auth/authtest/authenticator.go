package authtest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"

	"github.com/go-json-experiment/json"
	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
)

// The flags of an authenticator's answer (WebAuthn, 6.1).
const (
	userPresent  = 1 << 0
	userVerified = 1 << 2
	attestedData = 1 << 6
)

// Authenticator simulates a device with one passkey, and the browser that talks to it. A test can
// change the fields to make the device answer incorrectly.
type Authenticator struct {
	Origin     string // of the page
	RP         string // the host to which the passkey is bound
	Credential []byte
	Handle     []byte // the user handle
	Count      uint32 // the counter of the last answer; 0 for a device that doesn't count
	Unverified bool   // set to answer without recognizing the owner
	Challenge  string // replaces the challenge, unless it is ""
	Kind       string // replaces the type in the client data (creation or use), unless it is ""
	CrossSite  bool   // the page is in a frame of another site
	Members    string // more members of the browser's JSON, after a comma
	Flip       byte   // flags that are inverted
	// Key is an *ecdsa.PrivateKey on P-256, an ed25519.PrivateKey or an *rsa.PrivateKey.
	Key crypto.Signer
	// Stated is the public key that the browser reports next to the authenticator's answer. If it
	// is nil, the browser reports the public key of Key.
	Stated any
	// Format and Statement are the attestation. NewAuthenticator sets Format to "none".
	Format    string
	Statement any
}

// NewAuthenticator returns a simulated device, which uses the pages of the given origin. host is
// the host to which its passkey is bound.
func NewAuthenticator(origin, host string) (*Authenticator, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	a := &Authenticator{
		Origin: origin, RP: host, Credential: make([]byte, 32), Key: key, Format: "none", Statement: map[string]any{},
	}
	_, _ = rand.Read(a.Credential) // never fails
	return a, err
}

// Create makes the passkey. options is the JSON with which a page asks the browser to create one.
// Create returns the browser's answer as JSON.
func (a *Authenticator) Create(options []byte) ([]byte, error) {
	var asked struct {
		Challenge string `json:"challenge"`
		User      struct {
			ID string `json:"id"`
		} `json:"user"`
	}
	if err := json.Unmarshal(options, &asked); err != nil {
		return nil, err
	}
	var err error
	if a.Handle, err = base64.RawURLEncoding.DecodeString(asked.User.ID); err != nil {
		return nil, err
	}
	cose, err := a.cose()
	if err != nil {
		return nil, err
	}
	data := a.data(attestedData)
	data = append(data, make([]byte, 16)...)                              // the device's model (AAGUID): none
	data = binary.BigEndian.AppendUint16(data, uint16(len(a.Credential))) //nolint:gosec // at most 1023
	data = append(append(data, a.Credential...), cose...)
	object, err := webauthncbor.Marshal(map[string]any{"fmt": a.Format, "attStmt": a.Statement, "authData": data})
	if err != nil {
		return nil, err
	}
	stated := a.Stated
	if stated == nil {
		stated = a.Key.Public()
	}
	spki, err := x509.MarshalPKIXPublicKey(stated)
	if err != nil {
		return nil, err
	}
	return a.answer(map[string]any{
		"clientDataJSON": a.client("webauthn.create", asked.Challenge), "attestationObject": protocol.URLEncodedBase64(object),
		"authenticatorData": protocol.URLEncodedBase64(data), "publicKey": protocol.URLEncodedBase64(spki),
	})
}

// cose returns the device's public key in the form that authenticators send (RFC 9053).
func (a *Authenticator) cose() ([]byte, error) {
	switch key := a.Key.Public().(type) {
	case *ecdsa.PublicKey:
		point, err := key.Bytes() // the byte 4, then x and y
		if err != nil {
			return nil, err
		}
		half := len(point) / 2
		return webauthncbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1 : 1+half], -3: point[1+half:]})
	case ed25519.PublicKey:
		return webauthncbor.Marshal(map[int]any{1: 1, 3: -8, -1: 6, -2: []byte(key)})
	case *rsa.PublicKey:
		return webauthncbor.Marshal(map[int]any{1: 3, 3: -257, -1: key.N.Bytes(), -2: big.NewInt(int64(key.E)).Bytes()})
	}
	return nil, fmt.Errorf("authtest: no authenticator has a key such as %T", a.Key)
}

// sign signs bytes with the algorithm that cose returns for the key.
func (a *Authenticator) sign(text []byte) ([]byte, error) {
	if _, whole := a.Key.(ed25519.PrivateKey); whole {
		return a.Key.Sign(nil, text, crypto.Hash(0))
	}
	digest := sha256.Sum256(text)
	return a.Key.Sign(rand.Reader, digest[:], crypto.SHA256)
}

// Get uses the passkey. options is the JSON with which a page asks the browser for a passkey. Get
// returns the browser's answer as JSON.
func (a *Authenticator) Get(options []byte) ([]byte, error) {
	var asked struct {
		Challenge string `json:"challenge"`
	}
	if err := json.Unmarshal(options, &asked); err != nil {
		return nil, err
	}
	if asked.Challenge == "" {
		return nil, errors.New("authtest: the options have no challenge")
	}
	if a.Count > 0 {
		a.Count++
	}
	data, client := a.data(0), a.client("webauthn.get", asked.Challenge)
	hash := sha256.Sum256(client)
	signature, err := a.sign(append(data[:len(data):len(data)], hash[:]...))
	if err != nil {
		return nil, err
	}
	return a.answer(map[string]any{
		"clientDataJSON": client, "authenticatorData": protocol.URLEncodedBase64(data),
		"signature": protocol.URLEncodedBase64(signature), "userHandle": protocol.URLEncodedBase64(a.Handle),
	})
}

// data returns the authenticator data of an answer, without the credential. flags are the flags to
// set in addition to the usual ones.
func (a *Authenticator) data(flags byte) []byte {
	flags |= userPresent
	if !a.Unverified {
		flags |= userVerified
	}
	flags ^= a.Flip
	host := sha256.Sum256([]byte(a.RP))
	return binary.BigEndian.AppendUint32(append(host[:], flags), a.Count)
}

// client returns the client data of an answer (WebAuthn, clientDataJSON). It contains kind,
// challenge and the page's origin.
func (a *Authenticator) client(kind, challenge string) protocol.URLEncodedBase64 {
	if a.Challenge != "" {
		challenge = a.Challenge
	}
	if a.Kind != "" {
		kind = a.Kind
	}
	text, _ := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": a.Origin, "crossOrigin": a.CrossSite}) // can't fail
	return append(text[:len(text)-1], a.Members+"}"...)
}

func (a *Authenticator) answer(response map[string]any) ([]byte, error) {
	id := protocol.URLEncodedBase64(a.Credential)
	return json.Marshal(map[string]any{"id": id, "rawId": id, "type": "public-key", "response": response, "clientExtensionResults": map[string]any{}})
}
