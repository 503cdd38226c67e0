package auth

import (
	"crypto/rand"
	"encoding/base64"
	"time"

	"github.com/go-json-experiment/json"
)

// What a browser reads before it asks an authenticator (WebAuthn Level 3, 5.1.8 and 5.1.9).

type creationOptions struct {
	Party struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"rp"`
	User struct {
		ID          base64URL `json:"id"`
		Name        string    `json:"name"`
		DisplayName string    `json:"displayName"`
	} `json:"user"`
	Challenge   string       `json:"challenge"`
	Algorithms  []algorithm  `json:"pubKeyCredParams"`
	Timeout     int64        `json:"timeout"` // milliseconds
	Exclude     []passkeyRef `json:"excludeCredentials"`
	Selection   selection    `json:"authenticatorSelection"`
	Attestation string       `json:"attestation"`
}

type algorithm struct {
	Type string `json:"type"`
	Alg  int    `json:"alg"`
}

type selection struct {
	ResidentKey        string `json:"residentKey"`
	RequireResidentKey bool   `json:"requireResidentKey"`
	UserVerification   string `json:"userVerification"`
}

// passkeyRef names a passkey in a list of those that are allowed or excluded.
type passkeyRef struct {
	Type string    `json:"type"`
	ID   base64URL `json:"id"`
}

type requestOptions struct {
	Challenge        string       `json:"challenge"`
	Timeout          int64        `json:"timeout"` // milliseconds
	Party            string       `json:"rpId"`
	Allow            []passkeyRef `json:"allowCredentials"`
	UserVerification string       `json:"userVerification"`
}

const publicKey, required = "public-key", "required"

// newChallenge makes a challenge for a user's handle, or for any user.
func newChallenge(handle []byte) challenge {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	return challenge{Text: base64.RawURLEncoding.EncodeToString(random), User: handle, Until: time.Now().Add(PasskeyLife)}
}

// list returns the user's passkeys for the browser.
func (o owner) list() []passkeyRef {
	all := make([]passkeyRef, len(o.passkeys))
	for i, p := range o.passkeys {
		all[i] = passkeyRef{publicKey, p.Credential}
	}
	return all
}

// creation starts a ceremony that makes a passkey.
func (p relyingParty) creation(o owner) (Ceremony, error) {
	pending := newChallenge(o.handle)
	pending.Password = passwordStamp(o.Password)
	options := creationOptions{
		Challenge: pending.Text, Timeout: PasskeyLife.Milliseconds(), Exclude: o.list(), Attestation: "none",
		Algorithms: []algorithm{{publicKey, algES256}, {publicKey, algEdDSA}, {publicKey, algRS256}},
		Selection:  selection{required, true, required},
	}
	options.Party.ID, options.Party.Name = p.host, "Birth registry"
	options.User.ID, options.User.Name, options.User.DisplayName = o.handle, o.Email, o.Name
	return ceremony(options, pending)
}

// request starts a ceremony that uses a passkey: one of a user's or, for a user without a handle,
// any that the browser has for the installation.
func (p relyingParty) request(o owner) (Ceremony, error) {
	pending := newChallenge(o.handle)
	return ceremony(requestOptions{pending.Text, PasskeyLife.Milliseconds(), p.host, o.list(), required}, pending)
}

// ceremony encodes the options for the browser and what stays on the server.
func ceremony(options any, pending challenge) (c Ceremony, err error) {
	if c.Options, err = json.Marshal(options); err != nil {
		return c, err
	}
	c.Pending, err = json.Marshal(pending)
	return c, err
}

// pendingOf decodes what a ceremony left on the server. Without one, no answer is right.
func pendingOf(text []byte) (pending challenge, err error) {
	if len(text) == 0 || json.Unmarshal(text, &pending) != nil {
		return challenge{}, errAnswer
	}
	return pending, nil
}
