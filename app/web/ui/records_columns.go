package ui

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/app/records"
	"birthregistry/app/web/pages"
	"birthregistry/store"
	"birthregistry/views"
)

// recordColumn is a column that users may add to or remove from the list of records. The chart
// number and the state have no recordColumn, because the list always shows them.
type recordColumn struct {
	key, label string
	sort       store.Order // how its heading sorts the list, if sorts is true
	sorts      bool
	number     bool
	text       func(r records.Row, zone *time.Location) string
}

// recordColumns are the columns in their order. Those that are shown by default come first. The
// list shows the mother's initials, because browsing it isn't recorded as reading each record. Only
// a search with few results shows her name, as Find does.
var recordColumns = []recordColumn{
	{key: "born", label: "Born", sort: store.ByBirth, sorts: true, text: func(r records.Row, _ *time.Location) string { return listedTime(r.Born) }},
	{key: "mother", label: "Mother", text: func(r records.Row, _ *time.Location) string { return r.Initials }},
	{key: "attendant", label: "Attendant", text: func(r records.Row, _ *time.Location) string { return label("attendant_type", r.Facts.Attendant) }},
	{key: "method", label: "Method", text: func(r records.Row, _ *time.Location) string { return label("delivery_method", r.Facts.Method) }},
	{key: "source", label: "Source", text: func(r records.Row, _ *time.Location) string { return r.Source.Label() }},
	{key: "version", label: "Version", number: true, text: func(r records.Row, _ *time.Location) string { return strconv.Itoa(r.Version) }},
	{key: "created", label: "Created", sort: store.ByCreation, sorts: true, text: func(r records.Row, zone *time.Location) string {
		return views.Moment(r.CreatedAt, zone)
	}},
	{key: "changed", label: "Changed", sort: store.ByChange, sorts: true, text: func(r records.Row, zone *time.Location) string {
		return views.Moment(r.UpdatedAt, zone)
	}},
}

const usualColumns = "born.mother.attendant.method.source.version"

// columnsCookie returns the cookie for the columns that a user has chosen on this device. It holds
// no patient data.
func (h *Records) columnsCookie() *http.Cookie { return h.Sessions.OwnCookie("columns") }

// columnsOf returns the keys of the columns that the list shows.
func (h *Records) columnsOf(c echo.Context) []string {
	chosen := usualColumns
	if cookie, err := c.Cookie(h.columnsCookie().Name); err == nil {
		chosen = cookie.Value
	}
	return strings.Split(chosen, ".")
}

// PostRecordColumns stores in a cookie which columns the list shows. If the user chooses none, the
// list shows the default columns.
func (h *Records) PostRecordColumns(c echo.Context) error {
	form := pages.Posted(c)
	var chosen []string
	for _, column := range recordColumns {
		if slices.Contains(form["column"], column.key) {
			chosen = append(chosen, column.key)
		}
	}
	cookie := h.columnsCookie()
	cookie.Value, cookie.MaxAge = strings.Join(chosen, "."), int((365 * 24 * time.Hour).Seconds())
	if len(chosen) == 0 {
		cookie.MaxAge = -1
	}
	c.SetCookie(cookie)
	return c.Redirect(http.StatusSeeOther, pages.RecordsPath+questioned(h.asked(c).query()))
}

// columns fills in the headings of the list, and the controls that choose columns. It returns the
// columns that the list shows. few reports whether the list has no more records than Find shows.
func (h *Records) columns(c echo.Context, f recordFilter, few bool, list *views.RecordList) (shown []recordColumn) {
	keys := h.columnsOf(c)
	for _, column := range recordColumns {
		chosen := slices.Contains(keys, column.key)
		list.ColumnChoices = append(list.ColumnChoices, views.Choice{Value: column.key, Label: column.label, Chosen: chosen})
		if !chosen {
			continue
		}
		if column.key == "mother" && few && f.search != "" { // a user who searches must recognize the birth
			column.text = func(r records.Row, _ *time.Location) string { return r.Mother }
		}
		shown = append(shown, column)
		head := views.RecordColumn{Label: column.label, Number: column.number}
		if column.sorts && f.Chart == "" {
			turned := f
			turned.Order, turned.Ascending = column.sort, false
			if f.Order == column.sort {
				turned.Ascending = !f.Ascending
				head.Sorted = map[bool]string{true: "ascending", false: "descending"}[f.Ascending]
			}
			head.Href = pages.RecordsPath + questioned(turned.query())
		}
		list.Columns = append(list.Columns, head)
	}
	return shown
}
