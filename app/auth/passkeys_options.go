package auth

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-webauthn/webauthn/protocol"
)

// This file makes the JSON with which a page asks the browser to create or use a passkey (WebAuthn
// Level 3, 5.1.8 and 5.1.9).

// newChallenge makes a challenge for the user with this handle. If the handle is empty, any user
// may answer the challenge.
func newChallenge(handle []byte) challenge {
	random, _ := protocol.CreateChallenge() // never fails
	return challenge{Random: random, User: handle, Until: time.Now().Add(PasskeyLife)}
}

// list returns the user's passkeys in the form in which a browser needs them.
func (o owner) list() []protocol.CredentialDescriptor {
	all := make([]protocol.CredentialDescriptor, len(o.passkeys))
	for i, p := range o.passkeys {
		all[i] = protocol.CredentialDescriptor{Type: protocol.PublicKeyCredentialType, CredentialID: p.Credential}
	}
	return all
}

// creation returns a Ceremony that creates a passkey for the owner.
func (p relyingParty) creation(o owner) (Ceremony, error) {
	pending := newChallenge(o.handle)
	pending.Password = passwordStamp(o.Password)
	return ceremony(protocol.PublicKeyCredentialCreationOptions{
		RelyingParty: protocol.RelyingPartyEntity{ID: p.host, CredentialEntity: protocol.CredentialEntity{Name: "Birth registry"}},
		User: protocol.UserEntity{
			ID: protocol.URLEncodedBase64(o.handle), CredentialEntity: protocol.CredentialEntity{Name: o.Email}, DisplayName: o.Name,
		},
		Challenge: pending.Random, Parameters: algorithms, Timeout: int(PasskeyLife.Milliseconds()), CredentialExcludeList: o.list(),
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
		Attestation: protocol.PreferNoAttestation,
	}, pending)
}

// request returns a Ceremony that uses one of the owner's passkeys. If o is the zero owner, the
// browser may use any passkey that it has for the installation.
func (p relyingParty) request(o owner) (Ceremony, error) {
	pending := newChallenge(o.handle)
	return ceremony(protocol.PublicKeyCredentialRequestOptions{
		Challenge: pending.Random, Timeout: int(PasskeyLife.Milliseconds()), RelyingPartyID: p.host,
		AllowedCredentials: o.list(), UserVerification: protocol.VerificationRequired,
	}, pending)
}

// ceremony encodes the two parts of a Ceremony: the options for the browser, and the pending
// challenge for the server.
func ceremony(options any, pending challenge) (c Ceremony, err error) {
	if c.Options, err = json.Marshal(options); err != nil {
		return c, err
	}
	c.Pending, err = json.Marshal(pending)
	return c, err
}

// pendingOf decodes the pending challenge of a ceremony. It returns errAnswer if text isn't a
// challenge.
func pendingOf(text []byte) (pending challenge, err error) {
	if len(text) == 0 || json.Unmarshal(text, &pending) != nil {
		return challenge{}, errAnswer
	}
	return pending, nil
}
