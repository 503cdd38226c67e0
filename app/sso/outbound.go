package sso

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"birthregistry/app/dial"
)

const (
	callWithin = 10 * time.Second
	// within is the time limit of all calls for one browser request.
	within    = 15 * time.Second
	maxAnswer = 512 << 10 // bytes: the keys of large providers take some ten thousand
	// maxWaiting is how many sign-ins may wait for the same provider at a time.
	maxWaiting = 8
)

// client returns the HTTP client for providers. It follows no redirect.
func client(settings Settings) *http.Client {
	transport := dial.Networks{Loopback: settings.Loopback, Private: settings.Networks}.Transport()
	transport.MaxConnsPerHost = 4
	return &http.Client{
		Transport:     gate{transport, settings.Loopback},
		Timeout:       callWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// wait counts a sign-in as waiting for a provider until leave is called. It returns ErrSlow if too
// many are waiting already, so that a provider that doesn't answer can't tie up all requests.
func (s *Service) wait(provider int64) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting[provider] >= maxWaiting {
		return nil, ErrSlow
	}
	s.waiting[provider]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.waiting[provider]--; s.waiting[provider] == 0 {
			delete(s.waiting, provider)
		}
	}, nil
}

// outgoing returns a context that makes go-oidc and x/oauth2 use the client.
func outgoing(ctx context.Context, client *http.Client) context.Context {
	return oidc.ClientContext(ctx, client)
}

// gate lets requests through only to permitted addresses, and caps the answers. It reads each answer
// to its end itself, because go-oidc and x/oauth2 hide why reading fails.
type gate struct {
	next     http.RoundTripper
	loopback bool
}

// RoundTrip makes one request and reads the whole answer, up to maxAnswer bytes. It returns
// errAddress if the address of the request isn't permitted.
func (g gate) RoundTrip(req *http.Request) (*http.Response, error) {
	if !permitted(req.URL, g.loopback) {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, errAddress
	}
	resp, err := g.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, resp.Body, maxAnswer))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// permitted reports whether a call, or the browser, may go to an address that a provider named: an
// https address or, in development, an http address on this machine.
func permitted(u *url.URL, loopback bool) bool {
	return u.Host != "" && u.User == nil && u.Fragment == "" &&
		(u.Scheme == "https" || u.Scheme == "http" && loopback && dial.IsLoopbackName(u.Hostname()))
}

// endpoint is like the function permitted, but takes an address that isn't parsed yet.
func (s *Service) endpoint(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && permitted(u, s.settings.Loopback)
}

// failure replaces the error of a call with an error that quotes nothing, because the libraries'
// errors contain addresses and the provider's answers. It returns other if the call itself
// succeeded.
func failure(err, other error) error {
	var tooLarge *http.MaxBytesError
	var call *url.Error
	switch {
	case errors.Is(err, errAddress):
		return errAddress
	case errors.As(err, &tooLarge):
		return errTooLarge
	case !errors.As(err, &call) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled):
		return other
	}
	switch reason := dial.Reason(err); reason {
	case dial.ErrForbidden:
		return errPrivate
	case dial.ErrSlow:
		return ErrSlow
	default:
		return fmt.Errorf("%w: %w", ErrUpstream, reason)
	}
}
