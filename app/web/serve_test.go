package web

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
)

// pipes is a listener without a network, for a test on a clock of its own.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) dial() net.Conn {
	here, there := net.Pipe()
	p.conns <- there
	return here
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// serving runs a server in a bubble until stop is called, or the test ends.
func serving(t *testing.T) (l *pipes, key string, stop func() error) {
	s := newSite(t, Defaults())
	l = newPipes()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-served
	})
	t.Cleanup(func() { _ = stop() })
	return l, s.key, stop
}

func say(t *testing.T, conn net.Conn, text string) {
	t.Helper()
	_, err := io.WriteString(conn, text)
	require.NoError(t, err)
}

func TestAPeerThatDoesNotSendItsBodyIsAnsweredAtOnceAndLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _, stop := serving(t)
		conn, began := l.dial(), time.Now()
		say(t, conn, "POST /api/registry/fhir/Bundle HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n")
		from := bufio.NewReader(conn)
		answer, err := http.ReadResponse(from, nil)
		require.NoError(t, err)
		require.Equal(t, 401, answer.StatusCode)
		require.True(t, answer.Close)
		require.Less(t, time.Since(began), time.Second)
		_, err = io.Copy(io.Discard, from)
		require.NoError(t, err)
		require.LessOrEqual(t, time.Since(began), bodyTimeout+time.Second)
		require.NoError(t, stop())
	})
}

func TestABodyMayTakeTwoMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, key, stop := serving(t)
		conn, began := l.dial(), time.Now()
		say(t, conn, "POST /api/registry/fhir/Bundle HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+key+"\r\nContent-Length: 100\r\n\r\n{")
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		require.Equal(t, 400, answer.StatusCode)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Contains(t, string(body), fhir.BodyUnread.Name)
		require.InDelta(t, bodyTimeout, time.Since(began), float64(time.Second))
		require.NoError(t, conn.Close())
		require.NoError(t, stop())
	})
}

func TestHeadersMayTakeTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _, stop := serving(t)
		conn, began := l.dial(), time.Now()
		say(t, conn, "GET /health/json HTTP/1.1\r\nHost:")
		_, err := io.Copy(io.Discard, conn)
		require.NoError(t, err)
		require.LessOrEqual(t, time.Since(began), headerTimeout+time.Second)
		require.NoError(t, stop())
	})
}

func TestStoppingWaitsForNobodyForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, key, stop := serving(t)
		conn := l.dial()
		say(t, conn, "POST /api/registry/fhir/Bundle HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+key+"\r\nContent-Length: 100\r\n\r\n{")
		synctest.Wait()
		began := time.Now()
		require.NoError(t, stop(), "an orderly stop is no failure")
		require.InDelta(t, stopTimeout, time.Since(began), float64(time.Second))
		_, _ = io.Copy(io.Discard, conn)
	})
}
