// Package sso lets people sign in with an identity provider (OpenID Connect Core 1.0; decision 56).
// The provider proves who somebody is, but makes nobody a member of a practice. Package auth
// decides to which account that person signs in.
//
// Sign-ins use the authorization code flow with PKCE (S256), state, nonce, a separate redirect URI
// for each provider, and the issuer in the callback (RFC 9207), according to RFC 9700. Package
// go-oidc verifies the ID token: its issuer, audience, time and signature. The signature must be
// made with a private key. The access token is used only during the sign-in. The ID token is used
// again when the person signs out at the provider. Package sso connects only to providers that the
// operator has listed, with the checks of package dial.
package sso

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"birthregistry/app/seal"
	"birthregistry/store"
)

// These are the errors of a sign-in. Package web has a page for each of them.
var (
	ErrNoProvider = errors.New("sso: no such provider is listed")
	ErrState      = errors.New("sso: the state is missing, unknown, already used or belongs to another browser")
	ErrDenied     = errors.New("sso: the provider or the person refused the sign-in")
	ErrUpstream   = errors.New("sso: the provider gave no usable answer")
	ErrSlow       = errors.New("sso: the provider was too slow")
)

// These are the errors that wrap ErrUpstream and ErrState and state the reason. They quote nothing
// that a provider has sent.
var (
	errAddress   = fmt.Errorf("%w: it named an address without https, or an invalid one", ErrUpstream)
	errPrivate   = fmt.Errorf("%w: its name leads to a private address; start with --sso-networks (or --sso-loopback for development)", ErrUpstream)
	errTooLarge  = fmt.Errorf("%w: its answer is too large", ErrUpstream)
	errDiscovery = fmt.Errorf("%w: its configuration cannot be read", ErrUpstream)
	errIssuer    = fmt.Errorf("%w: its configuration names another issuer; copy the issuer exactly, with or without the slash at its end", ErrUpstream)
	errMixUp     = fmt.Errorf("%w: the answer names another issuer, or no issuer although the provider always names one", ErrState)
	errCode      = fmt.Errorf("%w: it refused the code or the client; check that the client id and the secret are the provider's", ErrUpstream)
	errNoIDToken = fmt.Errorf("%w: it sent no id_token", ErrUpstream)
	errKeys      = fmt.Errorf("%w: its keys cannot be read", ErrUpstream)
	errIDToken   = fmt.Errorf("%w: its id_token has another issuer or audience, or an algorithm or signature that isn't accepted", ErrUpstream)
	errExpired   = fmt.Errorf("%w: its id_token has expired; compare the clocks", ErrUpstream)
	errNonce     = fmt.Errorf("%w: its id_token is for another sign-in", ErrUpstream)
	errSubject   = fmt.Errorf("%w: its id_token or its user information has no subject, or the two subjects differ", ErrUpstream)
	errNotFresh  = fmt.Errorf("%w: it did not ask the person to sign in again", ErrUpstream)
)

// Settings holds the operator's settings for single sign-on.
type Settings struct {
	// BaseURL is the address of the service. The redirect URIs begin with it.
	BaseURL string
	// Loopback allows providers on this machine, without TLS, for development. Networks lists the
	// private networks in which providers may be.
	Loopback bool
	Networks []netip.Prefix
}

// Service manages the list of identity providers, and signs people in with them.
type Service struct {
	db       *store.DB
	vault    *seal.Vault
	settings Settings

	http *http.Client

	mu      sync.Mutex
	asked   map[int64]*question // the last question for the description of each provider, keyed by its ID
	waiting map[int64]int       // how many sign-ins wait for an answer of a provider
}

// Life is how long a person may take to sign in at the provider.
const Life = 10 * time.Minute

// New makes a Service.
func New(db *store.DB, vault *seal.Vault, settings Settings) *Service {
	return &Service{
		db: db, vault: vault, settings: settings, http: client(settings),
		asked: map[int64]*question{}, waiting: map[int64]int{},
	}
}

// ServeAt sets the address of the service. It must be called before the service answers requests.
func (s *Service) ServeAt(base string) { s.settings.BaseURL = base }

// Path is the beginning of the path at which people start a sign-in. The provider's slug follows
// it.
const Path = "/sign-in/with/"

// RedirectURI returns the address to which a provider sends people back.
func RedirectURI(base, slug string) string { return base + Path + slug + "/callback" }

// SignedOutURI returns the address to which an identity provider may send people after they have
// signed out there.
func SignedOutURI(base string) string { return base + "/sign-in" }
