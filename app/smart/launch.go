package smart

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"

	"birthregistry/store"
)

// maxOpaque is the maximum length of a launch token and of a code, in bytes. The EHR sends both
// through the browser and gets them back. The ones from Epic are long.
const maxOpaque = 8 << 10

// maxLaunches is how many handshakes can be pending at the same time. Anyone can start one, so new
// ones replace the oldest.
const maxLaunches = 10_000

// pending holds what a callback needs to know about its launch. It is stored sealed in the
// database, under the hashes of the state and of the browser's cookie (M12, M13). It therefore
// survives a restart between launch and callback.
type pending struct {
	EHR      int64     `json:"ehr"`
	ClientID string    `json:"client_id"`
	Token    string    `json:"token"` // the token endpoint, even if the callback names another server
	Signing  []string  `json:"signing"`
	Issuer   string    `json:"issuer"` // the issuer of the authorization server, or ""
	Answers  bool      `json:"answers"`
	Redirect string    `json:"redirect"`
	Verifier string    `json:"verifier"`
	Scopes   string    `json:"scopes"`
	At       time.Time `json:"at"`
	// Nonce and Keys are for verifying the id_token. If Nonce is empty, no id_token was requested.
	Nonce string `json:"nonce,omitzero"`
	Keys  string `json:"keys,omitzero"`
}

// Launch begins a handshake for the query of /smart/launch. It returns the address at the EHR to
// which the browser is sent. The argument browser is the random value of the browser's launch
// cookie. Only that browser can complete the handshake. Launch makes no network call, not even to
// look up a name, until it has found the issuer on the operator's list.
func (s *Service) Launch(ctx context.Context, query url.Values, browser string) (to string, err error) {
	ehr, iss, launch, err := s.admit(ctx, query)
	if err != nil {
		return "", err
	}
	if browser == "" {
		return "", errors.New("smart: a launch needs the browser's cookie")
	}
	at, err := s.known.of(ctx, s.out(ehr), ehr)
	if err != nil {
		return "", fmt.Errorf("EHR %d, discovery: %w", ehr.ID, err)
	}
	return s.begin(ehr, at, iss, launch, browser)
}

// Admits returns the error with which Launch would refuse the query before it calls the EHR. It
// returns nil if Launch would call the EHR. It starts nothing.
func (s *Service) Admits(ctx context.Context, query url.Values) error {
	_, _, _, err := s.admit(ctx, query)
	return err
}

// admit finds the EHR of a launch on the operator's list. It also returns the query's parameters
// iss and launch.
func (s *Service) admit(ctx context.Context, query url.Values) (ehr store.EHR, iss, launch string, err error) {
	all, err := store.Read(ctx, s.db, (*store.View).EHRs)
	if err == nil && !configured(all) { // before any other check (spec: 503)
		err = ErrNotConfigured
	}
	if err == nil {
		iss, launch, err = asked(query)
	}
	if err == nil {
		ehr, err = listed(all, iss, s.settings.Loopback)
	}
	if errors.Is(err, ErrUnlisted) {
		err = s.unlistedError(all, iss)
	}
	return ehr, iss, launch, err
}

// asked returns the query's parameters iss and launch. Each must appear exactly once (M4).
func asked(query url.Values) (iss, launch string, err error) {
	if len(query["iss"]) != 1 || len(query["launch"]) != 1 {
		return "", "", ErrMalformed
	}
	if iss, launch = query.Get("iss"), query.Get("launch"); iss == "" || launch == "" || len(launch) > maxOpaque {
		return "", "", ErrMalformed
	}
	return iss, launch, nil
}

// begin stores the launch and returns the address of the authorization request (M14). The request's
// parameter aud is the operator's setting for the EHR. If there is no such setting, aud is the iss
// exactly as the EHR sent it (M6).
func (s *Service) begin(ehr store.EHR, at server, iss, launch, browser string) (string, error) {
	to, err := url.Parse(at.Authorize)
	if err != nil {
		return "", errAddress
	}
	state := token()
	p := pending{
		EHR: ehr.ID, ClientID: ehr.ClientID, Token: at.Token, Signing: at.Signing,
		Issuer: at.Issuer, Answers: bool(at.AnswersIss), Redirect: s.Addresses().Redirect,
		Verifier: oauth2.GenerateVerifier(), Scopes: ehr.Scopes, At: time.Now().UTC(),
	}
	if p.Scopes == "" {
		p.Scopes = at.defaultScopes()
	}
	if slices.Contains(strings.Fields(p.Scopes), "openid") {
		p.Nonce, p.Keys = token(), at.Keys
	}
	query := to.Query() // keeps the endpoint's own parameters
	for name, value := range map[string]string{
		"response_type":         "code",
		"client_id":             p.ClientID,
		"redirect_uri":          p.Redirect,
		"launch":                launch,
		"scope":                 p.Scopes,
		"state":                 state,
		"aud":                   iss,
		"code_challenge":        oauth2.S256ChallengeFromVerifier(p.Verifier),
		"code_challenge_method": "S256",
	} {
		query.Set(name, value)
	}
	if p.Nonce != "" {
		query.Set("nonce", p.Nonce)
	}
	if ehr.Aud != "" {
		query.Set("aud", ehr.Aud)
	}
	to.RawQuery = query.Encode()
	return to.String(), s.keepPending(state, browser, p)
}

func (s *Service) keepPending(state, browser string, p pending) error {
	doc, err := json.Marshal(p)
	if err != nil {
		return errors.New("smart: a launch cannot be written")
	}
	key := hash(state)
	sealed, err := s.seal("launches", key, doc)
	if err != nil {
		return err
	}
	return s.db.Update(func(tx *store.Tx) error {
		return tx.AddLaunch(store.Launch{State: key, Browser: hash(browser), Sealed: sealed}, maxLaunches)
	})
}

// takePending deletes the pending launch that has a callback's state and browser, and returns it
// with its EHR. The launch is gone before the code is used. takePending returns ErrState if there
// is no such launch, if the launch is too old, or if its EHR is no longer listed.
func (s *Service) takePending(ctx context.Context, state, browser string) (p pending, e store.EHR, err error) {
	if state == "" || browser == "" {
		return p, e, ErrState
	}
	key := hash(state)
	var row store.Launch
	err = s.db.Update(func(tx *store.Tx) (err error) {
		row, err = tx.TakeLaunch(key, hash(browser))
		return err
	})
	if errors.Is(err, store.ErrNotFound) || err == nil && time.Since(row.CreatedAt) >= LaunchLife {
		return p, e, ErrState
	}
	if err != nil {
		return p, e, err
	}
	doc, err := s.vault.Open(place("launches", key), row.Sealed)
	if err != nil {
		return p, e, err
	}
	if err := json.Unmarshal(doc, &p); err != nil {
		return p, e, errors.New("smart: a launch cannot be read")
	}
	e, err = store.Read(ctx, s.db, func(v *store.View) (store.EHR, error) { return v.EHR(p.EHR) })
	if errors.Is(err, store.ErrNotFound) { // the operator has removed the EHR in the meantime
		err = ErrState
	}
	return p, e, err
}
