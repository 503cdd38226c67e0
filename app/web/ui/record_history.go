package ui

import (
	"context"
	"time"

	"birthregistry/app/auth"
	"birthregistry/app/records"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"

	"github.com/labstack/echo/v4"
)

// shownVersions is how many versions the page of a record lists. shownViewers is how many people it
// lists who have opened the record.
const (
	shownVersions = 8
	shownViewers  = 6
)

// history returns the newest shownVersions versions of a record.
func (h *Records) history(c echo.Context, rec records.Record) (all []views.RecordEvent, err error) {
	head, events, _, err := h.records.History(c.Request().Context(), session.User(c).Practice.ID, rec.ID, 0)
	if err != nil {
		return nil, err
	}
	for _, e := range events[:min(len(events), shownVersions)] {
		row := eventOf(e, session.Zone(c))
		row.Current = e.Version == head.Version
		all = append(all, row)
	}
	return all, nil
}

// viewers returns the people who have opened a record most recently, each only once. If the user
// may not read the audit trail, it returns nobody.
func (h *Records) viewers(ctx context.Context, who auth.User, record string, zone *time.Location) (all []views.Viewer, err error) {
	if !who.May(auth.AuditView) {
		return nil, nil
	}
	const entries = 100
	rows, err := h.auth.AuditEntries(ctx, who, store.AuditFilter{Object: record, Area: "read"}, 0, false, entries)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, row := range rows {
		if !seen[row.Actor] && len(all) < shownViewers {
			seen[row.Actor] = true
			all = append(all, views.Viewer{Who: row.Actor, At: views.Moment(row.At, zone)})
		}
	}
	return all, nil
}
