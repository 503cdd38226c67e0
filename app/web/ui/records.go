package ui

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/erase"
	"birthregistry/app/records"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// Records serves the pages that list records and show a record's versions. It also exports, voids
// and restores records.
type Records struct {
	*pages.Pages
	auth    *auth.Service
	changes *changes.Writer
	records *records.Records
	erase   *erase.Service
}

// searchKey returns the session's key for the search text of a user in their practice. The search
// text is in the session because a name or a chart number must never be in an address.
func searchKey(who auth.User) string { return fmt.Sprint(auth.SessionSearch, who.Practice.ID) }

// maxSearch is the maximum length of a search text, in bytes.
const maxSearch = 200

func (h *Records) GetRecords(c echo.Context) error {
	who := session.User(c)
	f, err := h.selected(c)
	if err != nil {
		return err
	}
	at := records.Cursor{ID: c.QueryParam("older")}
	if newer := c.QueryParam("newer"); newer != "" {
		at = records.Cursor{ID: newer, Back: true}
	}
	page, err := h.records.List(c.Request().Context(), who.Practice.ID, f.Filter, at)
	if err != nil {
		return err
	}
	total, more, err := h.records.Total(c.Request().Context(), who.Practice.ID, f.Filter)
	if err != nil {
		return err
	}
	query := f.query()
	list := views.RecordList{
		Query: questioned(query), Active: len(f.parts()) > 0 || f.wrongYear, From: f.from(), Search: f.search, Filters: f.boxes(),
		Total: totalOf(total, more), Sorted: f.sortWords(), Shown: f.words(),
		Pages:     f.pager(neighbor(pages.RecordsPath, query, "newer", page.Newer), neighbor(pages.RecordsPath, query, "older", page.Older)),
		MayCreate: who.May(auth.RecordCreate), MayImport: who.May(auth.ImportRun), MayExport: who.May(auth.RecordExport),
		NoneOnFile: total == 0 && len(query) == 0 && !f.wrongYear,
	}
	if list.Erased, err = h.anyErased(c.Request().Context(), who); err != nil {
		return err
	}
	if page.Stopped != nil {
		list.Stopped = f.stopped(*page.Stopped, at.Back, session.Zone(c))
		if at.Back {
			list.Pages.BeforeLabel = "Continue the search"
		} else {
			list.Pages.AfterLabel = "Continue the search"
		}
	}
	if at.ID != "" && len(page.Rows) == 0 {
		list.First = pages.RecordsPath + questioned(query)
	}
	columns := h.columns(c, f, !more && total <= mostListed, &list)
	for _, row := range page.Rows {
		list.Rows = append(list.Rows, rowOf(row, columns, session.Zone(c)))
	}
	if f.wrongYear {
		return h.Render(c, http.StatusUnprocessableEntity, "Records", views.Records(list),
			views.Mistake{Name: "year", Text: "Write the year of birth with four digits, such as 2026."})
	}
	return h.Render(c, http.StatusOK, "Records", views.Records(list))
}

// anyErased reports whether the practice has erased births, and the user may allow them to be
// recorded again.
func (h *Records) anyErased(ctx context.Context, who auth.User) (bool, error) {
	if !who.May(auth.RecordErase) {
		return false, nil
	}
	erased, err := h.erase.Tombstones(ctx, who.Practice.ID, 1)
	return len(erased) > 0, err
}

// pager returns the links to the previous and the next page, with labels that match the order of
// the list.
func (f recordFilter) pager(before, after string) views.Pager {
	switch {
	case f.Chart != "":
		return views.Pager{Before: before, After: after, BeforeLabel: "Back", AfterLabel: "More"}
	case f.Ascending:
		return views.Pager{Before: before, After: after, BeforeLabel: "Older", AfterLabel: "Newer"}
	}
	return views.Pager{Before: before, After: after, BeforeLabel: "Newer", AfterLabel: "Older"}
}

// stopped returns a sentence that says how far a list was searched. It is for a search that ended
// before the end of the list.
func (f recordFilter) stopped(at store.Record, back bool, zone *time.Location) string {
	to := "up to"
	if f.Ascending == back {
		to = "back to"
	}
	switch {
	case f.Chart != "":
		return "Searched up to chart number " + at.Chart + "."
	case f.Order == store.ByBirth && at.Facts.BirthMonth == "":
		return "Only part of the list was searched."
	case f.Order == store.ByBirth:
		return "Searched " + to + " the births of " + birth.When(at.Facts.BirthMonth) + "."
	case f.Order == store.ByChange:
		return "Searched " + to + " the changes of " + at.UpdatedAt.In(zone).Format("January 2, 2006") + "."
	}
	return "Searched " + to + " the records of " + at.CreatedAt.In(zone).Format("January 2, 2006") + "."
}

