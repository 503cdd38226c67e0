package ui

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// GetRecordExport shows which records the export would contain, and how many.
func (h *Records) GetRecordExport(c echo.Context) error {
	f, err := h.selected(c)
	if err != nil {
		return err
	}
	n, err := h.records.Count(c.Request().Context(), session.User(c).Practice.ID, f.Filter)
	if err != nil {
		return err
	}
	what := f.words()
	if f.State == "" {
		what = "Voided and merged records are left out. " + what
	}
	return h.Render(c, http.StatusOK, "Export records", views.ExportRecords(views.RecordExport{
		Count: n, What: what, Query: questioned(f.query()),
	}))
}

// PostRecordExport records the export in the audit trail, then sends the file. If the number of
// records isn't the one that the page showed, it shows the page again: the records have changed, or
// the user has searched for something else in the meantime.
func (h *Records) PostRecordExport(c echo.Context) error {
	who := session.User(c)
	f, err := h.selected(c)
	if err != nil {
		return err
	}
	n, err := h.records.Count(c.Request().Context(), who.Practice.ID, f.Filter)
	if err != nil {
		return err
	}
	if shown := pages.Posted(c).Get("count"); shown != "" && shown != strconv.Itoa(n) {
		h.Sessions.Flash(c, "Nothing was downloaded, because the number of records has changed. Check it, then download again.")
		return c.Redirect(http.StatusSeeOther, pages.ExportPath+questioned(f.query()))
	}
	if err := h.auth.NoteAlone(who, "record.export", fmt.Sprintf("%d records", n)); err != nil {
		return err
	}
	h.DownloadHeaders(c, "records")
	_, err = h.records.Export(c.Request().Context(), who.Practice, f.Filter, c.Response())
	return h.Ended(c, err)
}
