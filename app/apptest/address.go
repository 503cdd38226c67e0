package apptest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// FreeAddress is UnusedAddress for a test.
func FreeAddress(t testing.TB) string {
	t.Helper()
	address, err := UnusedAddress()
	require.NoError(t, err)
	return address
}

// given are the addresses that UnusedAddress has returned, so that each is returned once.
var given sync.Map

// UnusedAddress returns a loopback address on which nobody listens, with a port that the system
// doesn't give to a program that asks for any port, as other tests and all clients do. So a program
// that starts later, or is killed and started again, finds it free.
func UnusedAddress() (string, error) {
	for range 1000 {
		address := fmt.Sprintf("127.0.0.1:%d", 10_000+rand.IntN(20_000))
		if _, taken := given.LoadOrStore(address, true); taken {
			continue
		}
		if listener, err := net.Listen("tcp", address); err == nil { // otherwise it is in use
			return address, listener.Close()
		}
	}
	return "", errors.New("no port is free")
}
