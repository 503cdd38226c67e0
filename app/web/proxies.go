package web

import (
	"net"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"
)

// peerOf returns the IP address at the other end of the connection, or nil if it isn't known.
func peerOf(r *http.Request) net.IP {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return nil
	}
	return net.ParseIP(host)
}

// trusts reports whether the operator has listed this address as a trusted proxy.
func (s *Server) trusts(peer net.IP) bool {
	return slices.ContainsFunc(s.settings.TrustedProxies, func(n *net.IPNet) bool { return n.Contains(peer) })
}

// unbelieved reports whether a request has forwarding headers although its sender isn't a trusted
// proxy. Either somebody has made the headers up, or the operator hasn't listed the proxy.
func (s *Server) unbelieved(r *http.Request) bool {
	return len(r.Header.Values(echo.HeaderXForwardedFor)) > 0 && !s.trusts(peerOf(r))
}

// warnOfProxy logs a warning if a request has forwarding headers although its sender isn't a
// trusted proxy. It logs only the first such request. The warning contains neither the headers nor
// the address, because anybody can send them.
func (s *Server) warnOfProxy(r *http.Request) {
	if s.unbelieved(r) {
		s.warnedOfProxy.Do(func() {
			s.log.Warn("X-Forwarded-For came from an address that is not a trusted proxy, so it is ignored: " +
				"if there is a proxy in front, name it with --trusted-proxies; otherwise all its callers share one limit; birthregistry doctor shows whether it is named")
		})
	}
}
