package sso

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"birthregistry/store"
)

// description is a provider's description of itself (OpenID Connect Discovery 1.0).
type description struct {
	*oidc.Provider
	metadata
	issuer string
	keys   *oidc.RemoteKeySet
}

// metadata holds the members of a provider's description that go-oidc doesn't expose.
type metadata struct {
	AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	Challenges  []string `json:"code_challenge_methods_supported"`
	Algorithms  []string `json:"id_token_signing_alg_values_supported"`
	Keys        string   `json:"jwks_uri"`
	EndSession  string   `json:"end_session_endpoint"`
	// NamesIssuer is set if the provider names itself as the issuer in every callback (RFC 9207).
	NamesIssuer bool `json:"authorization_response_iss_parameter_supported"`
}

const (
	// describedFor is how long a provider's description is cached.
	describedFor = 10 * time.Minute
	// failedFor is how long the service waits before it asks a provider again that couldn't give
	// its description.
	failedFor = 15 * time.Second
)

// question is one request for a provider's description, with the answer. All sign-ins that need the
// description at the same time wait for the same question.
type question struct {
	issuer   string
	answered chan struct{} // closed once the fields below are set
	answer   description
	err      error
	until    time.Time
}

// pending reports whether the provider hasn't answered the question yet.
func (q *question) pending() bool {
	select {
	case <-q.answered:
		return false
	default:
		return true
	}
}

// describe returns a provider's description. If it was fetched recently, describe returns it from
// memory. If fetching it failed less than failedFor ago, describe returns the same error again. It
// returns ErrSlow if too many sign-ins are waiting for the provider.
func (s *Service) describe(ctx context.Context, p store.SSOProvider) (description, error) {
	q, asks := s.question(p)
	if !asks && !q.pending() {
		return q.answer, q.err
	}
	leave, err := s.wait(p.ID)
	if err != nil {
		if asks { // nobody will ask the provider, so everybody who waits for q gets this error, too
			q.err = err
			close(q.answered)
		}
		return description{}, err
	}
	defer leave()
	if asks {
		s.ask(ctx, p, q)
		return q.answer, q.err
	}
	select {
	case <-q.answered:
		return q.answer, q.err
	case <-ctx.Done():
		return description{}, failure(ctx.Err(), ErrSlow)
	}
}

// question returns the request for a provider's description that is pending or was answered
// recently. If there is none, question returns a new one and sets asks. The caller must then call
// ask.
func (s *Service) question(p store.SSOProvider) (q *question, asks bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q = s.asked[p.ID]
	if q != nil && q.issuer == p.Issuer && (q.pending() || time.Now().Before(q.until)) {
		return q, false
	}
	q = &question{issuer: p.Issuer, answered: make(chan struct{})}
	s.asked[p.ID] = q
	return q, true
}

// ask requests a provider's description and stores it in q. Other sign-ins may be waiting for q. So
// ask continues even if the request that called it is canceled.
func (s *Service) ask(ctx context.Context, p store.SSOProvider, q *question) {
	q.err = errDiscovery // stays if discover panics
	defer close(q.answered)
	q.answer, q.err = s.discover(context.WithoutCancel(ctx), p)
	q.until = time.Now().Add(describedFor)
	if q.err != nil {
		q.until = time.Now().Add(failedFor)
	}
}

// forget drops a provider's description from memory. The next sign-in then requests it again.
func (s *Service) forget(provider int64) {
	s.mu.Lock()
	delete(s.asked, provider)
	s.mu.Unlock()
}

// discover requests a provider's description. The description must state exactly the issuer that is
// on the operator's list.
func (s *Service) discover(ctx context.Context, p store.SSOProvider) (d description, err error) {
	d.Provider, err = oidc.NewProvider(outgoing(ctx, s.http), p.Issuer)
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
	d.issuer = p.Issuer
	d.keys = oidc.NewRemoteKeySet(outgoing(ctx, s.http), d.Keys)
	return d, nil
}

// config returns the OAuth configuration for requests to a provider.
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
