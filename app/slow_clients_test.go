package app_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"birthregistry/app/apptest"
	"birthregistry/store/storetest"
)

// slowClients hold connections to a serving process in every way that costs the service
// something and the client nothing, and reopen those they lose. They run in a process of their
// own with the lowest priority, because a real attacker brings their own machine.
type slowClients struct {
	Address string
	Trust   []byte // the authority of the service's certificate; nil for plain HTTP
	Key     string // the key of some practice
	Ways    map[string]int
	// Addresses is the number of addresses the clients use evenly; 0 means one.
	Addresses int

	secure *tls.Config
	held   atomic.Int64 // held now
	opened atomic.Int64 // opened so far
}

// honest is the address of a client that must be served in the meantime. The loopback network
// has as many addresses as a test needs.
const honest = "127.0.0.2"

// from returns the address of the nth client.
func (g *slowClients) from(n int) string { return fmt.Sprintf("127.0.1.%d", n%max(g.Addresses, 1)+1) }

const slowClientsVariable = "REGISTRY_SLOW_CLIENTS"

func TestMain(m *testing.M) {
	if order := os.Getenv(slowClientsVariable); order != "" {
		runSlowClients(order)
	}
	storetest.ManyAtOnce()
	os.Exit(m.Run())
}

// startSlowClients starts the clients in a process of their own, which runs until the end of
// the test; report returns the last line that it printed.
func startSlowClients(t *testing.T, g *slowClients) (report func() string) {
	t.Helper()
	order, err := json.Marshal(g)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), slowClientsVariable+"="+string(order))
	var output apptest.Log
	cmd.Stdout, cmd.Stderr = &output, &output
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	report = func() string {
		lines := strings.Split(strings.TrimSpace(output.String()), "\n")
		return lines[len(lines)-1]
	}
	require.Eventually(t, func() bool { return strings.HasPrefix(report(), "held") }, patience, 10*time.Millisecond, &output)
	return report
}

// runSlowClients is the body of that process, which runs until it is killed.
func runSlowClients(order string) {
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, 19)
	var g slowClients
	if err := json.Unmarshal([]byte(order), &g); err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
	if g.Trust != nil {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(g.Trust)
		g.secure = &tls.Config{RootCAs: pool, ServerName: "127.0.0.1"}
	}
	for way, n := range g.Ways {
		for n := range n {
			go func() {
				for {
					if conn, err := dialFrom(g.from(n), g.Address); err == nil {
						g.opened.Add(1)
						g.held.Add(1)
						_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) // little room for data that it doesn't read
						g.hold(way, conn)
						_ = conn.Close()
						g.held.Add(-1)
					}
					time.Sleep(time.Second)
				}
			}()
		}
	}
	for {
		fmt.Printf("held %d of %d opened\n", g.held.Load(), g.opened.Load())
		time.Sleep(200 * time.Millisecond)
	}
}

// dialFrom connects from an address of this machine.
func dialFrom(from, to string) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 5 * time.Second}
	return d.Dial("tcp", to)
}

// The ways to hold a connection.
const (
	mute          = "says nothing"
	idleKept      = "idle after an answer"
	deaf          = "asks and never reads"
	slowBody      = "a byte of a body a second"
	slowHead      = "headers without an end"
	unreadStreams = "a hundred streams that nobody reads"
	slowFrames    = "header frames without an end"
)

// hold holds a connection in one of the ways until it is lost.
func (g *slowClients) hold(way string, raw net.Conn) {
	if way == mute {
		_, _ = io.Copy(io.Discard, raw)
		return
	}
	protocol := "http/1.1"
	if way == unreadStreams || way == slowFrames {
		protocol = "h2"
	}
	conn := g.shaken(raw, protocol)
	if conn == nil {
		return
	}
	head := "POST " + apptest.BundlePath + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + g.Key + "\r\n"
	switch way {
	case idleKept:
		_, _ = io.WriteString(conn, "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
		_, _ = io.Copy(io.Discard, conn)
	case deaf: // more than any buffer holds
		trickle(conn, strings.Repeat("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n", 100), "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
	case slowBody:
		trickle(conn, head+"Content-Length: 100000\r\n\r\n", "{")
	case slowHead:
		trickle(conn, head+"X-Slow: ", "x")
	case unreadStreams:
		trickle(conn, unread(32), "\x00\x00\x08\x06\x00\x00\x00\x00\x00pingping")
	case slowFrames:
		trickle(conn, endless(), "")
	}
}

// shaken returns a connection after the handshake of the service's protocol, or nil if it was
// lost.
func (g *slowClients) shaken(raw net.Conn, protocol string) net.Conn {
	if g.secure == nil {
		return raw
	}
	config := g.secure.Clone()
	config.NextProtos = []string{protocol}
	conn := tls.Client(raw, config)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if conn.HandshakeContext(ctx) != nil {
		return nil
	}
	return conn
}

// trickle sends a beginning, then a little more every second, and reads nothing. It returns
// when the connection is lost. If the other end doesn't read either, the connection still
// stands.
func trickle(conn net.Conn, beginning, again string) {
	_, err := io.WriteString(conn, beginning)
	for err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		time.Sleep(time.Second)
		if err == nil {
			_ = conn.SetWriteDeadline(time.Now().Add(time.Minute))
			_, err = io.WriteString(conn, again)
		}
	}
}

// unread returns the bytes of an HTTP/2 client that sends this many requests and leaves no
// room for a byte of any answer.
func unread(n int) string {
	var b bytes.Buffer
	b.WriteString(http2.ClientPreface)
	f := http2.NewFramer(&b, nil)
	_ = f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	var head bytes.Buffer
	names := hpack.NewEncoder(&head)
	for i := range n {
		head.Reset()
		for _, field := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "x"}, {":path", "/openapi.json"}} {
			_ = names.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
		}
		_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: uint32(2*i + 1), BlockFragment: head.Bytes(), EndStream: true, EndHeaders: true})
	}
	return b.String()
}

// endless returns the bytes of an HTTP/2 client that starts its headers and never ends them.
func endless() string {
	var b bytes.Buffer
	b.WriteString(http2.ClientPreface)
	f := http2.NewFramer(&b, nil)
	_ = f.WriteSettings()
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x82}, EndStream: true})
	return b.String()
}

// trust returns the authority's certificate as PEM.
func (a authority) trust() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}
