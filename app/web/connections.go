package web

import (
	"errors"
	"net"
	"os"
	"sync/atomic"
	"time"

	"birthregistry/app/auth"
)

// These constants set the pace that a peer must keep. While the service waits for the peer to send
// a request or to read an answer, the peer must send or read at least step bytes within patience.
// Otherwise the connection is reset (RL-10: at least 1 KiB/s, from the first moment). This drops a
// peer that stops or only trickles, but a slow peer may take as long as it needs. Over HTTP/2,
// refusedPatience replaces patience for the answer to a request that got no slot.
const (
	patience        = 16 * time.Second
	refusedPatience = 100 * time.Millisecond
	step            = 16 << 10 // bytes
)

// gate is a listener below TLS. Each connection that it accepts takes a slot.
type gate struct {
	net.Listener
	slots *slots
	// shared reports whether an address is shared by many peers, such as the address of a trusted
	// proxy. The limit per network doesn't apply to such an address.
	shared func(net.IP) bool
}

// Bounded returns a listener that limits its open connections. The argument most is the maximum
// number in total. One network may have at most shareOf(most) open connections.
func Bounded(listener net.Listener, most int) net.Listener {
	return &gate{listener, newSlots(most), func(net.IP) bool { return false }}
}

// Accept returns the next connection that gets a slot. It resets connections that get none.
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

// conn is a connection with its slot. It enforces the pace at which the peer reads answers. The
// type exchange enforces the pace at which the peer sends, because a peer may send nothing between
// two requests.
type conn struct {
	net.Conn
	slot *slot
	// until is the write deadline that callers have set, in Unix nanoseconds. It is 0 if there is
	// none.
	until atomic.Int64
}

// Write writes p. It fails if the peer reads fewer than step bytes within the time patience, or if
// the deadline of SetWriteDeadline passes.
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

// Read reads from the connection. Each byte counts as progress that the peer makes.
func (c *conn) Read(p []byte) (n int, err error) {
	n, err = c.Conn.Read(p)
	c.slot.move(n)
	return n, err
}

// SetWriteDeadline sets a deadline for writes. Write also enforces its own deadlines. The zero time
// removes the deadline.
func (c *conn) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		c.until.Store(0)
		return nil // the next write sets its own deadline
	}
	c.until.Store(t.UnixNano())
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline sets the deadline for both reads and writes.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// CloseWrite signals that no more data will be written. A peer that is still writing can then
// finish and read the answer.
func (c *conn) CloseWrite() error {
	if tcp, is := c.Conn.(interface{ CloseWrite() error }); is {
		return tcp.CloseWrite()
	}
	return c.Close()
}

// Close releases the connection's slot and closes the connection.
func (c *conn) Close() error {
	c.slot.leave()
	return c.Conn.Close()
}

// reset closes the connection abruptly, so that the system drops unread data and frees the
// connection's memory.
func (c *conn) reset() {
	c.discard()
	_ = c.Close() // the connection's own goroutine notices
}

// discard makes Close drop data that is unsent or unread. Otherwise the system would keep the data
// for minutes.
func (c *conn) discard() {
	if tcp, is := c.Conn.(*net.TCPConn); is {
		_ = tcp.SetLinger(0)
	}
}
