package auth

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-webauthn/webauthn/metadata"
	"github.com/go-webauthn/webauthn/protocol"
	"github.com/stretchr/testify/require"

	"birthregistry/app/auth/authtest"
	"birthregistry/store"
)

const (
	userPresent    = byte(protocol.FlagUserPresent)
	userVerified   = byte(protocol.FlagUserVerified)
	backupEligible = byte(protocol.FlagBackupEligible)
	backedUp       = byte(protocol.FlagBackupState)
	hasCredential  = byte(protocol.FlagAttestedCredentialData)
	hasExtensions  = byte(protocol.FlagHasExtensions)
	reserved       = byte(protocol.FlagRFU1 | protocol.FlagRFU2)
)

// party is an installation with a user, who may have a passkey.
type party struct {
	*testing.T
	relyingParty
	handle  []byte
	passkey store.Passkey
}

func newParty(t *testing.T) *party {
	t.Helper()
	return &party{T: t, relyingParty: relyingParty{"births.example.org", base}, handle: []byte("handle of Olive")}
}

// makes returns what is pending and a device's answer to it: a new passkey.
func (p *party) makes(d *authtest.Authenticator) (pending challenge, text []byte) {
	p.Helper()
	pending = newChallenge(p.handle)
	options, err := json.Marshal(map[string]any{"challenge": pending.Random, "user": map[string]any{"id": protocol.URLEncodedBase64(p.handle)}})
	require.NoError(p, err)
	text, err = d.Create(options)
	require.NoError(p, err)
	return pending, text
}

// adds keeps the passkey that a device makes, or returns why it isn't accepted.
func (p *party) adds(d *authtest.Authenticator) (err error) {
	p.Helper()
	pending, text := p.makes(d)
	p.passkey, err = p.created(pending, text)
	return err
}

// asks lets a device answer a challenge, changes the answer, and returns why it isn't accepted.
func (p *party) asks(d *authtest.Authenticator, pending challenge, change func(response map[string]protocol.URLEncodedBase64)) error {
	p.Helper()
	options, err := json.Marshal(protocol.PublicKeyCredentialRequestOptions{Challenge: pending.Random})
	require.NoError(p, err)
	text, err := d.Get(options)
	require.NoError(p, err)
	if change != nil {
		text = changed(p.T, text, change)
	}
	a, err := parseUse(text)
	if err != nil {
		return err
	}
	return p.used(pending, a, p.passkey, p.handle)
}

// changed changes the parts of an answer.
func changed(t *testing.T, text []byte, change func(response map[string]protocol.URLEncodedBase64)) []byte {
	t.Helper()
	var whole map[string]any
	var parts struct {
		Response map[string]protocol.URLEncodedBase64 `json:"response"`
	}
	require.NoError(t, json.Unmarshal(text, &whole))
	require.NoError(t, json.Unmarshal(text, &parts))
	change(parts.Response)
	whole["response"] = parts.Response
	text, err := json.Marshal(whole)
	require.NoError(t, err)
	return text
}

// deviations are the wrong answers of devices and browsers.
var deviations = map[string]func(*authtest.Authenticator){
	"another origin":              func(d *authtest.Authenticator) { d.Origin = "https://births.example.com" },
	"another port":                func(d *authtest.Authenticator) { d.Origin += ":8443" },
	"the usual port, spelled out": func(d *authtest.Authenticator) { d.Origin += ":443" },
	"other letters":               func(d *authtest.Authenticator) { d.Origin = "https://Births.example.org" },
	"a path after the origin":     func(d *authtest.Authenticator) { d.Origin += "/registry" },
	"without encryption":          func(d *authtest.Authenticator) { d.Origin = "http://births.example.org" },
	"another host":                func(d *authtest.Authenticator) { d.RP = "example.org" },
	"another challenge":           func(d *authtest.Authenticator) { d.Challenge = newChallenge(nil).Random.String() },
	"another kind":                func(d *authtest.Authenticator) { d.Kind = "payment.get" },
	"the challenge twice":         func(d *authtest.Authenticator) { d.Members = `,"challenge":""` },
	"the right origin in capitals": func(d *authtest.Authenticator) {
		d.Origin, d.Members = "https://births.example.com", `,"ORIGIN":"https://births.example.org"`
	},
	"a frame, denied in capitals": func(d *authtest.Authenticator) { d.CrossSite, d.Members = true, `,"CROSSORIGIN":false` },
	"a frame":                     func(d *authtest.Authenticator) { d.CrossSite = true },
	"an unverified owner":         func(d *authtest.Authenticator) { d.Unverified = true },
	"nobody at the device":        func(d *authtest.Authenticator) { d.Flip = userPresent },
	"backed up, but not eligible": func(d *authtest.Authenticator) { d.Flip = backedUp },
}

func TestANewPasskeyIsAcceptedOnlyAsItWasAskedFor(t *testing.T) {
	require.NoError(t, newParty(t).adds(device(t)))
	for name, deviate := range deviations {
		d := device(t)
		deviate(d)
		require.Error(t, newParty(t).adds(d), name)
	}
	for flip := range 1 << 8 {
		d := device(t)
		d.Flip = byte(flip)
		err := newParty(t).adds(d)
		right := d.Flip&(userPresent|userVerified|hasCredential|hasExtensions) == 0 && d.Flip&(backupEligible|backedUp) != backedUp
		require.Equal(t, right, err == nil, "flags inverted: %08b: %v", flip, err)
	}
}

