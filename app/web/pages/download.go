package pages

import (
	"fmt"
	"time"

	"birthregistry/app/web/request"

	"github.com/labstack/echo/v4"
)

// CSV is the media type of a CSV file.
const CSV = "text/csv; charset=utf-8"

// DownloadHeaders sets the headers for the download of a CSV file.
func (p *Pages) DownloadHeaders(c echo.Context, name string) {
	p.FileHeaders(c, name, "csv", CSV)
}

// FileHeaders sets the headers for the download of a file of any kind, such as "json".
func (p *Pages) FileHeaders(c echo.Context, name, kind, contentType string) {
	p.Attachment(c, fmt.Sprintf("%s-%s.%s", name, time.Now().UTC().Format(time.DateOnly), kind), contentType)
}

// Attachment sets the headers for an answer that the browser saves as a file of this name.
func (p *Pages) Attachment(c echo.Context, file, contentType string) {
	h := c.Response().Header()
	p.Headers(h)
	h.Set(echo.HeaderContentType, contentType)
	h.Set(echo.HeaderContentDisposition, `attachment; filename="`+file+`"`)
}

// JSON answers a request of a page's script with a JSON document.
func (p *Pages) JSON(c echo.Context, status int, answer any) error {
	p.Headers(c.Response().Header())
	return request.WriteJSON(c, status, request.JSON, answer)
}

// Ended logs a download that failed midway, and returns the error so that the
// answer is cut off. The browser then reports a failed download instead of saving
// half a file.
func (p *Pages) Ended(c echo.Context, err error) error {
	if err != nil && c.Response().Committed {
		p.Log.Warn("a download failed midway", "request_id", request.ID(c), "route", c.Path(), "cause", err)
	}
	return err
}
