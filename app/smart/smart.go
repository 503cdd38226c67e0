// Package smart launches the registry's form from an EHR and reads the patient's chart (spec,
// "EHR-launch (pull) lane"; SMART App Launch 2.2.0).
//
// A launch goes through the EHR's authorization server and returns with an access token. The token
// is used to read the chart and then discarded. The values that fit the form are stored sealed
// until the clinician opens them. Survey checks an EHR before the first launch and reports what it
// lacks.
//
// The package makes outgoing connections only to the hosts of EHRs that the operator has listed or
// asks it to check. It never writes records.
//
// Numbers such as M10 and S6 in its comments refer to the requirements for EHR launches
// (smart-requirements).
package smart

import (
	"errors"
	"log/slog"
	"net/netip"
	"sync/atomic"
	"time"

	"birthregistry/app/auth"
	"birthregistry/app/seal"
	"birthregistry/app/task"
	"birthregistry/store"
)

// The errors of a launch. Package web assigns an HTTP status to each of them (decision 44).
var (
	ErrNotConfigured = errors.New("smart: no client id is configured; add one with: birthregistry ehr add")
	ErrMalformed     = errors.New("smart: the launch is malformed")
	ErrUnlisted      = errors.New("smart: the issuer is not on the allow-list")
	ErrRole          = errors.New("smart: the signed-in user may not record births")
	ErrState         = errors.New("smart: the state is missing, unknown, already used or belongs to another browser")
	ErrNoCode        = errors.New("smart: the callback has no code")
	ErrDenied        = errors.New("smart: the EHR or the clinician refused access")
	ErrUpstream      = errors.New("smart: the EHR gave no usable answer")
	ErrBusy          = errors.New("smart: the EHR is temporarily unavailable")
	ErrSlow          = errors.New("smart: the EHR was too slow")
	ErrNoPatient     = errors.New("smart: the launch has no patient in context")
)

// Settings holds the operator's choices.
type Settings struct {
	// BaseURL is the address of the service. The addresses of the redirect and of the key set begin
	// with it.
	BaseURL string
	// Loopback allows EHRs on this machine, without TLS, for development. Networks lists the
	// private networks in which the service may connect to EHRs.
	Loopback bool
	Networks []netip.Prefix
}

// Service launches the form from EHRs. It also manages the operator's list of EHRs, the signing
// keys and the prefills.
type Service struct {
	db       *store.DB
	vault    *seal.Vault
	auth     *auth.Service
	settings Settings
	log      *slog.Logger
	// truncationPending is set while the WAL may still contain deleted patient data.
	truncationPending atomic.Bool
	// known caches the EHRs' descriptions of their servers.
	known discoveries
	// reads limits how many charts are read from each EHR at the same time. The key is the EHR's ID.
	reads *task.Shares[int64]
}

// LaunchLife is how long a clinician may take to sign in at the EHR.
const LaunchLife = 10 * time.Minute

// New makes a Service.
func New(db *store.DB, vault *seal.Vault, users *auth.Service, settings Settings, log *slog.Logger) *Service {
	return &Service{db: db, vault: vault, auth: users, settings: settings, log: log, reads: task.NewShares[int64](readsAtOnce)}
}

// The service's paths for EHR launches.
const (
	launchPath   = "/smart/launch"
	callbackPath = "/smart/callback"
	keySetPath   = "/smart/jwks.json"
)

// ServeAt sets the address of the service. It must be called before the service accepts requests.
func (s *Service) ServeAt(base string) { s.settings.BaseURL = base }

// Addresses holds the addresses that an EHR's vendor needs to know. They are based on the
// configured address and never on a request.
type Addresses struct {
	Launch, Redirect, KeySet string
}

// Addresses returns the addresses that an EHR's vendor needs to know.
func (s *Service) Addresses() Addresses {
	base := s.settings.BaseURL
	return Addresses{Launch: base + launchPath, Redirect: base + callbackPath, KeySet: base + keySetPath}
}