func TestAnAnswerIsAcceptedOnlyAsItWasAskedFor(t *testing.T) {
	for name, deviate := range deviations {
		p, d := newParty(t), device(t)
		require.NoError(t, p.adds(d))
		require.NoError(t, p.asks(d, newChallenge(nil), nil))
		require.NoError(t, p.asks(d, newChallenge(p.handle), nil))
		deviate(d)
		require.Error(t, p.asks(d, newChallenge(nil), nil), name)
	}
	for flip := range 1 << 8 {
		p, d := newParty(t), device(t)
		require.NoError(t, p.adds(d))
		d.Flip = byte(flip)
		err := p.asks(d, newChallenge(nil), nil)
		require.Equal(t, d.Flip&^reserved == 0, err == nil, "flags inverted: %08b: %v", flip, err)
	}
	for stored := range uint32(4) {
		for given := range uint32(4) {
			p, d := newParty(t), device(t)
			d.Count = stored
			require.NoError(t, p.adds(d))
			if d.Count = given; given > 0 {
				d.Count-- // Get raises it, unless it is 0
			}
			err := p.asks(d, newChallenge(nil), nil)
			require.Equal(t, d.Count > stored || d.Count+stored == 0, err == nil, "a counter of %d after %d", d.Count, stored)
		}
	}
}

func TestAChangedAnswerIsRefused(t *testing.T) {
	p, d := newParty(t), device(t)
	require.NoError(t, p.adds(d))
	type response = map[string]protocol.URLEncodedBase64
	for _, part := range []string{"authenticatorData", "signature", "userHandle", "clientDataJSON"} {
		for at := range 40 {
			require.Error(t, p.asks(d, newChallenge(nil), func(r response) { r[part][at%len(r[part])] ^= 1 }), "%s, byte %d", part, at)
		}
		require.Error(t, p.asks(d, newChallenge(nil), func(r response) { r[part] = append(r[part], 0) }), "%s with another byte", part)
	}
	for name, user := range map[string]string{"another user": "handle of Vera", "Olive": string(p.handle)} {
		require.Equal(t, name == "Olive", p.asks(d, newChallenge([]byte(user)), nil) == nil, "asked of "+name)
	}
	require.Error(t, p.asks(d, newChallenge(nil), func(r response) { delete(r, "userHandle") }), "without a handle, for anybody")
	require.NoError(t, p.asks(d, newChallenge(p.handle), func(r response) { delete(r, "userHandle") }), "without a handle, for Olive")
	late := newChallenge(nil)
	late.Until = time.Now().Add(-time.Second)
	require.Error(t, p.asks(d, late, nil), "too late")
}

// The library calls the handler of a format to verify an attestation.
func TestNoAttestationIsReadWhateverItsFormat(t *testing.T) {
	const counted = protocol.AttestationFormat("counted")
	calls := 0
	protocol.RegisterAttestationFormat(counted, func(protocol.AttestationObject, []byte, metadata.Provider, protocol.AttestationPolicy, protocol.SignaturePolicy) (string, []any, error) {
		calls++
		return "", nil, nil
	})
	garbage := map[string]any{"alg": -7, "sig": make([]byte, 70), "x5c": []any{make([]byte, 1000), make([]byte, 1000)}, "ver": "2.0"}
	for _, format := range []protocol.AttestationFormat{
		counted, protocol.AttestationFormatPacked, protocol.AttestationFormatTPM, protocol.AttestationFormatAndroidKey,
		protocol.AttestationFormatAndroidSafetyNet, protocol.AttestationFormatFIDOUniversalSecondFactor, protocol.AttestationFormatApple,
		protocol.AttestationFormatCompound, "none", "unknown",
	} {
		p, d := newParty(t), device(t)
		if d.Format, d.Statement = string(format), garbage; format == protocol.AttestationFormatCompound {
			d.Statement = []any{map[string]any{"fmt": counted, "attStmt": garbage}, map[string]any{"fmt": "tpm", "attStmt": garbage}}
		}
		require.NoError(t, p.adds(d), format)
		require.NoError(t, p.asks(d, newChallenge(nil), nil), format)
	}
	require.Zero(t, calls)
}

func TestAnAnswerThatIsTooLongIsNotParsed(t *testing.T) {
	p, d := newParty(t), device(t)
	require.NoError(t, p.adds(d))
	pending, text := p.makes(d)
	longer := func(text []byte, size int) []byte { return append(text, bytes.Repeat([]byte(" "), size-len(text))...) }
	_, err := p.created(pending, longer(text, mostAnswer))
	require.NoError(t, err)
	_, err = p.created(pending, longer(text, mostAnswer+1))
	require.ErrorIs(t, err, errAnswer)
	pending = newChallenge(nil)
	text, err = d.Get(fmt.Appendf(nil, `{"challenge":%q}`, pending.Random.String()))
	require.NoError(t, err)
	_, err = parseUse(longer(text, mostAnswer))
	require.NoError(t, err)
	_, err = parseUse(longer(text, mostAnswer+1))
	require.ErrorIs(t, err, errAnswer)
	require.ErrorIs(t, p.asks(d, newChallenge(nil), func(r map[string]protocol.URLEncodedBase64) { r["userHandle"] = make([]byte, mostHandle+1) }), errAnswer)
}
