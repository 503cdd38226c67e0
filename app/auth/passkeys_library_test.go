package auth

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/stretchr/testify/require"

	"birthregistry/app/auth/authtest"
)

// libraryUser is a user with one passkey, as the library reads it.
type libraryUser struct {
	handle []byte
	key    webauthn.Credential
}

func (u libraryUser) WebAuthnID() []byte                         { return u.handle }
func (u libraryUser) WebAuthnName() string                       { return olive }
func (u libraryUser) WebAuthnDisplayName() string                { return "Olive" }
func (u libraryUser) WebAuthnCredentials() []webauthn.Credential { return []webauthn.Credential{u.key} }

// both checks answers with the service's own code and with the library.
type both struct {
	*testing.T
	own     relyingParty
	library *webauthn.WebAuthn
	user    libraryUser
	passkey passkeyKey
}

func newBoth(t *testing.T) *both {
	t.Helper()
	library, err := webauthn.New(&webauthn.Config{RPID: "births.example.org", RPDisplayName: "Birth registry", RPOrigins: []string{base}})
	require.NoError(t, err)
	return &both{T: t, own: relyingParty{"births.example.org", base}, library: library, user: libraryUser{handle: []byte("handle of Olive")}}
}

func (b *both) session(pending challenge) webauthn.SessionData {
	return webauthn.SessionData{
		Challenge: pending.Text, RelyingPartyID: b.own.host, UserID: pending.User, Expires: pending.Until,
		UserVerification: protocol.VerificationRequired, CredParams: webauthn.CredentialParametersDefault(),
	}
}

// creates lets a device make a passkey, and reports which of the two accept it.
func (b *both) creates(d *authtest.Authenticator) (own, library bool) {
	b.Helper()
	pending := newChallenge(b.user.handle)
	options, err := json.Marshal(creationOptions{Challenge: pending.Text, User: struct {
		ID          base64URL `json:"id"`
		Name        string    `json:"name"`
		DisplayName string    `json:"displayName"`
	}{ID: b.user.handle}})
	require.NoError(b, err)
	text, err := d.Create(options)
	require.NoError(b, err)
	a, err := parseAnswer(text)
	require.NoError(b, err)
	if data, err := b.own.created(pending, a); err == nil {
		own, b.passkey = true, passkeyKey{a.Response.PublicKey, data.signCount, data.flags}
	}
	if parsed, err := protocol.ParseCredentialCreationResponseBytes(text); err == nil {
		if made, err := b.library.CreateCredential(b.user, b.session(pending), parsed); err == nil {
			library, b.user.key = true, *made
		}
	}
	return own, library
}

// asks lets a device answer a challenge that anybody may answer, changes the answer, and reports
// which of the two accept it.
func (b *both) asks(d *authtest.Authenticator, pending challenge, change func(*browserAnswer)) (own, library bool) {
	b.Helper()
	options, err := json.Marshal(requestOptions{Challenge: pending.Text})
	require.NoError(b, err)
	text, err := d.Get(options)
	require.NoError(b, err)
	a, err := parseAnswer(text)
	require.NoError(b, err)
	if change != nil {
		change(&a)
		whole := map[string]any{"id": a.ID, "rawId": a.ID, "type": a.Type, "response": a.Response}
		text, err = json.Marshal(whole)
		require.NoError(b, err)
	}
	_, err = b.own.used(pending, a, b.passkey, b.user.handle)
	own = err == nil
	parsed, err := protocol.ParseCredentialRequestResponseBytes(text)
	if err != nil {
		return own, false
	}
	var used *webauthn.Credential
	if pending.User != nil {
		used, err = b.library.ValidateLogin(b.user, b.session(pending), parsed)
	} else {
		used, err = b.library.ValidateDiscoverableLogin(func([]byte, []byte) (webauthn.User, error) { return b.user, nil }, b.session(pending), parsed)
	}
	return own, err == nil && !used.Authenticator.CloneWarning
}

// agree requires that both accept an answer, or neither.
func agree(t *testing.T, what string, accepted bool) func(own, library bool) {
	t.Helper()
	return func(own, library bool) {
		t.Helper()
		require.Equal(t, accepted, own, what)
		require.Equal(t, accepted, library, "the library: %s", what)
	}
}

