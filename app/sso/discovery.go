package sso

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"birthregistry/store"
)

// description is how a provider describes itself (OpenID Connect Discovery 1.0).
type description struct {
	*oidc.Provider
	client *http.Client
	issuer string
	until  time.Time
	metadata
}

// metadata is what go-oidc leaves out of the description.
type metadata struct {
	AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	Challenges  []string `json:"code_challenge_methods_supported"`
	Algorithms  []string `json:"id_token_signing_alg_values_supported"`
	Keys        string   `json:"jwks_uri"`
	EndSession  string   `json:"end_session_endpoint"`
	// NamesIssuer is set if every callback names the issuer (RFC 9207).
	NamesIssuer bool `json:"authorization_response_iss_parameter_supported"`
}

// describedFor is how long a description is used.
const describedFor = 10 * time.Minute

// describe returns the description of a provider.
func (s *Service) describe(ctx context.Context, p store.SSOProvider) (description, error) {
	s.mu.Lock()
	d, known := s.known[p.ID]
	s.mu.Unlock()
	if known && d.issuer == p.Issuer && time.Now().Before(d.until) {
		return d, nil
	}
	d, err := s.discover(ctx, p)
	if err == nil {
		s.mu.Lock()
		s.known[p.ID] = d
		s.mu.Unlock()
	}
	return d, err
}

func (s *Service) forget(provider int64) {
	s.mu.Lock()
	delete(s.known, provider)
	s.mu.Unlock()
}

// discover asks a provider for its description, which must name its issuer exactly.
func (s *Service) discover(ctx context.Context, p store.SSOProvider) (d description, err error) {
	d = description{client: s.client(), issuer: p.Issuer, until: time.Now().Add(describedFor)}
	d.Provider, err = oidc.NewProvider(outgoing(ctx, d.client), p.Issuer)
	if mismatch := (*oidc.IssuerMismatchError)(nil); errors.As(err, &mismatch) {
		return d, errIssuer
	}
	if err != nil {
		return d, failure(err, errDiscovery)
	}
	if d.Claims(&d.metadata) != nil {
		return d, errDiscovery
	}
	if !s.endpoint(d.Endpoint().AuthURL) || !s.endpoint(d.Endpoint().TokenURL) || !s.endpoint(d.Keys) {
		return d, errAddress
	}
	return d, nil
}

// config returns the client of a provider.
func (s *Service) config(p store.SSOProvider, d description) (*oauth2.Config, error) {
	c := &oauth2.Config{
		ClientID: p.ClientID, Endpoint: d.Endpoint(), RedirectURL: RedirectURI(s.settings.BaseURL, p.Slug),
		Scopes: []string{oidc.ScopeOpenID, "email"},
	}
	c.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	if p.Secret == nil {
		return c, nil
	}
	if len(d.AuthMethods) == 0 || slices.Contains(d.AuthMethods, "client_secret_basic") { // the default
		c.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	}
	secret, err := s.vault.Open(secretPlace(p.Slug), p.Secret)
	c.ClientSecret = string(secret)
	return c, err
}
