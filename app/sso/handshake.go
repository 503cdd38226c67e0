package sso

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"birthregistry/app/auth"
	"birthregistry/store"
)

// Pending is a sign-in that has begun. The caller stores it in the browser's session. When the
// browser comes back, the caller removes it from the session, so that it is used only once.
type Pending struct {
	Provider int64  `json:"provider"`
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"` // of PKCE
	// Fresh is set if the provider must ask the person to sign in again.
	Fresh bool      `json:"fresh"`
	Began time.Time `json:"began"`
}

// Begin begins a sign-in with the identity provider that has this slug. It returns the address to
// which the caller must redirect the browser. If fresh is set, the provider asks the person to sign
// in again, even if they have a session there. If Begin fails, it returns ErrNoProvider,
// ErrUpstream or ErrSlow. In that case, p holds the provider at most.
func (s *Service) Begin(ctx context.Context, slug string, fresh bool) (to string, p Pending, err error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	provider, err := s.Find(ctx, slug)
	if err != nil {
		return "", p, err
	}
	p.Provider = provider.ID
	d, err := s.describe(ctx, provider)
	if err != nil {
		return "", p, err
	}
	config, err := s.config(provider, d)
	if err != nil {
		return "", p, err
	}
	p = Pending{
		Provider: provider.ID, State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(),
		Fresh: fresh, Began: time.Now(),
	}
	options := []oauth2.AuthCodeOption{oidc.Nonce(p.Nonce), oauth2.S256ChallengeOption(p.Verifier)}
	if fresh {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	return config.AuthCodeURL(p.State, options...), p, nil
}

// Answered reports whether the query of a callback belongs to this sign-in, because it has the same
// state.
func (p Pending) Answered(query url.Values) bool {
	return p.State != "" && subtle.ConstantTimeCompare([]byte(only(query, "state")), []byte(p.State)) == 1
}

// Result is a sign-in that an identity provider has confirmed.
type Result struct {
	auth.Identity
	// Slug and Name identify the provider.
	Slug, Name string
	// IDToken is the ID token as the provider sent it. It is sent back to the provider when the
	// person signs out there.
	IDToken string
}

// Finish completes a sign-in. slug is the provider's slug in the address of the callback, and query
// is the query of that address. Finish returns ErrState, ErrDenied, ErrNoProvider, ErrUpstream or
// ErrSlow if the sign-in fails.
func (s *Service) Finish(ctx context.Context, slug string, p Pending, query url.Values) (r Result, err error) {
	if !p.Answered(query) || time.Since(p.Began) > Life {
		return r, ErrState
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	provider, err := s.ByID(ctx, p.Provider)
	if err != nil {
		return r, err
	}
	if provider.Slug != slug {
		return r, errMixUp
	}
	d, err := s.describe(ctx, provider)
	if err != nil {
		return r, err
	}
	if iss := query["iss"]; len(iss) == 0 && d.NamesIssuer || len(iss) > 0 && only(query, "iss") != provider.Issuer {
		return r, errMixUp
	}
	if query.Has("error") {
		return r, ErrDenied
	}
	code := only(query, "code")
	if code == "" {
		return r, ErrState
	}
	return s.exchange(ctx, provider, d, p, code)
}

// only returns the value of a query parameter that occurs exactly once. Otherwise it returns "".
func only(query url.Values, name string) string {
	if values := query[name]; len(values) == 1 {
		return values[0]
	}
	return ""
}

// exchange exchanges an authorization code for tokens, and verifies the ID token.
func (s *Service) exchange(ctx context.Context, provider store.SSOProvider, d description, p Pending, code string) (r Result, err error) {
	config, err := s.config(provider, d)
	if err != nil {
		return r, err
	}
	leave, err := s.wait(provider.ID)
	if err != nil {
		return r, err
	}
	defer leave()
	ctx = outgoing(ctx, s.http)
	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(p.Verifier))
	if err != nil {
		return r, failure(err, errCode)
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return r, errNoIDToken
	}
	stated, err := verified(ctx, provider, d, p, raw)
	if err != nil {
		return r, err
	}
	if stated.email == nil && d.UserInfoEndpoint() != "" {
		if err := stated.ask(ctx, d, token); err != nil {
			return r, err
		}
	}
	r.Identity = auth.Identity{Provider: provider.ID, Subject: stated.subject, Email: stated.address(provider.Domains)}
	r.Slug, r.Name, r.IDToken = provider.Slug, provider.Name, raw
	return r, nil
}
