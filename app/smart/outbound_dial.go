package smart

import (
	"net/netip"
	"slices"
	"syscall"
)

// control checks the address of a connection about to be made, after the name was
// resolved. address is ip:port.
func (o *outbound) control(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !o.reachable(to.Addr()) {
		return errForbiddenAddress
	}
	return nil
}

// reachable reports whether an EHR may be at addr: on the public internet, on this
// machine in development, or in a private network that the operator named.
// Link-local addresses, where clouds serve their credentials, and multicast groups
// are never reachable.
func (o *outbound) reachable(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	switch {
	case !addr.IsValid(), addr.IsUnspecified(), addr.IsMulticast(), addr.IsLinkLocalUnicast():
		return false
	case addr.IsLoopback():
		return o.loopback
	}
	within := func(p netip.Prefix) bool { return p.Contains(addr) }
	if slices.ContainsFunc(o.networks, within) {
		return true
	}
	return slices.ContainsFunc(public, within) && !slices.ContainsFunc(special, within)
}

// public is the unicast space; special is what the IANA registries of special addresses (RFC
// 6890) exclude from it. 6to4 and Teredo are special because they contain an IPv4 address that
// wouldn't be checked.
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
