package auth

import (
	"bytes"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-webauthn/webauthn/protocol"

	"birthregistry/store"
)

// This file checks an authenticator's answer (WebAuthn Level 3, 7.1 and 7.2). go-webauthn reads the
// answer and verifies the signature, the challenge, the address and the flags. This file adds the
// checks that the library leaves to the caller or makes less strictly.

// errAnswer means that an answer isn't a valid answer to its challenge.
var errAnswer = errors.New("auth: the authenticator's answer is not right")

const (
	// mostAnswer is the maximum size of an authenticator's answer, in bytes of JSON. The longest
	// valid answer, with the largest RSA key and the longest credential ID, has 10 KiB.
	mostAnswer = 16 << 10
	// mostHandle is the maximum length of a WebAuthn user handle, in bytes (WebAuthn, section 4).
	mostHandle = 64
)

// relyingParty is the installation in the terms of WebAuthn.
type relyingParty struct {
	host   string // the relying party's ID
	origin string // the only origin whose pages may ask for a passkey
}

// challenge is a pending challenge, with which an authenticator's answer is compared.
type challenge struct {
	Random protocol.URLEncodedBase64 `json:"challenge"` // 32 bytes
	User   []byte                    `json:"user"`      // the handle of the only user who may answer; empty for any
	Until  time.Time                 `json:"until"`
	// Password is the passwordStamp of the user's password when the user began to add a passkey.
	Password string `json:"password,omitzero"`
}

// common makes the checks that are the same for creating and for using a passkey. The answer must
// be in time, come from a page of the installation, and have consistent flags. common also refuses
// other spellings of the origin, and JSON that different parsers read differently, because the
// library accepts both. text is the client data as the authenticator signed it.
func (p relyingParty) common(pending challenge, text []byte, client protocol.CollectedClientData, flags protocol.AuthenticatorFlags) error {
	var strict protocol.CollectedClientData
	if err := json.Unmarshal(text, &strict); err != nil { // it has a member name twice, for example
		return errAnswer
	}
	if strict.Type != client.Type || strict.Challenge != client.Challenge || strict.Origin != client.Origin ||
		strict.CrossOrigin != client.CrossOrigin || strict.TopOrigin != client.TopOrigin {
		return errAnswer
	}
	if len(pending.Random) == 0 || !time.Now().Before(pending.Until) || client.Origin != p.origin ||
		flags.HasBackupState() && !flags.HasBackupEligible() {
		return errAnswer
	}
	return nil
}

// created checks the answer of an authenticator that has created a passkey. It returns the passkey
// without the user and the name.
func (p relyingParty) created(pending challenge, text []byte) (made store.Passkey, err error) {
	if len(text) > mostAnswer {
		return made, errAnswer
	}
	a, err := protocol.ParseCredentialCreationResponseBytes(text)
	if err != nil {
		return made, err
	}
	object := &a.Response.AttestationObject
	if err := p.common(pending, a.Raw.AttestationResponse.ClientDataJSON, a.Response.CollectedClientData, object.AuthData.Flags); err != nil {
		return made, err
	}
	// The page asks for no attestation, but some authenticators send one anyway. It isn't read, so
	// that nobody can make the service verify a chain of certificates.
	object.Format, object.AttStatement, object.SubStatements = string(protocol.AttestationFormatNone), nil, nil
	if _, err := a.Verify(pending.Random.String(), p.host, []string{p.origin}, nil, nil, protocol.TopOriginExplicitVerificationMode,
		false, true, true, nil, algorithms, protocol.AttestationPolicy{}, protocol.SignaturePolicy{}); err != nil {
		return made, err
	}
	public := a.Raw.AttestationResponse.PublicKey
	key, err := coseKey(public)
	if err != nil || !bytes.Equal(key, object.AuthData.AttData.CredentialPublicKey) {
		return made, errAnswer
	}
	return store.Passkey{Credential: a.RawID, PublicKey: public, SignCount: object.AuthData.Counter, Flags: byte(object.AuthData.Flags)}, nil
}

// use is an authenticator's answer to a challenge. It hasn't been checked yet.
type use = protocol.ParsedCredentialAssertionData

func parseUse(text []byte) (*use, error) {
	if len(text) > mostAnswer {
		return nil, errAnswer
	}
	a, err := protocol.ParseCredentialRequestResponseBytes(text)
	if err != nil || len(a.Response.UserHandle) > mostHandle {
		return nil, errAnswer
	}
	return a, nil
}

// used checks an authenticator's answer to a challenge. passkey is the passkey that the answer
// names, and handle is the user handle of the passkey's user.
func (p relyingParty) used(pending challenge, a *use, passkey store.Passkey, handle []byte) error {
	data, given := a.Response.AuthenticatorData, a.Response.UserHandle
	if err := p.common(pending, a.Raw.AssertionResponse.ClientDataJSON, a.Response.CollectedClientData, data.Flags); err != nil {
		return err
	}
	if len(pending.User)+len(given) == 0 || len(given) > 0 && !bytes.Equal(given, handle) || len(pending.User) > 0 && !bytes.Equal(pending.User, handle) {
		return errAnswer
	}
	before := protocol.AuthenticatorFlags(passkey.Flags)
	if data.Flags.HasBackupEligible() != before.HasBackupEligible() || data.Flags.HasAttestedCredentialData() { // the backup eligibility never changes
		return errAnswer
	}
	if data.Counter <= passkey.SignCount && (data.Counter != 0 || passkey.SignCount != 0) { // there may be two copies of the passkey
		return errAnswer
	}
	key, err := coseKey(passkey.PublicKey)
	if err != nil {
		return err
	}
	return a.Verify(pending.Random.String(), p.host, "", []string{p.origin}, nil, nil, protocol.TopOriginExplicitVerificationMode,
		false, true, true, key, protocol.SignaturePolicy{})
}
