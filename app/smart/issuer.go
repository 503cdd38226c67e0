package smart

import (
	"errors"
	"net"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"birthregistry/app/dial"
	"birthregistry/store"
)

// ErrBadIssuer means that an address can't be an issuer.
var ErrBadIssuer = errors.New("smart: an issuer is the EHR's FHIR base URL, such as https://ehr.example.org/fhir/r4: " +
	"https (http for this machine only), no user, no query, no fragment, no percent signs, no empty or dotted path segments")

// maxIssuer is the largest length of an issuer in bytes.
const maxIssuer = 2048

// plainHost is a host name or IPv4 address, or an IPv6 address without its
// brackets, in lower case.
var plainHost = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|[0-9a-f:.]*:[0-9a-f:.]*)$`)

// plainPath is a path in which no character needs escaping.
var plainPath = regexp.MustCompile(`^(?:/[A-Za-z0-9._~!$&'()*+,;=:@-]+)*$`)

// NormalIssuer returns an issuer in the form in which issuers are compared (decision 45): scheme
// and host are in lower case, and the scheme's default port and one trailing slash are removed. The
// rest is unchanged, because paths are case-sensitive. NormalIssuer refuses an address that could
// be read in two ways (ErrBadIssuer), so that two addresses with the same normal form always mean
// the same server.
func NormalIssuer(raw string) (string, error) {
	if len(raw) > maxIssuer || strings.ContainsAny(raw, "?#%\\") || strings.ContainsFunc(raw, unfitForAddress) {
		return "", ErrBadIssuer
	}
	u, err := url.Parse(raw)
	if err != nil || u.User != nil || u.Opaque != "" || strings.Contains(u.Host, "@") {
		return "", ErrBadIssuer
	}
	name, port := strings.ToLower(u.Hostname()), u.Port()
	if !plainHost.MatchString(name) || strings.HasSuffix(u.Host, ":") || !plainPort(port) {
		return "", ErrBadIssuer
	}
	switch {
	case u.Scheme == "https":
	case u.Scheme == "http" && dial.IsLoopbackName(name):
	default:
		return "", ErrBadIssuer
	}
	if port == map[string]string{"https": "443", "http": "80"}[u.Scheme] {
		port = ""
	}
	below := strings.TrimSuffix(u.Path, "/")
	if !plainPath.MatchString(below) || below != "" && path.Clean(below) != below {
		return "", ErrBadIssuer
	}
	return u.Scheme + "://" + strings.TrimSuffix(net.JoinHostPort(name, port), ":") + below, nil
}

func plainPort(port string) bool {
	n, err := strconv.Atoi(port)
	return port == "" || err == nil && n > 0 && n < 1<<16 && strconv.Itoa(n) == port
}

// issuerHost returns host[:port] of an issuer in its normal form.
func issuerHost(issuer string) string {
	_, rest, _ := strings.Cut(issuer, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// configured reports whether the service is registered with any EHR.
func configured(all []store.EHR) bool {
	return slices.ContainsFunc(all, func(e store.EHR) bool { return e.ClientID != "" })
}

// listed returns the EHR that an iss names. The normal forms of the iss and the listed issuer must
// be equal: a prefix, a suffix or a look-alike doesn't match. It makes no network call, not even a
// name lookup. Errors are ErrNotConfigured, ErrMalformed and ErrUnlisted.
func listed(all []store.EHR, iss string, loopback bool) (store.EHR, error) {
	normal, err := NormalIssuer(iss)
	if err != nil {
		return store.EHR{}, ErrMalformed
	}
	for _, e := range all {
		switch {
		case e.Issuer != normal:
		case strings.HasPrefix(normal, "http:") && !loopback:
			return store.EHR{}, ErrUnlisted // http is for development only, with serve --ehr-loopback
		case e.ClientID == "":
			return store.EHR{}, ErrNotConfigured
		default:
			return e, nil
		}
	}
	return store.EHR{}, ErrUnlisted
}

// out returns the outbound client for an EHR.
func (s *Service) out(e store.EHR) *outbound {
	return newOutbound(s.settings, append([]string{issuerHost(e.Issuer)}, e.Hosts...))
}
