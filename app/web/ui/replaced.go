package ui

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/records"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// A push without a timestamp may replace newer values that a person entered (decision 20). In that
// case, the home page and the page of the record state this, and offer to restore what the person
// entered.

// replacedListed is how many records the home page lists in which a push has replaced what a person
// entered. When users have decided about these, the page lists further records. rowsOfReplaced is
// how many differences it shows for each record.
const (
	replacedListed = 5
	rowsOfReplaced = 12
)

// replacedOnHome returns the first records in which a push has replaced what a person entered. Only
// users who may amend records see them. The audit trail records that the user has read each record.
// If the trail can't be written, replacedOnHome returns none, and the page shows only how many such
// records there are.
func (h *Records) replacedOnHome(c echo.Context, waiting int) (all []views.ReplacedRecord, err error) {
	who := session.User(c)
	if waiting == 0 || !who.May(auth.RecordAmend) {
		return nil, nil
	}
	found, err := h.records.Replaced(c.Request().Context(), who.Practice.ID, replacedListed)
	if err != nil {
		return nil, err
	}
	for _, r := range found {
		if err := h.NoteReading(c, r.Head.UUID); errors.Is(err, pages.ErrUnreadable) {
			return nil, nil
		} else if err != nil {
			return nil, err
		}
		shown := replacedRecord(who, r)
		shown.Home = true
		all = append(all, shown)
	}
	return all, nil
}

func replacedRecord(who auth.User, r records.Replacement) views.ReplacedRecord {
	at := who.Practice.Location()
	did := "saved"
	if r.Revived() {
		did = "voided"
	}
	shown := views.ReplacedRecord{
		ID: r.Head.UUID, Name: views.UpperFirst(recordName(r.Head.Chart)), BaseVersion: r.Head.Version, Revived: r.Revived(),
		Text: fmt.Sprintf("On %s, %s %s it. On %s, %s sent another version without a timestamp, so the registry cannot tell which is newer. It applied the version that was sent.",
			views.Moment(r.Before.At, at), r.Before.Who(), did, views.Moment(r.After.At, at), r.After.Who()),
		Compare: fmt.Sprintf("%s/%s/compare?a=%d&b=%d", pages.RecordsPath, r.Head.UUID, r.Before.Version, r.After.Version),
		Rows:    differences(r.Comparison, at),
	}
	if shown.More = len(shown.Rows) - rowsOfReplaced; shown.More > 0 {
		shown.Rows = shown.Rows[:rowsOfReplaced]
	}
	return shown
}

// PostReplaced returns the handler for a record in which a push has replaced what a person entered.
// If restore is true, the handler restores what the person entered. Otherwise it keeps the pushed
// values.
func (h *Records) PostReplaced(restore bool) echo.HandlerFunc {
	return func(c echo.Context) error {
		id, err := recordParam(c)
		if err != nil {
			return err
		}
		form := pages.Posted(c)
		version, _ := strconv.Atoi(form.Get("basis")) // anything but a number counts as no version
		done := "The record is left as it was sent."
		if restore {
			var saved changes.Saved
			saved, err = h.changes.Reinstate(session.User(c), id, version)
			done = restored(saved)
		} else {
			err = h.changes.LeaveReplaced(session.User(c), id, version)
		}
		if errors.Is(err, changes.ErrChanged) || errors.Is(err, changes.ErrState) {
			return changedRecord(id)
		}
		if err != nil {
			return foundRecord(err)
		}
		h.Sessions.Flash(c, done)
		if form.Get("from") == "home" {
			return c.Redirect(http.StatusSeeOther, "/registry")
		}
		return c.Redirect(http.StatusSeeOther, pages.RecordsPath+"/"+id)
	}
}

func restored(saved changes.Saved) string {
	if saved.State == birth.Voided {
		return fmt.Sprintf("The record is voided again, as version %d.", saved.Version)
	}
	return fmt.Sprintf("The values that were saved before are restored, as version %d.", saved.Version)
}

// replacedOf returns what the page of a record shows about a push that has replaced values entered
// by hand. If nobody needs to review the record, or the user may not amend it, replacedOf returns
// nil.
func (h *Records) replacedOf(c echo.Context, head store.Record) (*views.ReplacedRecord, error) {
	if head.Replaced == 0 || head.State != "active" || !session.User(c).May(auth.RecordAmend) {
		return nil, nil
	}
	found, err := h.records.Replacement(c.Request().Context(), session.User(c).Practice.ID, head)
	if err != nil {
		return nil, err
	}
	shown := replacedRecord(session.User(c), found)
	return &shown, nil
}
