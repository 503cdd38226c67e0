package smart

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"birthregistry/app/mapping/uscore"
	"birthregistry/store"
)

// callbackWithin is how long a callback may take in all: the exchange of the
// code and all reads (M10).
const callbackWithin = 45 * time.Second

// Callback ends a handshake: it exchanges the code, reads the chart, and keeps
// what it fills in. The handle leads to the pre-fill. browser is the value of
// the browser's launch cookie.
//
// The order is that of M16: the state, then what the EHR says went wrong, then
// the code. An answer without a good state is ErrState, whatever else it says.
func (s *Service) Callback(ctx context.Context, query url.Values, browser string) (handle string, err error) {
	ctx, cancel := context.WithTimeout(ctx, callbackWithin)
	defer cancel()
	if len(query["state"]) != 1 {
		return "", ErrState
	}
	p, ehr, err := s.takePending(ctx, query.Get("state"), browser)
	if err != nil {
		return "", err
	}
	code, err := answered(p, query)
	if err == nil {
		handle, err = s.finish(ctx, p, ehr, code)
	}
	if err != nil {
		return "", fmt.Errorf("EHR %d, %w", ehr.ID, err)
	}
	return handle, nil
}

// answered returns the code of a callback whose state is good.
func answered(p pending, query url.Values) (code string, err error) {
	if !sameServer(p, query["iss"]) {
		return "", fmt.Errorf("the answer of another server: %w", ErrState)
	}
	if len(query["error"]) > 0 {
		return "", refusal(query.Get("error"))
	}
	if codes := query["code"]; len(codes) != 1 || codes[0] == "" || len(codes[0]) > maxOpaque {
		return "", ErrNoCode
	}
	return query.Get("code"), nil
}

// sameServer reports whether a callback comes from the authorization server
// that the browser was sent to, as far as the servers say who they are
// (RFC 9207): against an answer that was mixed up with another's.
func sameServer(p pending, iss []string) bool {
	if len(iss) == 0 {
		return !p.Answers
	}
	return len(iss) == 1 && (p.Issuer == "" || iss[0] == p.Issuer)
}

// refusals are the error codes of RFC 6749, 4.1.2.1 and OpenID Connect Core,
// 3.1.2.6, that a callback can bring, with what they come to. The rest means
// that the registration is not as it should be, or nothing.
var refusals = map[string]error{
	"access_denied": ErrDenied, "login_required": ErrDenied, "interaction_required": ErrDenied,
	"account_selection_required": ErrDenied, "consent_required": ErrDenied,
	"temporarily_unavailable": ErrBusy, "server_error": ErrUpstream,
	"invalid_request": ErrUpstream, "invalid_scope": ErrUpstream, "unauthorized_client": ErrUpstream,
	"unsupported_response_type": ErrUpstream, "invalid_client": ErrUpstream, "invalid_grant": ErrUpstream,
	"unsupported_grant_type": ErrUpstream,
}

// refusal is what an error code comes to. Only codes that we know are quoted:
// anybody could have written the rest.
func refusal(code string) error {
	if known := refusals[code]; known != nil {
		return fmt.Errorf("%w: its error is %s", known, code)
	}
	return fmt.Errorf("%w: its error is none of the standard's", ErrUpstream)
}

// finish exchanges the code, reads the chart with the token, and keeps what it
// fills in. The token is gone when it returns.
func (s *Service) finish(ctx context.Context, p pending, ehr store.EHR, code string) (handle string, err error) {
	o := s.out(ehr)
	defer o.transport.CloseIdleConnections()
	got, err := s.exchange(ctx, o, p, ehr, code)
	if err != nil {
		return "", fmt.Errorf("token: %w", err)
	}
	launch := uscore.Launch{At: p.At, Encounter: got.encounter, Base: ehr.Issuer}
	read, err := s.readChart(ctx, o, launch, got.patient, got.token, got.scopes)
	if err != nil {
		return "", fmt.Errorf("chart: %w", err)
	}
	handle, err = s.Keep(Prefill{
		EHR: ehr.Label, EHRID: ehr.ID, Practice: ehr.Practice, ReadAt: time.Now(), Unread: read.unread, Conduct: sentences(read.conduct),
		Reading: uscore.Read(read.chart, launch),
	})
	if err == nil {
		err = s.note(ehr, read.conduct)
		s.log.Info("a chart was read", "request_id", tracked(ctx), "ehr", ehr.ID, "observations", len(read.chart.Observations),
			"conditions", len(read.chart.Conditions), "encounters", len(read.chart.Encounters), "unread", len(read.unread), "conduct", read.conduct)
	}
	return handle, err
}

// Tracked gives the work on a request its id, for the log: a launch belongs to no
// practice, so the log is the only place that tells of it.
func Tracked(ctx context.Context, requestID string) context.Context {
	return context.WithValue(ctx, trackKey{}, requestID)
}

type trackKey struct{}

func tracked(ctx context.Context) string {
	id, _ := ctx.Value(trackKey{}).(string)
	return id
}

// FrameOrigins returns the origins that may show the page of an embedded
// launch: those of the listed EHRs, and of no others.
func (s *Service) FrameOrigins(ctx context.Context) (origins []string, err error) {
	err = s.db.View(ctx, func(v *store.View) error {
		all, err := v.EHRs()
		for _, e := range all {
			origins = append(origins, e.Frames...)
		}
		return err
	})
	slices.Sort(origins)
	return slices.Compact(origins), err
}
