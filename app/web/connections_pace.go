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

// exchange is a request with its answer. It enforces the pace that the peer must keep. It has its
// own slot, because one connection may carry the requests of many peers, behind a proxy or over
// HTTP/2.
type exchange struct {
	request *slot
	conn    *slot // the slot of the connection; nil in tests without a network
	control *http.ResponseController
	streams bool // set for HTTP/2, where the exchange is one stream of a connection
	// patience is how long the peer may take to read step bytes of the answer.
	patience time.Duration
	body     *pacedBody // nil for a request without a body

	mu   sync.Mutex
	over bool
}

type connKey struct{}

// inConn stores a connection in the context of its requests. It is the ConnContext of the
// http.Server.
func inConn(ctx context.Context, c net.Conn) context.Context {
	if secure, is := c.(*tls.Conn); is {
		c = secure.NetConn()
	}
	return context.WithValue(ctx, connKey{}, c)
}

// attend takes a slot for a request. It enforces the pace of the body and the answer until leave is
// called. The slot counts against the limit of the client's network. If no slot is free, attend
// returns fhir.Busy, together with an exchange for the answer to the refused request.
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

// work adds n to the number of tasks that the service is running for the exchange without waiting
// for the peer.
func (x *exchange) work(n int32) {
	x.request.working.Add(n)
	if x.conn != nil {
		x.conn.working.Add(n)
	}
}

// cancel ends the exchange, but not its connection. It may be called from any goroutine.
func (x *exchange) cancel() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over {
		past := time.Unix(1, 0)
		_ = errors.Join(x.control.SetReadDeadline(past), x.control.SetWriteDeadline(past)) // fails only if the connection is closed already
	}
}

// leave ends the exchange and releases its slot. Over HTTP/2, it first waits until the peer has
// read the rest of the answer. Over HTTP/1, it first limits how long the peer may take to send the
// rest of the body.
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

// pacedBody is the body of a request. It enforces that the peer sends every step bytes of the body
// within patience.
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

// end limits how long the peer may take to send the rest of the body. The HTTP server reads the
// rest after the handler has returned.
func (b *pacedBody) end() {
	switch b.failed {
	case nil:
		_ = b.exchange.control.SetReadDeadline(time.Now().Add(patience))
	case io.EOF: // nothing is left
	default:
		_ = b.exchange.control.SetReadDeadline(time.Now())
	}
}

// pacedWriter writes an answer. The peer must read every step bytes of the answer within the
// exchange's patience. Over HTTP/2, pacedWriter enforces this. Over HTTP/1, the connection (conn)
// enforces it.
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

// paced calls wait, a function that waits until the peer reads. Over HTTP/2, paced limits how long
// that may take to the exchange's patience. Over HTTP/1, the connection limits it.
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
