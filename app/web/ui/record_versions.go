package ui

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

func (h *Records) GetVersions(c echo.Context) error {
	id, err := recordParam(c)
	if err != nil {
		return err
	}
	before, _ := strconv.Atoi(c.QueryParam("before")) // anything but a number means the first page
	head, events, more, err := h.records.History(c.Request().Context(), session.User(c).Practice.ID, id, max(before, 0))
	if err != nil {
		return foundRecord(err)
	}
	if err := h.NoteReading(c, id); err != nil {
		return err
	}
	history := views.RecordHistory{ID: id, Name: recordName(head.Chart)}
	for i, e := range events {
		row := eventOf(e, session.Zone(c))
		row.Current = e.Version == head.Version
		history.Events = append(history.Events, row)
		choice := views.Choice{Value: strconv.Itoa(e.Version), Label: fmt.Sprintf("%d (%s)", e.Version, lowerFirst(e.What()))}
		after := choice
		choice.Chosen, after.Chosen = i == 1, i == 0
		history.Before, history.After = append(history.Before, choice), append(history.After, after)
	}
	if more {
		history.Older = fmt.Sprintf("%s/%s/versions?before=%d", pages.RecordsPath, id, events[len(events)-1].Version)
	}
	return h.Render(c, http.StatusOK, "Versions of a record", views.RecordVersions(history))
}

func eventOf(e records.Event, zone *time.Location) views.RecordEvent {
	row := views.RecordEvent{
		Version: e.Version, What: e.What(), Who: e.Who(), Source: e.Source.Label(), At: views.Moment(e.At, zone), Note: e.Note,
	}
	if e.Source == birth.FHIRPush && !e.Stamp.IsZero() { // for other sources, the stamp is the time of the change itself
		row.Sent = views.Moment(e.Stamp, zone)
	}
	row.Ingestion, row.IngestionText = broughtBy(e)
	return row
}

func (h *Records) GetCompared(c echo.Context) error {
	id, err := recordParam(c)
	if err != nil {
		return err
	}
	a, errA := strconv.Atoi(c.QueryParam("a"))
	b, errB := strconv.Atoi(c.QueryParam("b"))
	if errA != nil || errB != nil || a < 1 || b < 1 {
		return c.Redirect(http.StatusSeeOther, pages.RecordsPath+"/"+id+"/versions")
	}
	found, err := h.records.Compare(c.Request().Context(), session.User(c).Practice.ID, id, a, b)
	if err != nil {
		return foundRecord(err)
	}
	if err := h.NoteReading(c, id); err != nil {
		return err
	}
	page := views.RecordComparison{
		ID: id, Name: views.UpperFirst(recordName(found.Head.Chart)), Before: eventOf(found.Before, session.Zone(c)), After: eventOf(found.After, session.Zone(c)), Same: found.Same,
	}
	page.Rows = differences(found, session.Zone(c))
	return h.Render(c, http.StatusOK, "Versions compared", views.ComparedRecord(page))
}

// differences lists the differences between two versions. It shows times in the given time zone.
func differences(found records.Comparison, zone *time.Location) (rows []views.RecordDifference) {
	for _, d := range found.Rows {
		row := views.RecordDifference{Field: d.Subject + ": " + d.Field, Before: birth.NameZone(d.Before, zone), After: birth.NameZone(d.After, zone)}
		if d.Subject == "Mother" || d.Subject == d.Field {
			row.Field = d.Field
		}
		if d.SourceBefore != "" {
			row.SourceBefore = d.SourceBefore.Label()
		}
		if d.SourceAfter != "" {
			row.SourceAfter = d.SourceAfter.Label()
		}
		rows = append(rows, row)
	}
	return rows
}
