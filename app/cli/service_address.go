package cli

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"

	"github.com/spf13/pflag"

	"birthregistry/app/certs"
)

// These are the default addresses on which serve listens: namedListen if the service has a domain,
// and otherwise usualListen.
const (
	usualListen = "127.0.0.1:8080"
	namedListen = ":443"
)

// serviceAddress is the address at which the service answers on this machine, according to the
// settings of serve. Both health and doctor use this address. The public address depends on name
// servers, proxies and firewalls. These may fail, or be unreachable from inside a container,
// although the service is well. Only doctor also asks at the public address, as a separate check.
type serviceAddress struct {
	listen  string // "" for the default address
	baseURL string
	tls     certs.Settings
}

// serviceAddressFlags adds those flags of serve that determine where the service answers.
func serviceAddressFlags(f *pflag.FlagSet, a *serviceAddress) {
	f.StringVar(&a.listen, "listen", "", "address that serve listens on, as given to serve (default "+usualListen+", with --domain "+namedListen+")")
	f.StringVar(&a.baseURL, "base-url", "", "address under which callers reach the service, as given to serve")
	f.StringSliceVar(&a.tls.Domains, "domain", nil, "name of the service, as given to serve")
	f.StringVar(&a.tls.Cert, "tls-cert", "", "certificate chain (PEM), as given to serve")
}

// target is the destination of a request. base is the base URL of the request. dial is the
// host:port to which the client connects, or "" for the host in base.
type target struct {
	base, dial string
}

// resolve returns the target for a request to the service. It is the listening address. If serve
// listens on all interfaces, it is the loopback address. If the service has its own certificate,
// the request states the host for which the certificate is valid: the host of the base URL, or the
// first domain.
func (a serviceAddress) resolve() (target, error) {
	usual := usualListen
	if len(a.tls.Domains) > 0 {
		usual = namedListen
	}
	host, port, err := net.SplitHostPort(cmp.Or(a.listen, usual))
	if err != nil || port == "" {
		return target{}, errors.New("--listen takes an address such as " + usualListen)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	at := net.JoinHostPort(host, port)
	if !a.tls.Wanted() {
		return target{base: "http://" + at}, nil
	}
	name := at
	if u, err := url.Parse(a.baseURL); err == nil && u.Host != "" {
		name = u.Host
	} else if len(a.tls.Domains) > 0 {
		name = a.tls.Domains[0]
	}
	return target{base: "https://" + name, dial: at}, nil
}

// client returns the HTTP client for requests to the target.
func (t target) client() *http.Client {
	if t.dial == "" {
		return http.DefaultClient
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.DisableKeepAlives = true
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, t.dial)
	}
	return &http.Client{Transport: transport}
}
