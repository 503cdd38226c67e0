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

// exchange is a request and its answer. It has its own slot, because one connection may carry
// requests of many peers, behind a proxy or over HTTP/2. It enforces the peer's pace.
type exchange struct {
	request *slot
	conn    *slot // the slot of the connection; nil in tests without a network
	control *http.ResponseController
	streams bool // set for HTTP/2, where the exchange is one stream of a connection
	// patience is how long the peer may take to read a step of the answer.
	patience time.Duration
	body     *pacedBody // nil for a request without a body

	mu   sync.Mutex
	over bool
}

type connKey struct{}

// inConn gives requests access to their connection. It is the http.Server's ConnContext.
func inConn(ctx context.Context, c net.Conn) context.Context {
	if secure, is := c.(*tls.Conn); is {
		c = secure.NetConn()
	}
	return context.WithValue(ctx, connKey{}, c)
}

// attend takes a slot for a request, and enforces the pace of the body and the answer until leave
// is called. The slot counts against the network of the client. If no slot is free, attend returns
// fhir.Busy, together with an exchange for the answer to the refused request.
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
		x.patience = refusedPatience // it holds no slot, so the service barely waits for its peer
		return x, fhir.Busy
	}
	return x, nil
}

// work adds n to the number of tasks that run without waiting for the peer.
func (x *exchange) work(n int32) {
	x.request.working.Add(n)
	if x.conn != nil {
		x.conn.working.Add(n)
	}
}

// cancel ends the exchange, but not its connection. Any goroutine may call it.
func (x *exchange) cancel() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over {
		past := time.Unix(1, 0)
		_ = errors.Join(x.control.SetReadDeadline(past), x.control.SetWriteDeadline(past)) // fails only if the connection is closed already
	}
}

// leave ends the exchange and releases its slot. Over HTTP/2, it first waits for the peer to read
// the rest of the answer. Over HTTP/1, it first limits the time that the peer has to send the rest
// of the body.
func (x *exchange) leave(c echo.Context) {
	if x.streams {
		_ = c.Response().Writer.(*pacedWriter).FlushError() // fails only if the peer is gone
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

// pacedBody is the body of a request. The peer must send every step bytes of it within patience.
type pacedBody struct {
	io.ReadCloser
	exchange *exchange
	left     int   // bytes left in this step
	failed   error // the error that ended the body
}

func (b *pacedBody) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	x := b.exchange
	if b.left <= 0 {
		b.left = step
		_ = x.control.SetReadDeadline(time.Now().Add(patience)) // fails only for peers in tests
	}
	x.work(-1)
	n, err := b.ReadCloser.Read(p)
	x.work(1)
	x.request.move(n)
	b.left -= n
	if b.failed = err; err == io.EOF {
		_ = x.control.SetReadDeadline(time.Time{}) // the peer has sent everything and may wait for the answer
	}
	return n, err
}

// end limits how long the peer may take to send the rest of the body, which the HTTP server reads
// after the handler has returned.
func (b *pacedBody) end() {
	switch b.failed {
	case nil:
		_ = b.exchange.control.SetReadDeadline(time.Now().Add(patience))
	case io.EOF: // nothing is left
	default:
		_ = b.exchange.control.SetReadDeadline(time.Now())
	}
}

// pacedWriter writes an answer. The peer must read every step bytes of it within the exchange's
// patience. Over HTTP/2, pacedWriter enforces this; over HTTP/1, the connection (conn) does.
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

// FlushError sends the data that has been written so far.
func (w *pacedWriter) FlushError() error { return w.paced(w.exchange.control.Flush) }

// Unwrap returns the wrapped writer. http.ResponseController calls Unwrap.
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// paced calls wait, a function that waits for the peer to read. Over HTTP/2, paced limits the wait
// to the exchange's patience. Over HTTP/1, the connection limits it.
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
