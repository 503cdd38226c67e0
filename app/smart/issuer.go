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

// ErrBadIssuer means that an address can't be the issuer of an EHR.
var ErrBadIssuer = errors.New("smart: an issuer is the EHR's FHIR base URL, such as https://ehr.example.org/fhir/r4: " +
	"https (http for this machine only), no user, no query, no fragment, no percent signs, no empty or dotted path segments")

// maxIssuer is the maximum length of an issuer in bytes.
const maxIssuer = 2048

// plainHost matches a host name, an IPv4 address, or an IPv6 address without its brackets. Letters
// must be in lower case.
var plainHost = regexp.MustCompile(`^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|[0-9a-f:.]*:[0-9a-f:.]*)$`)

// plainPath matches a path in which no character needs escaping.
var plainPath = regexp.MustCompile(`^(?:/[A-Za-z0-9._~!$&'()*+,;=:@-]+)*$`)

// NormalIssuer returns an issuer in the form in which issuers are compared (decision 45). It puts
// the scheme and the host into lower case and removes the scheme's default port and one trailing
// slash. It doesn't change the rest, because paths are case-sensitive. NormalIssuer returns
// ErrBadIssuer for an address that could be read in two ways. Two addresses with the same normal
// form therefore always mean the same server.
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

// issuerHost returns the host of an issuer, with its port if it has one. The issuer must be in its
// normal form.
func issuerHost(issuer string) string {
	_, rest, _ := strings.Cut(issuer, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// configured reports whether the service is registered with any EHR.
func configured(all []store.EHR) bool {
	return slices.ContainsFunc(all, func(e store.EHR) bool { return e.ClientID != "" })
}

// listed returns the EHR whose listed issuer equals iss. It compares the normal forms, so a prefix,
// a suffix or a look-alike doesn't match. It makes no network call, not even to look up a name. Its
// errors are ErrNotConfigured, ErrMalformed and ErrUnlisted.
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

// out returns an HTTP client that can reach only the hosts of one EHR.
func (s *Service) out(e store.EHR) *outbound {
	return newOutbound(s.settings, append([]string{issuerHost(e.Issuer)}, e.Hosts...))
}
