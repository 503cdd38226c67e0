package web

import (
	"fmt"
	"time"

	"github.com/labstack/echo/v4"
)

// downloadHeaders announce a CSV file.
func (p *Pages) downloadHeaders(c echo.Context, name string) {
	h := c.Response().Header()
	p.headers(h)
	h.Set(echo.HeaderContentType, "text/csv; charset=utf-8")
	h.Set(echo.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="%s-%s.csv"`, name, time.Now().UTC().Format(time.DateOnly)))
}

// ended logs a file that broke off half-way, and has its answer cut: it must not
// look whole, and the browser says that the download failed.
func (p *Pages) ended(c echo.Context, err error) error {
	if err != nil && c.Response().Committed {
		p.log.Warn("a download broke off", "request_id", requestID(c), "route", c.Path(), "cause", err)
	}
	return err
}
