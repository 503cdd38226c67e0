package ui

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/changes"
	"birthregistry/app/erase"
	"birthregistry/app/imports"
	"birthregistry/app/records"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// Erase serves the pages on which an admin permanently erases births. It also lists the erased
// births whose chart numbers the registry rejects.
type Erase struct {
	*pages.Pages
	auth    *auth.Service
	erase   *erase.Service
	records *records.Records
}

var eraseReasons = []views.Choice{
	{Value: "", Label: "Choose a reason"},
	{Value: store.ErasedOnRequest, Label: "The client withdraws, or asks for erasure"},
	{Value: store.ErasedByMistake, Label: "It is a test, or was entered by mistake"},
}

// GetErase shows what an erasure deletes and what it leaves, and asks for a reason and the
// password.
func (h *Erase) GetErase(c echo.Context) error {
	page, err := h.page(c)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, "Erase a record", views.Erase(page))
}

func (h *Erase) page(c echo.Context) (page views.ErasePage, err error) {
	id, err := recordParam(c)
	if err != nil {
		return page, err
	}
	ctx, p := c.Request().Context(), session.User(c).Practice.ID
	all, err := h.erase.Affected(ctx, p, id)
	if errors.Is(err, changes.ErrMergedAway) {
		return page, mergedAway(id)
	}
	if errors.Is(err, store.ErrNotFound) {
		return page, noRecord
	}
	if err != nil {
		return page, err
	}
	page = views.ErasePage{ID: id, Reasons: eraseReasons}
	for _, r := range all.Records {
		page.Numbered = page.Numbered || r.Chart != ""
		if r.UUID == id {
			page.Name, page.BaseVersion = recordName(r.Chart), r.Version
			page.Gone = []string{
				fmt.Sprintf("The record with its whole history (%s): everything about mother, newborns and care", views.Count(r.Version, "version", "versions")),
				"Its place in every figure, list and search",
				"What the registry’s receipts and uploaded files still say about it",
			}
		} else {
			page.Also = append(page.Also, recordLink(r.UUID, r.Chart))
		}
	}
	page.Stays, err = h.stays(ctx, p, id)
	return page, err
}

// stays lists the records that were voided as duplicates of this record. They stay on file when
// this record is erased.
func (h *Erase) stays(ctx context.Context, p store.PracticeID, id string) (all []views.Link, err error) {
	voided, err := h.records.VoidedFor(ctx, p, id)
	for _, r := range voided {
		all = append(all, recordLink(r.UUID, r.Chart))
	}
	return all, err
}

// mergedAway returns the page which states why a merged record can't be erased separately.
func mergedAway(id string) error {
	return recordConflict(id, "This record is merged into another one",
		"The two are the same birth. Erase the remaining record; that also erases this one. If they are two births, undo the merge first. Nothing was changed.")
}

// keptLess is the last sentence of the messages about an erasure that was interrupted. An erasure
// changes receipts and uploaded files before it deletes the record.
const keptLess = "Some receipts and uploaded files may already have been changed."

func (h *Erase) PostErase(c echo.Context) error {
	page, err := h.page(c)
	if err != nil {
		return err
	}
	form := pages.Posted(c)
	reason, who := form.Get("reason"), session.User(c)
	wrong := wrongPassword(h.auth.Confirm(c.Request().Context(), who, form.Get("password")))
	if !slices.ContainsFunc(eraseReasons[1:], func(known views.Choice) bool { return known.Value == reason }) {
		wrong = errors.Join(errReason, wrong)
	}
	if wrong != nil {
		page.Reasons = chosen(page.Reasons, reason)
		fields := map[error]string{errPassword: "password", errReason: "reason"}
		return h.Mistake(c, wrong, fields, "Erase a record", views.Erase(page))
	}
	version, _ := strconv.Atoi(form.Get("basis")) // anything but a number counts as no version
	err = h.erase.Birth(c.Request().Context(), who, page.ID, reason, version)
	switch {
	case errors.Is(err, changes.ErrChanged):
		return recordConflict(page.ID, "The record has changed",
			"Somebody has changed this record since you opened it, so the birth is not erased. Review the record, then erase it again. "+keptLess)
	case errors.Is(err, changes.ErrMergedAway):
		return mergedAway(page.ID)
	case errors.Is(err, imports.ErrRunning):
		return recordConflict(page.ID, "A spreadsheet is being imported",
			"This birth is in a spreadsheet that is still being imported, so it is not erased yet. Erase it when the import has ended. "+keptLess)
	case errors.Is(err, store.ErrNotFound):
		return noRecord
	case err != nil:
		return err
	}
	return h.Done(c, pages.RecordsPath, "The birth is erased.")
}

const erasedShown = 100

// GetErased lists the erased births whose chart numbers the registry rejects.
func (h *Erase) GetErased(c echo.Context) error {
	who := session.User(c)
	all, err := h.erase.Tombstones(c.Request().Context(), who.Practice.ID, erasedShown+1)
	if err != nil {
		return err
	}
	page := views.ErasedPage{May: who.May(auth.RecordErase), More: len(all) > erasedShown}
	for _, t := range all[:min(len(all), erasedShown)] {
		row := views.ErasedRow{
			ID: strconv.FormatInt(t.ID, 10), When: views.Moment(t.CreatedAt, who.Practice.Location()), By: t.By, Number: t.UUID,
			Reason: labelOfChoice(eraseReasons, t.Reason),
		}
		if t.Refused > 0 {
			row.Refused = fmt.Sprintf("It was sent again %s, last on %s, and rejected.", views.Count(t.Refused, "time", "times"), views.Moment(t.RefusedAt, who.Practice.Location()))
		}
		page.Rows = append(page.Rows, row)
	}
	return h.Render(c, http.StatusOK, "Erased births", views.Erased(page))
}

// PostErased returns the handler for an admin's decision about an erased birth. decide carries the
// decision out: the registry either continues to reject the birth's chart number, or allows the
// birth to be recorded again. done is the message that the next page shows.
func (h *Erase) PostErased(decide func(*erase.Service, auth.User, int64) error, done string) echo.HandlerFunc {
	return func(c echo.Context) error {
		if err := decide(h.erase, session.User(c), idParam(c, "tombstone")); err != nil {
			return err
		}
		return h.Done(c, pages.ErasedPath, done)
	}
}

// erasedMistake is the mistake in the form if the birth with the chart number was erased.
const erasedMistake = "The practice has erased the birth with this chart number. Nothing is saved. Check the number, or ask an admin to allow it under Records, Erased births"
