package ui

import (
	"fmt"
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/web/session"
	"birthregistry/views"
)

// GetRecordExport shows how many records the export would contain, and which.
func (h *Records) GetRecordExport(c echo.Context) error {
	search := h.searched(c)
	f, err := h.selected(c, search)
	if err != nil {
		return err
	}
	n, err := h.records.Count(c.Request().Context(), session.User(c).Practice.ID, f.Filter)
	if err != nil {
		return err
	}
	what := f.words()
	if search != "" {
		what += " Only those that your search finds."
	}
	if f.State == "" {
		what = "Voided and merged records are left out. " + what
	}
	return h.Render(c, http.StatusOK, "Export records", views.ExportRecords(views.RecordExport{
		Count: n, What: what, Query: questioned(f.query()),
	}))
}

// PostRecordExport records the export in the audit trail, then sends the file.
func (h *Records) PostRecordExport(c echo.Context) error {
	who := session.User(c)
	f, err := h.selected(c, h.searched(c))
	if err != nil {
		return err
	}
	n, err := h.records.Count(c.Request().Context(), who.Practice.ID, f.Filter)
	if err != nil {
		return err
	}
	if err := h.auth.NoteAlone(who, "record.export", fmt.Sprintf("%d records", n)); err != nil {
		return err
	}
	h.DownloadHeaders(c, "records")
	_, err = h.records.Export(c.Request().Context(), who.Practice, f.Filter, c.Response())
	return h.Ended(c, err)
}
