package web

import (
	"io"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// abandonBody ends the connection with the answer when the request has a body
// that need not have been read to its end. Otherwise the server would wait for
// the rest of it, and hold the answer back from a peer that never sends it.
func abandonBody(c echo.Context) {
	if c.Request().ContentLength != 0 {
		c.Response().Header().Set(echo.HeaderConnection, "close")
		c.Set(abandonedKey, true)
	}
}

const abandonedKey = "abandoned"

// What is read of an abandoned body, beyond the largest one that is accepted,
// and the pace at which it must come.
const (
	drainMargin = 16 << 20
	drainStep   = 64 << 10
	drainPace   = 5 * time.Second // for each step
)

// drain sends the answer off and then reads the rest of an abandoned body and
// drops it: a client that writes its whole body before it reads would otherwise
// meet a reset connection in the place of the answer. Only a body that is too
// large, or too slow, is cut off. body is the request's own, which has no other bound.
func (s *Server) drain(c echo.Context, body io.Reader) {
	if c.Get(abandonedKey) == nil {
		return
	}
	r, control := c.Request(), http.NewResponseController(c.Response().Writer)
	if control.Flush() != nil {
		return
	}
	left, end := s.settings.MaxBody+drainMargin, time.Now().Add(bodyTimeout)
	for r.ContentLength <= left && left > 0 {
		pace := time.Now().Add(drainPace)
		if pace.After(end) {
			pace = end
		}
		_ = control.SetReadDeadline(pace) // a peer without one is a test's
		n, err := io.CopyN(io.Discard, body, drainStep)
		if err != nil {
			return // the end, or a peer that has stopped sending
		}
		left -= n
	}
}
