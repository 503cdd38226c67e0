package smart

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// zone is the test's own name server, which this process asks instead of the machine's. Tests
// configure its answers for each name.
type zone struct {
	mu      sync.Mutex
	answers []netip.Addr
}

func (z *zone) says(addresses ...string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.answers = nil
	for _, a := range addresses {
		z.answers = append(z.answers, netip.MustParseAddr(a))
	}
}

// startZone starts a zone that lasts as long as the test.
func startZone(t *testing.T) *zone {
	t.Helper()
	z := &zone{}
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() {
		for buffer := make([]byte, 512); ; {
			n, from, err := socket.ReadFrom(buffer)
			if err != nil {
				return
			}
			if answer := z.answer(buffer[:n]); answer != nil {
				_, _ = socket.WriteTo(answer, from) // if it gets lost, the resolver asks again
			}
		}
	}()
	t.Cleanup(func() { _ = socket.Close() })
	asks(t, func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", socket.LocalAddr().String())
	})
	return z
}

// answer answers a question, or returns nil if it can't read the question.
func (z *zone) answer(question []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	m.Response, m.Additionals = true, nil
	q := m.Questions[0]
	for _, a := range z.answers {
		head := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}
		switch {
		case a.Is4() && q.Type == dnsmessage.TypeA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: a.As4()}})
		case a.Is6() && q.Type == dnsmessage.TypeAAAA:
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}})
		}
	}
	packed, err := m.Pack()
	if err != nil {
		return nil
	}
	return packed
}

// SSRF-3: the name of a listed EHR resolves to a forbidden address.
func TestSSRF_3_ANameThatLeadsToAForbiddenAddressIsNotDialed(t *testing.T) {
	var calls atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { calls.Add(1) }))
	defer server.Close()
	address := strings.Replace(server.URL, "127.0.0.1", "ehr.hospital.test", 1)
	z := startZone(t)
	reach := func(settings Settings) error {
		o := newOutbound(settings, []string{hostOf(t, address)})
		o.transport.TLSClientConfig.InsecureSkipVerify = true // the connection matters here, not the certificate
		_, _, err := fetch(o, address)
		return err
	}
	for _, bad := range [][]string{
		{"127.0.0.1"},
		{"169.254.169.254"},
		{"::1"},
		{"fd00::1"},
		{"0.0.0.0"},
		{"::"},
		{"10.0.0.1"},
		{"::ffff:127.0.0.1"},
		{"127.0.0.1", "::1"},
		{"169.254.169.254", "127.0.0.1"},
	} {
		z.says(bad...)
		require.ErrorIs(t, reach(Settings{}), errForbiddenAddress, "%v", bad)
	}
	t.Run("it led elsewhere when it was looked at", func(t *testing.T) {
		z.says("8.8.8.8")
		found, err := net.DefaultResolver.LookupHost(t.Context(), "ehr.hospital.test")
		require.NoError(t, err)
		require.Equal(t, []string{"8.8.8.8"}, found)
		z.says("127.0.0.1")
		require.ErrorIs(t, reach(Settings{}), errForbiddenAddress)
	})
	t.Run("a private network is for the operator to open, link-local is not", func(t *testing.T) {
		opened := Settings{Networks: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("169.254.0.0/16")}}
		z.says("169.254.169.254")
		require.ErrorIs(t, reach(opened), errForbiddenAddress)
		z.says("127.0.0.1")
		require.ErrorIs(t, reach(opened), errForbiddenAddress)
	})
	require.Zero(t, calls.Load())
	require.NoError(t, reach(local), "the name does lead there, where loopback is allowed")
	require.EqualValues(t, 1, calls.Load())
}
