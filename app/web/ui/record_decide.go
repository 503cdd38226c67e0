package ui

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// maxReason is the maximum length, in characters, of the reason why a record is voided, restored or
// merged.
const maxReason = 500

// decisionState maps an action, "void" or "restore", to the state that a record must have for it.
var decisionState = map[string]birth.State{"void": birth.Active, "restore": birth.Voided}

// GetDecision returns the handler that asks for the reason to void or restore a record. action is
// "void" or "restore".
func (h *Records) GetDecision(action string) echo.HandlerFunc {
	return func(c echo.Context) error {
		head, err := h.decided(c, action)
		if err != nil {
			return err
		}
		return h.decisionPage(c, http.StatusOK, action, head, "")
	}
}

// decided returns the record in the path. It returns an error if the record isn't in the state that
// the action requires (see decisionState).
func (h *Records) decided(c echo.Context, action string) (head store.Record, err error) {
	id, err := recordParam(c)
	if err != nil {
		return head, err
	}
	if head, err = h.records.Find(c.Request().Context(), session.User(c).Practice.ID, id); err != nil {
		return head, foundRecord(err)
	}
	if head.State != decisionState[action] {
		return head, changedRecord(id)
	}
	return head, nil
}

// changedRecord returns the page which states that somebody else has changed the record in the
// meantime.
func changedRecord(id string) error {
	return recordConflict(id, "The record has changed", "Somebody has changed this record since you opened it. Nothing was changed. Review it again first.")
}

// recordConflict returns the page for an action that the current state of a record doesn't allow.
func recordConflict(id, title, text string) error {
	return pages.NewError(http.StatusConflict, title, text, recordAddress(id), "See the record")
}

func (h *Records) decisionPage(c echo.Context, status int, action string, head store.Record, reason string, mistakes ...views.Mistake) error {
	d := views.RecordDecision{
		ID: head.UUID, Name: recordName(head.Chart), Action: action, BaseVersion: head.Version, Reason: reasonInput("Reason", reason),
	}
	return h.Render(c, status, views.UpperFirst(action)+" a record", views.DecideRecord(d), mistakes...)
}

// reasonInput returns the box that asks why a record is voided, restored or merged.
func reasonInput(label, reason string) views.Input {
	return views.Input{
		Name: "reason", Label: label, Hint: "Others can read the reason in the record's history. It is stored encrypted.", Value: reason,
	}
}

// PostDecision returns the handler that voids or restores a record. action is "void" or "restore".
func (h *Records) PostDecision(action string) echo.HandlerFunc {
	return func(c echo.Context) error {
		id, err := recordParam(c)
		if err != nil {
			return err
		}
		head, err := h.records.Find(c.Request().Context(), session.User(c).Practice.ID, id)
		if err != nil {
			return foundRecord(err)
		}
		form := pages.Posted(c)
		reason := strings.TrimSpace(birth.Plain(form.Get("reason")))
		if wrong := wrongReason(reason); wrong != "" {
			return h.decisionPage(c, http.StatusUnprocessableEntity, action, head, reason, views.Mistake{Name: "reason", Text: wrong})
		}
		done := "restored. It counts again."
		if action == "void" {
			version, _ := strconv.Atoi(form.Get("basis")) // anything but a number counts as no version
			_, err = h.changes.Void(session.User(c), id, reason, version)
			done = "voided. It no longer counts."
		} else {
			var saved changes.Saved
			if saved, err = h.changes.Restore(session.User(c), id, reason); saved.State == birth.Merged {
				done = "restored. It is merged into another record, so it isn’t counted."
			}
		}
		if errors.Is(err, changes.ErrChanged) || errors.Is(err, changes.ErrState) {
			return changedRecord(id)
		}
		if errors.Is(err, changes.ErrWouldDuplicate) {
			return h.decisionPage(c, http.StatusUnprocessableEntity, action, head, reason,
				views.Mistake{Name: "reason", Text: "Another record on file describes the same birth. Void that one first."})
		}
		if err != nil {
			return foundRecord(err)
		}
		return h.Done(c, pages.RecordsPath+"/"+id, views.UpperFirst(recordName(head.Chart))+" is "+done)
	}
}

func wrongReason(reason string) string {
	switch {
	case reason == "":
		return "Write the reason."
	case utf8.RuneCountInString(reason) > maxReason:
		return "Shorten the reason to " + strconv.Itoa(maxReason) + " characters."
	case !utf8.ValidString(reason):
		return "Write the reason again: it has characters that cannot be read."
	}
	return ""
}
