package web

import (
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/views"
)

// getRecordExport says how many records an export holds, and of what kind.
func (s *Server) getRecordExport(c echo.Context) error {
	f := filterOf(c)
	n, err := s.records.Count(c.Request().Context(), person(c).Practice.ID, f.Filter)
	if err != nil {
		return err
	}
	what := f.words()
	if f.State == "" {
		what = "Voided and merged records are left out. " + what
	}
	return s.page(c, http.StatusOK, "Export records", views.ExportRecords(views.RecordExport{
		Count: n, What: what, Query: questioned(f.query()),
	}))
}

// postRecordExport sends the file. That it is sent is noted first.
func (s *Server) postRecordExport(c echo.Context) error {
	who := person(c)
	f := filterOf(c)
	n, err := s.records.Count(c.Request().Context(), who.Practice.ID, f.Filter)
	if err != nil {
		return err
	}
	if err := s.access.NoteAlone(who, "record.export", fmt.Sprintf("%d records", n)); err != nil {
		return err
	}
	s.downloadHeaders(c, "records")
	_, err = s.records.Export(c.Request().Context(), who.Practice, f.Filter, c.Response())
	return s.ended(c, err)
}

// downloadHeaders announce a CSV file.
func (s *Server) downloadHeaders(c echo.Context, name string) {
	h := c.Response().Header()
	s.pageHeaders(h)
	h.Set(echo.HeaderContentType, "text/csv; charset=utf-8")
	h.Set(echo.HeaderContentDisposition, fmt.Sprintf(`attachment; filename="%s-%s.csv"`, name, time.Now().UTC().Format(time.DateOnly)))
}

// ended logs a file that broke off half-way, and has its answer cut: it must not
// look whole, and the browser says that the download failed.
func (s *Server) ended(c echo.Context, err error) error {
	if err != nil && c.Response().Committed {
		s.log.Warn("a download broke off", "request_id", requestID(c), "route", c.Path(), "cause", err)
	}
	return err
}
