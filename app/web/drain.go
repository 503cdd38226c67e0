package web

import (
	"io"
	"net/http"
	"time"

	"birthregistry/app/web/request"

	"github.com/labstack/echo/v4"
)

// drainMargin is how many more bytes of an abandoned body are read than the largest accepted body
// has. drainTime is the maximum time for reading them.
const (
	drainMargin = 16 << 20
	drainTime   = 2 * time.Minute
)

// drain sends the answer, and then reads and drops the rest of an abandoned body. Otherwise a
// client that writes its whole body before it reads would notice a reset connection instead of the
// answer. A body that is too large or too slow is still cut off. body is the original body of the
// request, whose pace is limited, but not its size.
func (s *Server) drain(c echo.Context, body io.Reader) {
	if !request.Abandoned(c) || http.NewResponseController(c.Response().Writer).Flush() != nil {
		return
	}
	left, end := s.settings.MaxBody+drainMargin, time.Now().Add(drainTime)
	if c.Request().ContentLength > left {
		return // it would be cut off in any case
	}
	for left > 0 && time.Now().Before(end) {
		n, err := io.CopyN(io.Discard, body, step)
		if err != nil {
			return // the body has ended, or the peer has stopped sending
		}
		left -= n
	}
}
