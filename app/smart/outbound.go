package smart

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"birthregistry/app/dial"
)

// callWithin is the time limit for one call to an EHR (smart-requirements M10).
const callWithin = 20 * time.Second

// maxAddress is the maximum length of an address at an EHR, in bytes. The registry's own search for
// all codes of the mapping takes about 2,000 bytes.
const maxAddress = 16 << 10

// outbound is an HTTP client for one EHR. It connects only to the EHR's hosts, with the checks of
// package dial. It doesn't follow redirects.
type outbound struct {
	hosts     []string // host[:port]
	loopback  bool
	transport *http.Transport
	within    time.Duration // the time limit for a call and its whole response
}

// newOutbound returns the HTTP client for one EHR. The argument hosts lists the issuer's host and
// the other hosts that the EHR may use. Each is a host, or a host and a port (host:port). A host
// without a port stands for the scheme's default port.
func newOutbound(settings Settings, hosts []string) *outbound {
	o := &outbound{hosts: hosts, loopback: settings.Loopback, within: callWithin}
	o.transport = dial.Networks{Loopback: settings.Loopback, Private: settings.Networks}.Transport()
	o.transport.MaxConnsPerHost = 4
	return o
}

// permitted parses an address that an EHR gave, and returns it if the service may call it or send
// the browser there (M9). The address must be absolute, be on one of the EHR's hosts, and have no
// userinfo and no fragment. It must use https, or http on this machine for development. For any
// other address, permitted returns ErrUpstream.
func (o *outbound) permitted(raw string) (*url.URL, error) {
	if len(raw) > maxAddress || strings.ContainsFunc(raw, unfitForAddress) {
		return nil, errAddress
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil, u.Opaque != "", u.User != nil, u.Host == "", strings.HasSuffix(u.Host, ":"):
		return nil, errAddress
	case u.Scheme == "https", u.Scheme == "http" && o.loopback && dial.IsLoopbackName(u.Hostname()):
	default:
		return nil, errScheme
	}
	for _, host := range o.hosts {
		if authority(u.Scheme, host) == authority(u.Scheme, u.Host) {
			return u, nil
		}
	}
	return nil, errHost
}

// unfitForAddress reports whether a character is one that never occurs in a valid address, or one
// that browsers parse differently from this package.
func unfitForAddress(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' || r == '#' }

// authority returns a host with its port, as host:port in lower case. If the host has no port,
// authority adds the scheme's default port.
func authority(scheme, host string) string {
	u := url.URL{Host: strings.ToLower(host)}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// get sends one GET request to the address raw and returns the response, whatever its status. It
// doesn't follow redirects but returns them. The argument bearer is the token, or "" for a request
// without a token. get fails if the body is larger than max bytes after decompression. Its errors
// are ErrUpstream or ErrSlow, and quote nothing from the EHR.
func (o *outbound) get(ctx context.Context, raw, accept, bearer string, max int64) (
	status int, header http.Header, body []byte, err error,
) {
	u, err := o.permitted(raw)
	if err != nil {
		return 0, nil, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return 0, nil, nil, errAddress
	}
	req.Header.Set("Accept", accept)
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	resp, err := o.client(max).Do(req)
	if err != nil {
		return 0, nil, nil, failure(err)
	}
	defer resp.Body.Close()
	if body, err = io.ReadAll(resp.Body); err != nil {
		return 0, nil, nil, failure(err)
	}
	return resp.StatusCode, resp.Header, body, nil
}

// client returns an HTTP client for get and for golang.org/x/oauth2. The client refuses a response
// larger than max bytes. Its errors may quote addresses, so callers must pass them through the
// function failure.
func (o *outbound) client(max int64) *http.Client {
	return &http.Client{
		Transport:     gate{o, max},
		Timeout:       o.within,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// gate is the transport that checks every request to an EHR, including requests that
// golang.org/x/oauth2 makes.
type gate struct {
	out *outbound
	max int64
}

// RoundTrip sends one request if its address is permitted, and limits the size of the response.
func (g gate) RoundTrip(req *http.Request) (*http.Response, error) {
	if _, err := g.out.permitted(req.URL.String()); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	resp, err := g.out.transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, g.max) // fails with a MaxBytesError, which failure knows
	return resp, nil
}