// totalOf returns a text that says how many records the list has. If more is true, n is only a
// lower limit.
func totalOf(n int, more bool) string {
	if more {
		return views.Number(n) + " records or more"
	}
	return views.Count(n, "record", "records")
}

// PostRecordSearch stores the search text in the session and redirects to the list of what it
// finds. If the user cleared the box, or the text is too long, PostRecordSearch removes the stored
// text and redirects to the list without a search.
func (h *Records) PostRecordSearch(c echo.Context) error {
	ctx, key := c.Request().Context(), searchKey(session.User(c))
	form := pages.Posted(c)
	f := filterOf(c)
	f.search = strings.ToValidUTF8(strings.TrimSpace(form.Get("q")), "")
	if len(f.search) > maxSearch || form.Get("clear") != "" {
		f.search = ""
	}
	if f.search == "" {
		h.Sessions.Remove(ctx, key)
	} else {
		h.Sessions.Put(ctx, key, f.search)
	}
	if err := h.Sessions.Keep(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, pages.RecordsPath+questioned(f.query()))
}

func rowOf(r records.Row, columns []recordColumn, zone *time.Location) views.RecordRow {
	row := views.RecordRow{
		ID: r.UUID, Chart: r.Chart, Gone: r.State != birth.Active, Tags: stateTags(r.State, r.Duplicate),
	}
	for _, column := range columns {
		cell := views.ListedCell{Label: column.label, Text: column.text(r, zone), Number: column.number}
		if column.key == "born" && r.Newborns > 1 {
			cell.Quiet = views.Number(r.Newborns) + " newborns"
		}
		row.Cells = append(row.Cells, cell)
	}
	if r.Facts.Missing > 0 && !row.Gone {
		row.Tags = append(row.Tags, views.TagText{Kind: "plain", Text: "Incomplete"})
	}
	return row
}

// listedTime formats a time of birth as the record states it, without the offset from UTC.
func listedTime(stated string) string {
	at, _, _ := strings.Cut(strings.ReplaceAll(birth.When(stated), " UTC+", " UTC-"), " UTC-")
	return at
}

// label returns the text for a code of the given field. It returns "" for the code "".
func label(field, code string) string {
	if code == "" {
		return ""
	}
	return birth.Must(field).LabelOf(code)
}

// stateTags returns the tags of a record: one if it is voided or merged, or one if it is active and
// a possible duplicate.
func stateTags(state birth.State, duplicate bool) (tags []views.TagText) {
	switch state {
	case birth.Voided:
		tags = append(tags, views.TagText{Kind: "bad", Text: "Voided"})
	case birth.Merged:
		tags = append(tags, views.TagText{Kind: "bad", Text: "Merged"})
	}
	if duplicate && state == birth.Active {
		tags = append(tags, views.TagText{Kind: "warn", Text: "Possible duplicate"})
	}
	return tags
}

// recordName returns the name of a record as pages show it.
func recordName(chart string) string {
	if chart == "" {
		return "a record without a chart number"
	}
	return "record " + chart
}

// recordParam returns the record ID in the path. If it isn't a valid ID, recordParam returns
// noRecord, so that the text never reaches the database or the audit trail.
func recordParam(c echo.Context) (string, error) {
	id, err := uuid.Parse(c.Param("record"))
	if err != nil || id.String() != c.Param("record") {
		return "", noRecord
	}
	return id.String(), nil
}

// noRecord is the page for a record that doesn't exist, or that belongs to another practice.
var noRecord = pages.NewError(
	http.StatusNotFound, "Record not found",
	"The address may be mistyped, the birth may have been erased, or the record belongs to another practice. If you work in several, switch on your account page.", pages.RecordsPath, "Go to the records",
)

// foundRecord converts the errors for a missing record and for a damaged one to pages. It returns
// any other error unchanged.
func foundRecord(err error) error {
	if errors.Is(err, records.ErrNotFound) || errors.Is(err, store.ErrNotFound) {
		return noRecord
	}
	if errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrCorrupt) {
		return pages.ErrDamaged
	}
	return err
}