// deviations are devices and browsers that answer wrongly.
var deviations = map[string]func(*authtest.Authenticator){
	"another origin":              func(d *authtest.Authenticator) { d.Origin = "https://births.example.com" },
	"another port":                func(d *authtest.Authenticator) { d.Origin += ":8443" },
	"without encryption":          func(d *authtest.Authenticator) { d.Origin = "http://births.example.org" },
	"another host":                func(d *authtest.Authenticator) { d.RP = "example.org" },
	"another challenge":           func(d *authtest.Authenticator) { d.Challenge = newChallenge(nil).Text },
	"another kind":                func(d *authtest.Authenticator) { d.Kind = "payment.get" },
	"a frame":                     func(d *authtest.Authenticator) { d.CrossSite = true },
	"an unverified owner":         func(d *authtest.Authenticator) { d.Unverified = true },
	"nobody at the device":        func(d *authtest.Authenticator) { d.Flip = userPresent },
	"backed up, but not eligible": func(d *authtest.Authenticator) { d.Flip = backedUp },
}

func TestTheChecksOfANewPasskeyAgreeWithTheLibrary(t *testing.T) {
	agree(t, "a right one", true)(newBoth(t).creates(device(t)))
	for name, deviate := range deviations {
		d := device(t)
		deviate(d)
		agree(t, name, false)(newBoth(t).creates(d))
	}
	for flip := range 1 << 7 { // the library alone reads extensions
		d := device(t)
		d.Flip = byte(flip)
		own, library := newBoth(t).creates(d)
		require.Equal(t, library, own, "flags inverted: %08b", flip)
	}
}

func TestTheChecksOfAnAnswerAgreeWithTheLibrary(t *testing.T) {
	anybody := func() challenge { return newChallenge(nil) }
	for name, deviate := range deviations {
		b, d := newBoth(t), device(t)
		agree(t, "made", true)(b.creates(d))
		agree(t, "a right one", true)(b.asks(d, anybody(), nil))
		agree(t, "of the user", true)(b.asks(d, newChallenge(b.user.handle), nil))
		deviate(d)
		agree(t, name, false)(b.asks(d, anybody(), nil))
	}
	for flip := range 1 << 8 {
		b, d := newBoth(t), device(t)
		agree(t, "made", true)(b.creates(d))
		d.Flip = byte(flip)
		own, library := b.asks(d, anybody(), nil)
		require.Equal(t, library, own, "flags inverted: %08b", flip)
	}
	for stored := range uint32(4) {
		for given := range uint32(4) {
			b, d := newBoth(t), device(t)
			d.Count = stored
			agree(t, "made", true)(b.creates(d))
			if d.Count = given; given > 0 {
				d.Count-- // Get raises it, unless it is 0
			}
			own, library := b.asks(d, anybody(), nil)
			require.Equal(t, library, own, "a counter of %d after %d", d.Count, stored)
		}
	}
}

func TestTheChecksOfAChangedAnswerAgreeWithTheLibrary(t *testing.T) {
	b, d := newBoth(t), device(t)
	agree(t, "made", true)(b.creates(d))
	parts := map[string]func(*browserAnswer) *base64URL{
		"the data":      func(a *browserAnswer) *base64URL { return &a.Response.Data },
		"the signature": func(a *browserAnswer) *base64URL { return &a.Response.Signature },
		"the handle":    func(a *browserAnswer) *base64URL { return &a.Response.Handle },
		"the client":    func(a *browserAnswer) *base64URL { return &a.Response.ClientData },
	}
	for name, part := range parts {
		for at := range 40 {
			agree(t, fmt.Sprintf("%s, byte %d", name, at), false)(b.asks(d, newChallenge(nil), func(a *browserAnswer) {
				p := *part(a)
				p[at%len(p)] ^= 1
			}))
			agree(t, name+" with another byte", false)(b.asks(d, newChallenge(nil), func(a *browserAnswer) { *part(a) = append(*part(a), 0) }))
		}
	}
	for name, user := range map[string][]byte{"another user": []byte("handle of Vera"), "Olive": b.user.handle} {
		agree(t, "asked of "+name, name == "Olive")(b.asks(d, newChallenge(user), nil))
	}
	agree(t, "without a handle, for anybody", false)(b.asks(d, newChallenge(nil), func(a *browserAnswer) { a.Response.Handle = nil }))
	agree(t, "without a handle, for Olive", true)(b.asks(d, newChallenge(b.user.handle), func(a *browserAnswer) { a.Response.Handle = nil }))
	late := newChallenge(nil)
	late.Until = time.Now().Add(-time.Second)
	agree(t, "too late", false)(b.asks(d, late, nil))
}
