package web

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"

	"birthregistry/app/auth"
)

// What a peer owes: within patience it moves a step of bytes, whenever it is
// awaited within a request or an answer, or the connection is reset (RL-10: at
// least 1 KiB/s, from the first moment). So a peer that reads or writes nothing
// is gone after patience, one that trickles as well, and one that is merely slow
// may take as long as it needs.
const (
	patience        = 16 * time.Second
	refusedPatience = 100 * time.Millisecond
	step            = 16 << 10 // bytes
)

// gate lets connections in, below TLS, each into a slot.
type gate struct {
	net.Listener
	slots *slots
	// shared reports whether the peers of an address are many, as those of a
	// trusted proxy: it has no share of its own to keep to.
	shared func(net.IP) bool
}

// Bounded lets at most so many connections of a listener in, of one network its
// share.
func Bounded(listener net.Listener, most int) net.Listener {
	return &gate{listener, newSlots(most), func(net.IP) bool { return false }}
}

// Accept waits for a connection and a slot for it.
func (g *gate) Accept() (net.Conn, error) {
	for {
		raw, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		var ip net.IP
		if tcp, is := raw.RemoteAddr().(*net.TCPAddr); is {
			ip = tcp.IP
		}
		c := &conn{Conn: raw}
		c.slot = g.slots.slot(auth.Network(ip.String()), g.shared(ip), c.reset)
		if c.slot.take() {
			return c, nil
		}
		c.reset()
	}
}

// conn is a connection in its slot. It holds the peer to its pace in reading what
// is sent; its pace in sending is the exchange's, since between two requests a peer
// may say nothing for a while.
type conn struct {
	net.Conn
	slot *slot
	// until is the write deadline of those above, in Unix nanoseconds; 0 for none.
	until atomic.Int64
}

// Write writes as long as the peer keeps its pace.
func (c *conn) Write(p []byte) (n int, err error) {
	for {
		deadline, callers := time.Now().Add(patience), false
		if until := c.until.Load(); until != 0 && until < deadline.UnixNano() {
			deadline, callers = time.Unix(0, until), true
		}
		if err := c.Conn.SetWriteDeadline(deadline); err != nil {
			return n, err
		}
		var moved int
		moved, err = c.Conn.Write(p[n:])
		n += moved
		c.slot.move(moved)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		if callers || moved < step {
			c.discard()
			return n, err
		}
	}
}

// Read notes what moves.
func (c *conn) Read(p []byte) (n int, err error) {
	n, err = c.Conn.Read(p)
	c.slot.move(n)
	return n, err
}

// SetWriteDeadline bounds writes further.
func (c *conn) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		c.until.Store(0)
		return nil // the next write has one of its own
	}
	c.until.Store(t.UnixNano())
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline bounds reads and writes.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// CloseWrite says that nothing follows, so that a peer still writes to its end and
// then reads the answer.
func (c *conn) CloseWrite() error {
	if tcp, is := c.Conn.(interface{ CloseWrite() error }); is {
		return tcp.CloseWrite()
	}
	return c.Close()
}

// Close gives the slot back.
func (c *conn) Close() error {
	c.slot.leave()
	return c.Conn.Close()
}

// reset closes without a word: what the peer has not read is dropped, and the
// memory that it takes with it.
func (c *conn) reset() {
	c.discard()
	_ = c.Close() // its own goroutine sees that it is gone
}

// discard has the closing drop what the peer has not read. The system would keep it for minutes.
func (c *conn) discard() {
	if tcp, is := c.Conn.(*net.TCPConn); is {
		_ = tcp.SetLinger(0)
	}
}
