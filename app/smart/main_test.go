package smart

import (
	"context"
	"net"
	"os"
	"sync/atomic"
	"testing"

	"birthregistry/store/storetest"
)

type dialNameServer func(ctx context.Context, network, address string) (net.Conn, error)

// nameServer dials the name server of the test that runs, or is nil for the machine's own.
var nameServer atomic.Pointer[dialNameServer]

// TestMain sets the resolver once, because connections that a test has begun may still read it while
// the next test runs.
func TestMain(m *testing.M) {
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		if dial := nameServer.Load(); dial != nil {
			return (*dial)(ctx, network, address)
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	os.Exit(storetest.OffTheDisk(m))
}

// asks makes this process ask another name server for as long as the test runs.
func asks(t *testing.T, dial dialNameServer) {
	nameServer.Store(&dial)
	t.Cleanup(func() { nameServer.Store(nil) })
}
