// Package dial makes connections to addresses that people outside the program choose, such as the
// addresses of EHRs, identity providers and webhook receivers. It checks the resolved address while
// it makes the connection, so an attacker gains nothing from a name that resolves differently the
// second time. It verifies certificates. It ignores proxies that the environment configures,
// because then it could check only the proxy's address.
package dial

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"syscall"
	"time"
)

// ConnectWithin is the time limit for connecting. HeaderWithin is the time limit for receiving the
// header of the response. idleFor is how long an unused connection stays open after a call.
const (
	ConnectWithin = 5 * time.Second
	HeaderWithin  = 10 * time.Second
	idleFor       = 20 * time.Second
)

// Networks lists the networks to which connections may lead, in addition to the public internet.
type Networks struct {
	// Loopback allows connections to this machine, for development.
	Loopback bool
	// Private lists private networks to which the operator allows connections.
	Private []netip.Prefix
}

// Transport returns a transport that connects only to reachable addresses (see Reachable).
func (n Networks) Transport() *http.Transport {
	dialer := &net.Dialer{Timeout: ConnectWithin, Control: n.control}
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    ConnectWithin,
		ResponseHeaderTimeout:  HeaderWithin,
		MaxResponseHeaderBytes: 64 << 10,
		IdleConnTimeout:        idleFor, // nothing closes it, so idle connections end by themselves
	}
}

// control returns ErrForbidden if no connection may lead to the address, which has the form
// ip:port. The dialer calls control after it has resolved a name and before it connects.
func (n Networks) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !n.Reachable(to.Addr()) {
		return ErrForbidden
	}
	return nil
}

// Reachable reports whether a connection may lead to addr: on the public internet, on this
// machine in development, or in a private network that the operator named. Link-local
// addresses, where clouds serve their credentials, and multicast groups are never reachable.
func (n Networks) Reachable(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	switch {
	case !addr.IsValid(), addr.IsUnspecified(), addr.IsMulticast(), addr.IsLinkLocalUnicast():
		return false
	case addr.IsLoopback():
		return n.Loopback
	}
	within := func(p netip.Prefix) bool { return p.Contains(addr) }
	if slices.ContainsFunc(n.Private, within) {
		return true
	}
	return slices.ContainsFunc(public, within) && !slices.ContainsFunc(special, within)
}

// A public address is in one of the ranges in public, but in none of the ranges in special. The
// ranges in special are from the IANA registries of special addresses (RFC 6890). 6to4 and Teredo
// are among them because their addresses contain an IPv4 address, which nothing would check.
var (
	public  = prefixes("0.0.0.0/0", "2000::/3")
	special = prefixes(
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
		"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
		"198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
	)
)

func prefixes(texts ...string) []netip.Prefix {
	all := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		all[i] = netip.MustParsePrefix(text)
	}
	return all
}

// IsLoopbackName reports whether host is "localhost" or a loopback address.
func IsLoopbackName(host string) bool {
	addr, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// These are the reasons why a call failed. Their texts quote nothing from the call, so they contain
// no address.
var (
	// ErrForbidden means that no connection may lead to the address (Networks.Reachable). It is
	// returned before the first packet is sent.
	ErrForbidden   = errors.New("dial: the name leads to a private address")
	ErrSlow        = errors.New("dial: the answer took too long")
	ErrUnknownName = errors.New("dial: the name cannot be resolved")
	ErrCertificate = errors.New("dial: the certificate cannot be verified")
	ErrConnection  = errors.New("dial: the connection failed")
)

// Fix returns what an operator can do about a reason, or "" if that is not known.
func Fix(reason error) string {
	switch {
	case errors.Is(reason, ErrSlow):
		return "try again; if it stays so, ask whoever runs that server"
	case errors.Is(reason, ErrUnknownName):
		return "compare the name letter by letter with the one you were given; if it is right, check that this machine resolves names: getent hosts NAME"
	case errors.Is(reason, ErrCertificate):
		return "compare the address with the one you were given; if its certificate comes from an authority of its own, add that to the trusted authorities of this machine"
	case errors.Is(reason, ErrConnection):
		return "let this machine connect to it directly (firewall): a proxy in the environment is not used"
	}
	return ""
}

// Reason returns the reason why a call failed, or context.Canceled if the caller canceled it. The
// errors of net/http contain addresses, but a reason does not.
func Reason(err error) error {
	var (
		timeout interface{ Timeout() bool }
		name    *net.DNSError
		cert    *tls.CertificateVerificationError
		speech  tls.RecordHeaderError
	)
	switch {
	case errors.Is(err, ErrForbidden):
		return ErrForbidden
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return ErrSlow
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.As(err, &name):
		return ErrUnknownName
	case errors.As(err, &cert), errors.As(err, &speech):
		return ErrCertificate
	}
	return ErrConnection
}
