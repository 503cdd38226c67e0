package sso

import (
	"context"
	"errors"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
)

// keySet verifies signatures with a provider's keys.
type keySet struct {
	*oidc.RemoteKeySet
	// unread is the error with which reading the keys failed, or nil. The verifier of go-oidc
	// doesn't report it.
	unread error
}

// VerifySignature verifies a signed token and returns its payload. If the provider's keys can't be
// fetched, VerifySignature sets unread.
func (k *keySet) VerifySignature(ctx context.Context, jwt string) ([]byte, error) {
	payload, err := k.RemoteKeySet.VerifySignature(ctx, jwt)
	if err != nil && strings.Contains(err.Error(), "fetching keys") { // the library gives no other sign
		k.unread = failure(err, errKeys)
	}
	return payload, err
}

// signing returns those of the given algorithms with which a provider signs with its private key.
// It leaves out "none" and algorithms with a shared secret.
func signing(algorithms []string) (all []string) {
	for _, a := range algorithms {
		switch a {
		case oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA:
			all = append(all, a)
		}
	}
	return all
}

// verify verifies the signature, issuer, audience and time of an ID token. It returns ErrUpstream
// or ErrSlow if that fails.
func (d description) verify(ctx context.Context, client, raw string) (*oidc.IDToken, error) {
	keys := &keySet{RemoteKeySet: d.keys}
	config := &oidc.Config{ClientID: client, SupportedSigningAlgs: signing(d.Algorithms)}
	token, err := oidc.NewVerifier(d.issuer, keys, config).Verify(ctx, raw)
	expired := (*oidc.TokenExpiredError)(nil)
	switch {
	case err == nil:
		return token, nil
	case keys.unread != nil:
		return nil, keys.unread
	case errors.As(err, &expired):
		return nil, errExpired
	default:
		return nil, errIDToken
	}
}
