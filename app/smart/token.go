package smart

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"

	"birthregistry/app/seal"
	"birthregistry/store"
)

// granted is the response of a token endpoint. It is kept only during the callback.
type granted struct {
	token     string
	patient   string   // the ID of the launched patient
	encounter string   // the ID of the encounter from which the clinician launched, or ""
	scopes    []string // the granted scopes
	idToken   string   // the id_token before it is verified, or ""
}

// maxToken is the maximum size of a token endpoint's response, in bytes.
const maxToken = 64 << 10

var (
	errTokenAnswer = fmt.Errorf("%w: its token answer cannot be used", ErrUpstream)
	errTokenType   = fmt.Errorf("%w: its token is not a bearer token", ErrUpstream)
	errPatient     = fmt.Errorf("%w: its patient is not a resource id", ErrUpstream)
)

// exchange exchanges the code for a token. It makes only one attempt, because a strict server would
// revoke the first token if the same code came again (M19).
func (s *Service) exchange(ctx context.Context, o *outbound, p pending, ehr store.EHR, code string) (got granted, err error) {
	ctx, cancel := context.WithTimeout(ctx, o.within)
	defer cancel()
	config := oauth2.Config{
		ClientID: p.ClientID, RedirectURL: p.Redirect,
		Endpoint: oauth2.Endpoint{TokenURL: p.Token, AuthStyle: oauth2.AuthStyleInParams},
	}
	options := []oauth2.AuthCodeOption{oauth2.VerifierOption(p.Verifier)}
	switch ehr.Auth {
	case store.AuthSecret:
		config.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
		secret, err := s.vault.Open(secretPlace(ehr.Issuer), ehr.Secret)
		if err != nil {
			return got, err
		}
		config.ClientSecret = string(secret)
	case store.AuthKey:
		assertion, err := s.assertion(ctx, p)
		if err != nil {
			return got, err
		}
		config.ClientID = "" // the assertion states the client id
		options = append(options,
			oauth2.SetAuthURLParam("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
			oauth2.SetAuthURLParam("client_assertion", assertion))
	}
	once := &onePost{next: o.client(maxToken).Transport}
	client := &http.Client{Transport: once, CheckRedirect: o.client(maxToken).CheckRedirect}
	answer, err := config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, client), code, options...)
	if err != nil {
		return got, tokenFailure(once, err)
	}
	return read(answer, p)
}

// secretPlace returns the table and the row to which an EHR's sealed client secret is bound.
func secretPlace(issuer string) seal.Place { return seal.Place{Table: "ehrs", Row: issuer} }

// read returns those fields of a token endpoint's response that a launch uses (M20, M21). It
// returns ErrNoPatient if the response names no patient.
func read(answer *oauth2.Token, p pending) (got granted, err error) {
	text := func(name string) string {
		text, _ := answer.Extra(name).(string)
		return text
	}
	if !strings.EqualFold(answer.TokenType, "bearer") || strings.ContainsFunc(answer.AccessToken, unfitForAddress) {
		return got, errTokenType
	}
	got = granted{token: answer.AccessToken, patient: text("patient"), encounter: text("encounter"), idToken: text("id_token")}
	switch {
	case answer.Extra("patient") == nil, answer.Extra("patient") == "":
		return granted{}, ErrNoPatient
	case !isResourceID(got.patient):
		return granted{}, errPatient
	case !isResourceID(got.encounter):
		got.encounter = ""
	}
	// If the response names no scope for the chart, the server has probably just left the scopes
	// out. In this case, assume that the requested scopes were granted.
	got.scopes = strings.Fields(p.Scopes)
	if scopes := text("scope"); strings.Contains(scopes, "patient/") || strings.Contains(scopes, "user/") {
		got.scopes = strings.Fields(scopes)
	}
	return got, nil
}

// tokenFailure returns the reason why a token endpoint gave no token. An error from x/oauth2
// contains the address and the whole body, so tokenFailure passes on only the status and a known
// error code.
func tokenFailure(once *onePost, err error) error {
	refused := (*oauth2.RetrieveError)(nil)
	switch {
	case once.failed != nil:
		return once.failed
	case !errors.As(err, &refused) || refused.Response == nil:
		return errTokenAnswer
	case refusals[refused.ErrorCode] != nil:
		return fmt.Errorf("%w: it answered with status %d, %s", ErrUpstream, refused.Response.StatusCode, refused.ErrorCode)
	default:
		return fmt.Errorf("%w: it answered with status %d", ErrUpstream, refused.Response.StatusCode)
	}
}

// onePost is a transport that allows one request and reads its whole response. It accepts only a
// response with status 200 whose body is a JSON object without repeated members, because x/oauth2
// is less strict. It also keeps the cause of a failure, which x/oauth2 would lose.
type onePost struct {
	next   http.RoundTripper
	used   atomic.Bool
	failed error
}

// RoundTrip makes the one request that is allowed. Every further request fails.
func (t *onePost) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.used.Swap(true) {
		t.failed = errTokenAnswer
		return nil, t.failed
	}
	req = req.Clone(req.Context())
	req.Header.Set("Accept", "application/json")
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		t.failed = failure(err)
		return nil, t.failed
	}
	body, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		t.failed = failure(err)
		return nil, t.failed
	}
	if resp.StatusCode/100 == 2 {
		var object map[string]any
		if resp.StatusCode != http.StatusOK || readJSON(body, &object) != nil {
			t.failed = errTokenAnswer
			return nil, t.failed
		}
		delete(object, "expires_in") // unused here, and x/oauth2 fails if it isn't a whole number
		if body, err = json.Marshal(object); err != nil {
			t.failed = errTokenAnswer
			return nil, t.failed
		}
		resp.Header.Set("Content-Type", "application/json")
	}
	resp.Body = io.NopCloser(bytes.NewReader(unmarked(body)))
	return resp, nil
}
