package web

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"birthregistry/app/web/pages"
)

// These are the errors for a request that would change something but doesn't come from one of the
// service's own pages.
var (
	otherSite = pages.NewError(
		http.StatusForbidden, "This came from another site",
		"Nothing was changed. Open the page in the registry and send the form from there.", "/registry", "Go to the home page",
	)
	noSite = pages.NewError(
		http.StatusForbidden, "Your browser did not say where this form came from",
		"Nothing was changed. Update the browser, or use another one, and send the form again. A program has to send the header Origin with the registry's address.",
		"/registry", "Go to the home page",
	)
)

// otherName returns the error for a request to a host name that isn't the service's.
func (s *Server) otherName() *pages.Error {
	return pages.NewError(
		http.StatusForbidden, "This is not the registry's address",
		"Nothing was changed. Open the registry at its own address and send the form again. If this is its address, "+
			"the person who runs the registry has to say so: with --base-url, or by naming the proxy in front with --trusted-proxies.",
		s.settings.BaseURL+"/registry", "Open "+s.settings.BaseURL,
	)
}

// fromOwnPage returns nil if a request changes nothing or comes from one of the service's own
// pages. Otherwise it returns the page that refuses the request.
//
// A browser states in Sec-Fetch-Site or Origin which page has sent a form. A request with neither
// header comes from an old browser, or from a program, which can add a header. With DNS rebinding,
// an attacker can point their own name at this machine. The browser then states that the page is
// from the same site, but Host and Origin contain the attacker's name. An attacker controls neither
// numeric addresses nor names of this machine. A trusted proxy may change Host, but not Origin.
func (s *Server) fromOwnPage(r *http.Request) error {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions {
		return nil
	}
	origin := r.Header.Get("Origin")
	if origin == "" && r.Header.Get("Sec-Fetch-Site") == "" {
		return noSite
	}
	if s.origins.Check(r) != nil {
		return otherSite
	}
	named := origin != "" && origin != "null" // a page in an HTML sandbox has the origin "null"
	if named {
		if from, err := url.Parse(origin); err != nil || !s.isOwn(from.Host) {
			return s.otherName()
		}
	}
	if !s.isOwn(r.Host) && !(named && s.trusts(peerOf(r))) {
		return s.otherName()
	}
	return nil
}

// isOwn reports whether a host is a name of the service, or a name that nobody else can own: a
// numeric address or localhost. The host may have a port.
func (s *Server) isOwn(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if net.ParseIP(strings.Trim(host, "[]")) != nil || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	return slices.Contains(s.names, host)
}

// namesOf returns the host names under which callers reach the service.
func namesOf(settings ServerSettings) []string {
	names := slices.Clone(settings.Names)
	if u, err := url.Parse(settings.BaseURL); err == nil && u.Host != "" {
		names = append(names, strings.ToLower(u.Hostname()))
	}
	return names
}

// originsOf returns the protection against requests that a page of another site sends in a user's
// name. It trusts the service's own base URL even if a proxy changes the Host header.
func originsOf(baseURL string) *http.CrossOriginProtection {
	origins := http.NewCrossOriginProtection()
	if u, err := url.Parse(baseURL); err == nil && u.Host != "" {
		_ = origins.AddTrustedOrigin(u.Scheme + "://" + u.Host) // fails if the address isn't an origin; then no origin is trusted
	}
	return origins
}
