package pages

import (
	"fmt"
	"time"

	"birthregistry/app/web/request"

	"github.com/labstack/echo/v4"
)

// DownloadHeaders sets the headers for the download of a CSV file.
func (p *Pages) DownloadHeaders(c echo.Context, name string) {
	p.FileHeaders(c, name, "csv", "text/csv; charset=utf-8")
}

// FileHeaders sets the headers for the download of a file of any kind, such as "json".
func (p *Pages) FileHeaders(c echo.Context, name, kind, contentType string) {
	h := c.Response().Header()
	p.Headers(h)
	h.Set(echo.HeaderContentType, contentType)
	h.Set(echo.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="%s-%s.%s"`, name, time.Now().UTC().Format(time.DateOnly), kind))
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
