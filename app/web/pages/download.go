package pages

import (
	"fmt"
	"time"

	"birthregistry/app/web/request"

	"github.com/labstack/echo/v4"
)

// CSV is the media type of a CSV file.
const CSV = "text/csv; charset=utf-8"

// DownloadHeaders sets the headers for the download of a CSV file. name is the beginning of the
// file's name.
func (p *Pages) DownloadHeaders(c echo.Context, name string) {
	p.FileHeaders(c, name, "csv", CSV)
}

// FileHeaders sets the headers for the download of a file. name is the beginning of the file's
// name, and kind is its extension, such as "json".
func (p *Pages) FileHeaders(c echo.Context, name, kind, contentType string) {
	p.Attachment(c, fmt.Sprintf("%s-%s.%s", name, time.Now().UTC().Format(time.DateOnly), kind), contentType)
}

// Attachment sets the headers that make the browser save the answer as a file with this name.
func (p *Pages) Attachment(c echo.Context, file, contentType string) {
	h := c.Response().Header()
	p.Headers(h)
	h.Set(echo.HeaderContentType, contentType)
	h.Set(echo.HeaderContentDisposition, `attachment; filename="`+file+`"`)
}

// JSON sends a JSON document to a page's script.
func (p *Pages) JSON(c echo.Context, status int, answer any) error {
	p.Headers(c.Response().Header())
	return request.WriteJSON(c, status, request.JSON, answer)
}

// Ended logs a download that failed midway, and returns err unchanged. The server then cuts the
// answer off, so that the browser reports a failed download instead of saving half a file.
func (p *Pages) Ended(c echo.Context, err error) error {
	if err != nil && c.Response().Committed {
		p.Log.Warn("a download failed midway", "request_id", request.ID(c), "route", c.Path(), "cause", err)
	}
	return err
}
