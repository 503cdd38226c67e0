package web

import (
	"io"
	"net/http"
	"time"

	"birthregistry/app/web/request"

	"github.com/labstack/echo/v4"
)

// drainMargin is what is read of an abandoned body beyond the largest one that is
// accepted, and drainTime how long.
const (
	drainMargin = 16 << 20
	drainTime   = 2 * time.Minute
)

// drain sends the answer off and then reads the rest of an abandoned body and
// drops it: a client that writes its whole body before it reads would otherwise
// meet a reset connection in the place of the answer. Only a body that is too
// large, or too slow, is cut off. body is the request's own, which has no other
// bound than its pace.
func (s *Server) drain(c echo.Context, body io.Reader) {
	if !request.Abandoned(c) || http.NewResponseController(c.Response().Writer).Flush() != nil {
		return
	}
	left, end := s.settings.MaxBody+drainMargin, time.Now().Add(drainTime)
	for c.Request().ContentLength <= left && left > 0 && time.Now().Before(end) {
		n, err := io.CopyN(io.Discard, body, step)
		if err != nil {
			return // the end, or a peer that has stopped sending
		}
		left -= n
	}
}
