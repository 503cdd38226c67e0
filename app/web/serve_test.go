package web

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
	"birthregistry/assets"
)

// pipes is a listener without a network, for a test with its own clock.
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

// serving runs a server in a bubble until stop is called or the test ends.
func serving(t *testing.T) (l *pipes, key string, stop func() error) {
	s := newInstallation(t, Defaults())
	l = newPipes()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l, nil) }()
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

func TestAPeerThatDoesNotSendItsBodyIsAnsweredAtOnceAndDisconnected(t *testing.T) {
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
		require.LessOrEqual(t, time.Since(began), patience+time.Second)
		require.NoError(t, stop())
	})
}

// sending begins a request with a body of n bytes.
func sending(t *testing.T, conn net.Conn, key string, n int) {
	say(t, conn, "POST /api/registry/fhir/Bundle HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+key+
		"\r\nContent-Length: "+strconv.Itoa(n)+"\r\n\r\n")
}

// RL-10.
func TestABodyThatStopsOrTricklesIsAbandonedAndAnswered(t *testing.T) {
	for what, pause := range map[string]time.Duration{"stops": time.Hour, "trickles": time.Second} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, key, stop := serving(t)
				conn, began := l.dial(), time.Now()
				sending(t, conn, key, 1000)
				go func() {
					for range 1000 {
						if _, err := io.WriteString(conn, " "); err != nil {
							return
						}
						time.Sleep(pause)
					}
				}()
				answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
				require.NoError(t, err)
				require.Equal(t, 400, answer.StatusCode)
				body, err := io.ReadAll(answer.Body)
				require.NoError(t, err)
				require.Contains(t, string(body), fhir.BodyUnread.Name)
				require.InDelta(t, patience, time.Since(began), float64(time.Second))
				require.NoError(t, conn.Close())
				require.NoError(t, stop())
				time.Sleep(2 * time.Hour) // until the writer has noticed
			})
		})
	}
}

func TestABodyThatArrivesSteadilyMayTakeAsLongAsItLikes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, key, stop := serving(t)
		conn, began := l.dial(), time.Now()
		const pieces = 100
		sending(t, conn, key, pieces*step)
		for range pieces { // a little faster than the limit
			say(t, conn, strings.Repeat(" ", step))
			time.Sleep(patience - time.Second)
		}
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Contains(t, string(body), fhir.NotJSON.Name, "it was read to its end")
		require.Greater(t, time.Since(began), 20*time.Minute)
		require.NoError(t, conn.Close())
		require.NoError(t, stop())
	})
}

// RL-10. A pipe has no buffer, so a write waits until its bytes are read.
func TestAnAnswerThatIsReadTooSlowlyOrNotAtAllIsCutOff(t *testing.T) {
	for what, pause := range map[string]time.Duration{"not read": time.Hour, "trickled": time.Second} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, _, stop := serving(t)
				conn, began := l.dial(), time.Now()
				say(t, conn, "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n")
				read := 0
				for one := make([]byte, 1); ; read++ {
					if _, err := conn.Read(one); err != nil {
						break
					}
					if pause == time.Hour {
						time.Sleep(patience + time.Second)
						continue
					}
					time.Sleep(pause)
				}
				require.Less(t, time.Since(began), 2*patience)
				require.Less(t, read, 5000)
				require.NoError(t, conn.Close())
				require.NoError(t, stop())
			})
		})
	}
}

func TestAnAnswerThatIsReadSteadilyMayTakeAsLongAsItLikes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, _, stop := serving(t)
		conn, began := l.dial(), time.Now()
		say(t, conn, "GET /openapi.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		read := 0
		for piece := make([]byte, 2*step); ; {
			n, err := io.ReadFull(conn, piece)
			read += n
			if err != nil {
				break
			}
			time.Sleep(patience - time.Second)
		}
		require.Greater(t, read, len(assets.OpenAPI))
		require.Greater(t, time.Since(began), 3*patience)
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

func TestStoppingWaitsForNobodyForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, key, stop := serving(t)
		conn := l.dial()
		sending(t, conn, key, 100)
		synctest.Wait()
		began := time.Now()
		require.NoError(t, stop(), "an orderly stop is no failure")
		require.InDelta(t, stopTimeout, time.Since(began), float64(time.Second))
		_, _ = io.Copy(io.Discard, conn)
	})
}
