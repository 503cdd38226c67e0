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
	// within is the time limit for all calls to a provider during one request from a browser.
	within    = 15 * time.Second
	maxAnswer = 512 << 10 // bytes: the keys of large providers take some ten thousand
	// maxWaiting is the maximum number of sign-ins that wait for the same provider at a time.
	maxWaiting = 8
)

// client returns the HTTP client for requests to identity providers. It follows no redirects.
func client(settings Settings) *http.Client {
	transport := dial.Networks{Loopback: settings.Loopback, Private: settings.Networks}.Transport()
	transport.MaxConnsPerHost = 4
	return &http.Client{
		Transport:     gate{transport, settings.Loopback},
		Timeout:       callWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// wait counts a sign-in that waits for a provider, until leave is called. It returns ErrSlow if too
// many sign-ins are already waiting, so that a provider that doesn't answer can't tie up all
// requests.
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

// gate is a transport that makes requests only to permitted addresses, and limits the size of the
// answers. It reads each answer completely, because go-oidc and x/oauth2 hide the reason why
// reading fails.
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

// permitted reports whether the service or the browser may go to an address that a provider has
// stated. It may be an https address or, in development, an http address on this machine.
func permitted(u *url.URL, loopback bool) bool {
	return u.Host != "" && u.User == nil && u.Fragment == "" &&
		(u.Scheme == "https" || u.Scheme == "http" && loopback && dial.IsLoopbackName(u.Hostname()))
}

// endpoint is like permitted, but for an address that hasn't been parsed yet.
func (s *Service) endpoint(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && permitted(u, s.settings.Loopback)
}

// failure converts the error of a call to an error that quotes nothing, because the errors of the
// libraries contain addresses and the provider's answers. If the call itself succeeded, failure
// returns other.
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
