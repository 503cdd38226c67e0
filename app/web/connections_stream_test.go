package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// streamed is a client with one HTTP/2 connection that sends only what a test tells it to.
type streamed struct {
	t *testing.T
	*http2.Framer
	conn  *tls.Conn
	head  bytes.Buffer
	hpack *hpack.Encoder
}

// streaming connects to a server that speaks TLS, with a window of this many bytes that the
// client doesn't read.
func streaming(t *testing.T, l *pipes, trust *x509.CertPool, window uint32) *streamed {
	conn := tls.Client(l.dial(), &tls.Config{RootCAs: trust, ServerName: "example.com", NextProtos: []string{"h2"}})
	_, err := io.WriteString(conn, http2.ClientPreface)
	require.NoError(t, err)
	s := &streamed{t: t, conn: conn, Framer: http2.NewFramer(conn, conn)}
	s.hpack, s.ReadMetaHeaders = hpack.NewEncoder(&s.head), hpack.NewDecoder(4096, nil)
	require.NoError(t, s.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: window}))
	return s
}

// ask begins a request on a stream.
func (s *streamed) ask(stream uint32, method, path string, end bool, headers ...string) {
	s.t.Helper()
	s.head.Reset()
	fields := append([]string{":method", method, ":scheme", "https", ":authority", "x", ":path", path}, headers...)
	for n := 0; n < len(fields); n += 2 {
		require.NoError(s.t, s.hpack.WriteField(hpack.HeaderField{Name: fields[n], Value: fields[n+1]}))
	}
	require.NoError(s.t, s.WriteHeaders(http2.HeadersFrameParam{
		StreamID: stream, BlockFragment: s.head.Bytes(), EndStream: end, EndHeaders: true,
	}))
}

// until reads frames up to the first of a kind on a stream, and returns it.
func until[F http2.Frame](s *streamed, stream uint32) F {
	s.t.Helper()
	for {
		frame, err := s.ReadFrame()
		require.NoError(s.t, err)
		if found, is := frame.(F); is && frame.Header().StreamID == stream {
			return found
		}
	}
}

// servingStreams runs a server that speaks TLS in a bubble.
func servingStreams(t *testing.T, with func(s installation, l *pipes, trust *x509.CertPool, stop func())) {
	borrowed := httptest.NewTLSServer(nil)
	defer borrowed.Close()
	config := &tls.Config{Certificates: borrowed.TLS.Certificates, NextProtos: []string{"h2"}}
	trust := x509.NewCertPool()
	trust.AddCert(borrowed.Certificate())
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(borrowed.Certificate().NotBefore.Add(time.Hour)))
		s, l := newInstallation(t, Defaults()), newPipes()
		ctx, cancel := context.WithCancel(context.Background())
		served := make(chan error, 1)
		go func() { served <- s.Serve(ctx, l, config) }()
		with(s, l, trust, func() {
			cancel()
			require.NoError(t, <-served)
			synctest.Wait()
		})
	})
}

// RL-10 applies to streams as well as to connections.
func TestAStreamThatNobodyReadsIsClosedAndTheOthersContinue(t *testing.T) {
	servingStreams(t, func(s installation, l *pipes, trust *x509.CertPool, stop func()) {
		c, began := streaming(t, l, trust, 0), time.Now()
		c.ask(1, "GET", "/openapi.json", true)
		until[*http2.MetaHeadersFrame](c, 1)
		until[*http2.RSTStreamFrame](c, 1)
		require.InDelta(t, patience, time.Since(began), float64(time.Second))
		c.ask(3, "GET", "/health/live", true) // an answer of a few bytes is treated the same
		until[*http2.MetaHeadersFrame](c, 3)
		until[*http2.RSTStreamFrame](c, 3)
		require.InDelta(t, 2*patience, time.Since(began), float64(2*time.Second))
		c.ask(5, "GET", "/health/live", true)
		until[*http2.MetaHeadersFrame](c, 5)
		require.NoError(t, c.WriteWindowUpdate(5, 1000))
		require.Equal(t, `{"status":"pass"}`, string(until[*http2.DataFrame](c, 5).Data()))
		require.NoError(t, c.conn.Close())
		stop()
		require.Zero(t, s.requests.all)
		require.Zero(t, s.conns.all)
	})
}

func TestAStreamWhoseBodyDoesNotArriveIsAnsweredAndTheOthersContinue(t *testing.T) {
	servingStreams(t, func(s installation, l *pipes, trust *x509.CertPool, stop func()) {
		c, began := streaming(t, l, trust, 1<<16), time.Now()
		c.ask(1, "POST", "/api/registry/fhir/Bundle", false, "authorization", "Bearer "+s.key, "content-length", "1000")
		require.NoError(t, c.WriteData(1, false, []byte("{")))
		until[*http2.MetaHeadersFrame](c, 1)
		require.InDelta(t, patience, time.Since(began), float64(time.Second))
		require.Contains(t, string(until[*http2.DataFrame](c, 1).Data()), "OperationOutcome")
		c.ask(3, "GET", "/health/live", true)
		until[*http2.MetaHeadersFrame](c, 3)
		require.NoError(t, c.conn.Close())
		stop()
		require.Zero(t, s.requests.all)
	})
}

func TestOnlyOneStreamLosesItsSlotWhenItsNetworkHasItsShare(t *testing.T) {
	servingStreams(t, func(s installation, l *pipes, trust *x509.CertPool, stop func()) {
		s.requests.share = 2
		c := streaming(t, l, trust, 0)
		c.ask(1, "GET", "/openapi.json", true)
		until[*http2.MetaHeadersFrame](c, 1)
		time.Sleep(time.Second)
		c.ask(3, "GET", "/openapi.json", true)
		until[*http2.MetaHeadersFrame](c, 3)
		time.Sleep(stay)
		began := time.Now()
		c.ask(5, "GET", "/openapi.json", true)
		until[*http2.RSTStreamFrame](c, 1)
		require.Less(t, time.Since(began), time.Second, "the one that was not read for longest")
		c.ask(7, "GET", "/openapi.json", true)
		until[*http2.RSTStreamFrame](c, 3)
		c.ask(9, "GET", "/openapi.json", true)
		require.Equal(t, "503", until[*http2.MetaHeadersFrame](c, 9).PseudoValue("status"))
		until[*http2.RSTStreamFrame](c, 9)
		require.Less(t, time.Since(began), time.Second, "a refusal that is not read is not waited for")
		require.NoError(t, c.conn.Close())
		stop()
	})
}
