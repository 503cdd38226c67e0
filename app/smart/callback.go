package smart

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping/uscore"
	"birthregistry/app/task"
	"birthregistry/store"
)

// callbackWithin is the time limit for a callback with a code, up to the last read (M10).
const callbackWithin = 45 * time.Second

// readsAtOnce is how many charts are read from one EHR at the same time. A chart may take tens of
// megabytes, and an EHR may answer slowly. waitWithin is how long a callback waits until it may read
// one.
const (
	readsAtOnce = 8
	waitWithin  = 10 * time.Second
)

// Callback completes a handshake. It finds the pending launch, exchanges the code for a token,
// reads the chart, and stores a prefill with the values that fill in the form. It returns the
// handle with which the form finds the prefill. The argument browser is the value of the browser's
// launch cookie.
//
// Callback checks in the order of M16: first the state, then the EHR's error, then the code.
// Without a valid state it returns ErrState, whatever else the callback carries. If mayRecord is
// false, the browser's user couldn't save the form. Callback then returns ErrRole even for a valid
// state, and doesn't read the chart.
func (s *Service) Callback(ctx context.Context, query url.Values, browser string, mayRecord bool) (handle string, err error) {
	if len(query["state"]) != 1 {
		return "", ErrState
	}
	p, ehr, err := s.takePending(ctx, query.Get("state"), browser)
	if err != nil {
		return "", err
	}
	if !mayRecord {
		return "", ErrRole
	}
	handle, err = s.finish(ctx, p, ehr, query)
	if err != nil {
		return "", fmt.Errorf("EHR %d, %w", ehr.ID, err)
	}
	return handle, nil
}

// waitToRead waits until a chart may be read from an EHR. The caller must call leave afterwards.
// waitToRead returns ErrBusy if that takes too long.
func (s *Service) waitToRead(ctx context.Context, ehr store.EHR) (leave func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, waitWithin)
	defer cancel()
	if leave, err = s.reads.Take(waiting, ehr.ID); err != nil {
		return nil, fmt.Errorf("too many charts are being read: %w", ErrBusy)
	}
	return leave, nil
}

// finish completes a callback that has a valid state. It reads the chart, makes a prefill from it,
// and stores the prefill. It also records how the EHR's responses differed from what was searched
// for (Conduct). It doesn't keep the token.
func (s *Service) finish(ctx context.Context, p pending, ehr store.EHR, query url.Values) (handle string, err error) {
	code, err := codeOf(p, query)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, callbackWithin)
	defer cancel()
	leave, err := s.waitToRead(ctx, ehr)
	if err != nil {
		return "", err
	}
	defer leave()
	launch, fetched, err := s.fetchChart(ctx, p, ehr, code)
	if err != nil {
		return "", err
	}
	prefill := Prefill{
		EHR: ehr.Label, EHRID: ehr.ID, Practice: ehr.Practice, ReadAt: time.Now(),
		Unread: fetched.unread, Conduct: sentences(fetched.conduct), Reading: uscore.Read(fetched.chart, launch),
	}
	prefill.Reading.OfferAttendant(fetched.clinician)
	if handle, err = s.Keep(prefill); err != nil {
		return "", err
	}
	s.log.Info("a chart was read", "request_id", tracked(ctx), "ehr", ehr.ID, "observations", len(fetched.chart.Observations),
		"conditions", len(fetched.chart.Conditions), "encounters", len(fetched.chart.Encounters), "unread", len(fetched.unread), "conduct", fetched.conduct)
	return handle, s.note(ehr, fetched.conduct)
}

// fetchChart exchanges the code for a token. With the token, it reads the chart and the names of
// the clinician who launched the registry.
func (s *Service) fetchChart(ctx context.Context, p pending, ehr store.EHR, code string) (launch uscore.Launch, fetched charted, err error) {
	o := s.out(ehr)
	defer o.transport.CloseIdleConnections()
	got, err := s.exchange(ctx, o, p, ehr, code)
	if err != nil {
		return launch, fetched, fmt.Errorf("token: %w", err)
	}
	launch = uscore.Launch{At: p.At, Encounter: got.encounter, Base: ehr.Issuer}
	var names []fhir.HumanName
	asking, cancel := context.WithCancel(ctx)
	defer cancel()
	end := task.Go(s.log, "launching clinician", func() (err error) {
		names, err = s.clinician(asking, o, p, ehr, got)
		return err
	})
	if fetched, err = s.readChart(ctx, o, launch, got.patient, got.token, got.scopes); err != nil {
		cancel()
		<-end //nolint:errcheck // it doesn't matter why there is no chart
		return launch, fetched, fmt.Errorf("chart: %w", err)
	}
	if err := <-end; err != nil {
		s.log.Info("the clinician who launched is not offered as attendant", "request_id", tracked(ctx), "ehr", ehr.ID, "cause", err)
	} else {
		fetched.clinician = names
	}
	return launch, fetched, nil
}

// codeOf returns the code from a callback that has a valid state. It returns ErrState if another
// server sent the callback, and ErrNoCode if the callback has no usable code. If the callback has
// an error code from the EHR, it returns the matching error.
func codeOf(p pending, query url.Values) (code string, err error) {
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

// sameServer reports whether a callback comes from the authorization server to which the browser
// was sent. It recognizes a wrong server only if servers name themselves in callbacks (RFC 9207).
// This check keeps one server's response from being used with another server.
func sameServer(p pending, iss []string) bool {
	if len(iss) == 0 {
		return !p.Answers
	}
	return len(iss) == 1 && (p.Issuer == "" || iss[0] == p.Issuer)
}

// refusals maps the error codes of a callback (RFC 6749, 4.1.2.1; OpenID Connect Core,
// 3.1.2.6) to this package's errors.
var refusals = map[string]error{
	"access_denied": ErrDenied, "login_required": ErrDenied, "interaction_required": ErrDenied,
	"account_selection_required": ErrDenied, "consent_required": ErrDenied,
	"temporarily_unavailable": ErrBusy, "server_error": ErrUpstream,
	"invalid_request": ErrUpstream, "invalid_scope": ErrUpstream, "unauthorized_client": ErrUpstream,
	"unsupported_response_type": ErrUpstream, "invalid_client": ErrUpstream, "invalid_grant": ErrUpstream,
	"unsupported_grant_type": ErrUpstream,
}

// refusal returns the error for an error code. The error quotes only standard codes, because
// anybody could have written a different one.
func refusal(code string) error {
	if known := refusals[code]; known != nil {
		return fmt.Errorf("%w: its error is %s", known, code)
	}
	return fmt.Errorf("%w: its error code is not a standard one", ErrUpstream)
}

// Tracked returns a context that carries the ID of a request. Log entries about the launch then
// contain the ID. A launch belongs to no practice, so no practice's pages can show what happened to
// it.
func Tracked(ctx context.Context, requestID string) context.Context {
	return context.WithValue(ctx, trackKey{}, requestID)
}

type trackKey struct{}

func tracked(ctx context.Context) string {
	id, _ := ctx.Value(trackKey{}).(string)
	return id
}
