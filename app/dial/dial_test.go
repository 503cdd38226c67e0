package dial

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

// SSRF-3.
func TestSSRF_3_PrivateAddressesAreNotReachable(t *testing.T) {
	n := Networks{}
	for _, good := range []string{"8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1", "2606:4700::1111", "::ffff:8.8.8.8"} {
		require.True(t, n.Reachable(netip.MustParseAddr(good)), good)
	}
	for name, bad := range map[string][]string{
		"loopback":            {"127.0.0.1", "127.9.9.9", "::1"},
		"private":             {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fd00::1", "fc00::1"},
		"link-local":          {"169.254.169.254", "fe80::1", "fe80::1%eth0"},
		"CGNAT":               {"100.64.0.1", "100.127.255.255"},
		"IPv4-mapped":         {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:100.64.0.1"},
		"IPv4 inside IPv6":    {"::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:1::1"},
		"multicast":           {"224.0.0.1", "239.1.1.1", "ff02::1"},
		"nobody's":            {"0.0.0.0", "::", "0.1.2.3", "255.255.255.255", "240.0.0.1"},
		"benchmarks and docs": {"198.18.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"},
	} {
		for _, text := range bad {
			require.False(t, n.Reachable(netip.MustParseAddr(text)), "%s: %s", name, text)
		}
	}
	require.False(t, n.Reachable(netip.Addr{}))
}

func TestSSRF_3_TheOperatorOpensAPrivateNetworkButNeverLinkLocal(t *testing.T) {
	n := Networks{Private: []netip.Prefix{
		netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("127.0.0.0/8"),
	}}
	require.True(t, n.Reachable(netip.MustParseAddr("10.1.2.3")))
	require.True(t, n.Reachable(netip.MustParseAddr("::ffff:10.1.2.3")))
	for _, bad := range []string{"10.2.0.1", "169.254.169.254", "127.0.0.1", "192.168.0.1"} {
		require.False(t, n.Reachable(netip.MustParseAddr(bad)), bad)
	}
}
