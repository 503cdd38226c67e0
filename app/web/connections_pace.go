package web

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/fhir"
)

// exchange is a request and its answer. It has a slot of its own, since behind a
// proxy, and over HTTP/2, one connection carries the requests of many; and it holds
// the peer to its pace.
type exchange struct {
	request *slot
	conn    *slot // of its connection; nil without a network
	control *http.ResponseController
	streams bool // HTTP/2: it is one stream of its connection
	// patience is how long the peer has for a step of the answer.
	patience time.Duration
	body     *pacedBody // nil without one

	mu   sync.Mutex
	over bool
}

type connKey struct{}

// inConn has requests know their connection; an http.Server's ConnContext.
func inConn(ctx context.Context, c net.Conn) context.Context {
	if secure, is := c.(*tls.Conn); is {
		c = secure.NetConn()
	}
	return context.WithValue(ctx, connKey{}, c)
}

// attend takes a slot for a request, by the address that it came for, and paces
// its body and its answer until it is left. Where there is no room, it returns
// fhir.Busy.
func (s *Server) attend(c echo.Context) (*exchange, error) {
	r, w := c.Request(), c.Response()
	x := &exchange{control: http.NewResponseController(w.Writer), streams: r.ProtoMajor == 2, patience: patience}
	drop := x.cancel
	if conn, is := r.Context().Value(connKey{}).(*conn); is {
		x.conn = conn.slot
		x.conn.renew()
		if !x.streams {
			drop = conn.reset
		}
	}
	peer := c.RealIP()
	x.request = s.requests.slot(auth.Network(peer), s.trusts(net.ParseIP(peer)), drop)
	x.work(1)
	if r.Body != nil && r.Body != http.NoBody {
		x.body = &pacedBody{ReadCloser: r.Body, exchange: x}
		r.Body = x.body
	}
	w.Writer = &pacedWriter{w.Writer, x}
	if !x.request.take() {
		x.patience = refusedPatience // it holds no slot: who does not read that is not waited for
		return x, fhir.Busy
	}
	return x, nil
}

// work notes that so much more, or less, is done without waiting for the peer.
func (x *exchange) work(n int32) {
	x.request.working.Add(n)
	if x.conn != nil {
		x.conn.working.Add(n)
	}
}

// cancel ends one stream of a connection, from wherever.
func (x *exchange) cancel() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over {
		past := time.Unix(1, 0)
		_ = errors.Join(x.control.SetReadDeadline(past), x.control.SetWriteDeadline(past)) // it is gone already
	}
}

// leave gives the slot back, once what was answered has gone out: a stream that
// nobody reads is held up by its last bytes as by any others.
func (x *exchange) leave(c echo.Context) {
	if x.streams {
		_ = c.Response().Writer.(*pacedWriter).FlushError() // its peer is gone
	} else if x.body != nil {
		x.body.end()
	}
	x.mu.Lock()
	x.over = true
	x.mu.Unlock()
	x.work(-1)
	x.request.leave()
	if x.conn != nil {
		x.conn.renew()
	}
}

// pacedBody is a body whose peer has patience for each step of it.
type pacedBody struct {
	io.ReadCloser
	exchange *exchange
	left     int   // bytes of this step
	failed   error // what it ended with
}

func (b *pacedBody) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	x := b.exchange
	if b.left <= 0 {
		b.left = step
		_ = x.control.SetReadDeadline(time.Now().Add(patience)) // a peer without one is a test's
	}
	x.work(-1)
	n, err := b.ReadCloser.Read(p)
	x.work(1)
	x.request.move(n)
	b.left -= n
	if b.failed = err; err == io.EOF {
		_ = x.control.SetReadDeadline(time.Time{}) // from now on the peer may listen
	}
	return n, err
}

// end bounds the reading of what is left, which the server does by itself.
func (b *pacedBody) end() {
	switch b.failed {
	case nil:
		_ = b.exchange.control.SetReadDeadline(time.Now().Add(patience))
	case io.EOF: // nothing is left
	default:
		_ = b.exchange.control.SetReadDeadline(time.Now())
	}
}

// pacedWriter is an answer whose peer has patience for each step of it. Over
// HTTP/1 that is the connection's to see to.
type pacedWriter struct {
	http.ResponseWriter
	exchange *exchange
}

func (w *pacedWriter) Write(p []byte) (n int, err error) {
	for {
		part := p[n:]
		if w.exchange.streams {
			part = part[:min(len(part), step)]
		}
		var moved int
		err = w.paced(func() error {
			moved, err = w.ResponseWriter.Write(part)
			return err
		})
		w.exchange.request.move(moved)
		if n += moved; err != nil || n >= len(p) {
			return n, err
		}
	}
}

// FlushError sends off what was written.
func (w *pacedWriter) FlushError() error { return w.paced(w.exchange.control.Flush) }

// Unwrap is for http.ResponseController.
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// paced runs what waits for the peer to read.
func (w *pacedWriter) paced(wait func() error) error {
	x := w.exchange
	if x.streams {
		_ = x.control.SetWriteDeadline(time.Now().Add(x.patience))
		defer func() { _ = x.control.SetWriteDeadline(time.Time{}) }()
	}
	x.work(-1)
	defer x.work(1)
	return wait()
}
