package web

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
)

// maxConnections is how many connections there may be. A practice and its EHRs
// need some ten; a proxy in front some hundred.
const maxConnections = 1000

// crowd bounds the connections. One too many costs the one its place that has
// waited longest without a request: so who only holds connections open loses
// them, and who asks something is served. When nobody waits, the newcomer goes.
type crowd struct {
	most int

	mu      sync.Mutex
	all     int
	waiting map[net.Conn]*list.Element
	order   list.List // of net.Conn, the longest waiting first
}

func newCrowd(most int) *crowd { return &crowd{most: most, waiting: map[net.Conn]*list.Element{}} }

// note is an http.Server's ConnState.
func (c *crowd) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	var out net.Conn
	if at := c.waiting[conn]; at != nil {
		c.order.Remove(at)
		delete(c.waiting, conn)
	}
	switch state {
	case http.StateNew:
		c.all++
		c.waiting[conn] = c.order.PushBack(conn)
		if c.all > c.most {
			out = c.order.Front().Value.(net.Conn)
		}
	case http.StateIdle:
		c.waiting[conn] = c.order.PushBack(conn)
	case http.StateClosed, http.StateHijacked:
		c.all--
	case http.StateActive: // it is no longer waiting
	}
	if at := c.waiting[out]; out != nil && at != nil {
		c.order.Remove(at)
		delete(c.waiting, out)
	}
	c.mu.Unlock()
	if out == nil {
		return
	}
	if secured, is := out.(*tls.Conn); is {
		out = secured.NetConn() // without a word, which might have to wait
	}
	_ = out.Close() // its own goroutine sees that it is gone
}
