package pages

import (
	"fmt"
	"time"

	"birthregistry/app/web/request"

	"github.com/labstack/echo/v4"
)

// DownloadHeaders announce a CSV file.
func (p *Pages) DownloadHeaders(c echo.Context, name string) {
	h := c.Response().Header()
	p.Headers(h)
	h.Set(echo.HeaderContentType, "text/csv; charset=utf-8")
	h.Set(echo.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="%s-%s.csv"`, name, time.Now().UTC().Format(time.DateOnly)))
}

// Ended logs a download that failed midway, and returns the error so that the
// answer is cut off. The browser then reports a failed download instead of saving
// half a file.
func (p *Pages) Ended(c echo.Context, err error) error {
	if err != nil && c.Response().Committed {
		p.Log.Warn("a download broke off", "request_id", request.ID(c), "route", c.Path(), "cause", err)
	}
	return err
}
