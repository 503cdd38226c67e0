package ui

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/drafts"
	"birthregistry/app/mapping/form"
	"birthregistry/app/mapping/uscore"
	"birthregistry/app/smart"
	"birthregistry/app/web/pages"
	"birthregistry/store"
)

// The form of a new record, or of an amendment, saves itself as a draft (decision 52). Its script
// posts the form after each field, and gets JSON back. Every button posts the form, too. If the
// draft could be stored, the response to a button is a redirect to an address that shows the stored
// draft. Back and Reload therefore resend nothing and lose nothing.

// keepOnly is the value of the button in a request of the script that stores the draft without
// leaving the page.
const keepOnly = "keep"

func draftPath(token string) string { return pages.DraftsPath + "/" + token }

// noDraft is the page for a draft that doesn't exist, or that the user may not see.
var noDraft = pages.NewError(
	http.StatusNotFound, "Draft not found",
	"It may have been discarded or saved as a record, or it belongs to somebody else.", pages.DraftsPath, "Go to the drafts",
)

func draftToken(c echo.Context) (string, error) {
	id, err := uuid.Parse(c.Param("draft"))
	if err != nil || id.String() != c.Param("draft") {
		return "", noDraft
	}
	return id.String(), nil
}

// resume restores a form from its draft. It doesn't restore the typed values, which the caller
// sets.
func (f *birthForm) resume(d drafts.Draft) error {
	f.fresh, f.author, f.revision, f.stored = d.Token, d.Author, d.Revision, d
	f.readRow(d)
	return f.readChart(d.Chart, d.As)
}

// readRow restores the values with which a row of a spreadsheet has filled in the form.
func (f *birthForm) readRow(d drafts.Draft) {
	if d.Row != nil {
		f.base = form.Filled(d.Row, birth.CSV)
	}
}

// readChart fills in the form from doc, the chart that a draft holds. as is the role that the user
// has chosen for the chart's patient: mother or newborn.
func (f *birthForm) readChart(doc []byte, as string) error {
	if len(doc) == 0 {
		return nil
	}
	p, err := smart.ReadDocument(doc)
	if err != nil {
		return err
	}
	f.fillFromChart(&chartFill{p, "", uscore.Role(as)})
	return nil
}

func (h *Form) GetDraft(c echo.Context) error {
	f, err := h.newForm(c)
	if err != nil {
		return err
	}
	if f.fresh, err = draftToken(c); err != nil {
		return err
	}
	if typed, found := h.takeTyped(c); found { // the form that was kept because the session had ended
		f.typed, f.notes = typed, nil
		h.Sessions.Flash(c, keptNote)
		return h.keepForm(c, f, false)
	}
	d, err := h.drafts.Open(c.Request().Context(), f.who, f.fresh)
	if errors.Is(err, store.ErrNotFound) {
		return h.savedMeanwhile(c, f)
	}
	switch {
	case err != nil:
		return err
	case d.Record != "" && d.Author == f.who.ID:
		return c.Redirect(http.StatusSeeOther, amendPath(d.Record))
	case d.Record != "":
		f.uuid = d.Record
		return h.continueAmendment(c, f, d)
	}
	if err := f.resume(d); err != nil {
		return err
	}
	f.typed = d.Typed
	if as := uscore.Role(c.QueryParam("as")); f.pulled != nil && as != "" && as != f.pulled.as {
		if _, known := f.pulled.Reading.As[as]; known { // read the chart as the chosen person's; sending the form stores this choice
			f.pulled.as = as
			filled := f.pulled.filled()
			f.base = &filled.Draft
			f.typed = form.Values(filled.Draft)
		}
	}
	f.notes, f.unfolded, f.removing = f.draftNotes(), c.QueryParam("unfold"), c.QueryParam("remove")
	f.checks = c.QueryParam("check") != ""
	if !f.checks && d.Row == nil { // a draft from a row with errors always shows them
		f.parse()
		return h.showForm(c, http.StatusOK, f)
	}
	f.read()
	if err := h.findTaken(c.Request().Context(), f, f.recordID()); err != nil {
		return err
	}
	if len(f.found) == 0 || c.QueryParam("check") == "" {
		return h.showForm(c, http.StatusOK, f)
	}
	return h.showForm(c, http.StatusUnprocessableEntity, f)
}

func (f *birthForm) recordID() string {
	author := f.who.ID
	if f.author != 0 && f.who.May(auth.RecordRead) {
		author = f.author
	}
	return drafts.RecordID(f.who.Practice.ID, author, f.fresh)
}

// savedMeanwhile redirects to the confirmation of the record that the draft has become. If there is
// no such record, it returns noDraft.
func (h *Form) savedMeanwhile(c echo.Context, f *birthForm) error {
	made, err := h.changes.BaseVersion(c.Request().Context(), f.who.Practice.ID, f.recordID())
	switch {
	case errors.Is(err, store.ErrNotFound):
		return noDraft
	case err != nil:
		return err
	}
	return h.toSaved(c, f, changes.SavedAs(made.Record))
}

// PostDraft stores the form as a draft, and then does what the pressed button asks. It redirects
// back to the form. If the birth has been saved, it redirects to the confirmation instead.
func (h *Form) PostDraft(c echo.Context) error {
	f, err := h.newForm(c)
	if err != nil {
		return err
	}
	if f.fresh, err = draftToken(c); err != nil {
		return err
	}
	if f.typed, err = pages.Form(c); err != nil {
		return err
	}
	do := f.typed.Get("do")
	f.checks = do == "save"
	return h.keepForm(c, f, f.checks || do == saveAnyway)
}

// keepForm stores the submitted form as a draft. If save is set, it also saves the draft as a
// record.
func (h *Form) keepForm(c echo.Context, f *birthForm, save bool) error {
	ctx, do, seen := c.Request().Context(), f.typed.Get("do"), number(f.typed.Get("revision"))
	f.author = int64(number(f.typed.Get("author")))
	if record, asks := f.asksToAmend(); asks {
		if _, err := h.drafts.Stored(ctx, f.who, f.fresh); errors.Is(err, store.ErrNotFound) {
			f.amend(record) // another user's draft that has ended: the form becomes a draft of this user
			seen = 0
		}
	}
	err := h.openStored(ctx, f)
	if pages.IsForAnother(f.who, f.typed.Get("owner")) && (err == nil || errors.Is(err, pages.ErrNotFound)) {
		return h.keepForAnother(c, f, err)
	}
	if errors.Is(err, pages.ErrNotFound) && do == keepOnly {
		return h.JSON(c, http.StatusConflict, keptAnswer{Text: "This record is no longer on file, so nothing is saved. It may have been erased."})
	}
	if err != nil {
		return err
	}
	d := f.stored
	content := drafts.Content{
		Page: f.typed.Get("page"), Step: number(f.typed.Get("step")), Note: d.Note, Row: d.Row, Handle: d.Handle, Chart: d.Chart,
		Record: f.uuid, BaseVersion: f.version,
	}
	f.edit()
	content.Typed = form.Keep(f.typed, f.fields)
	if err := f.keepChart(&content); err != nil {
		return err
	}
	if do != keepOnly {
		return h.keepAndGoOn(c, f, seen, content, save)
	}
	if content.Other, err = h.seenOther(ctx, f); err != nil {
		return err
	}
	return h.keepSilently(c, f, seen, content)
}

// openStored reads the stored draft of the submitted form, if there is one. It also reads what has
// filled in the form: a chart, a row of a spreadsheet or a record.
func (h *Form) openStored(ctx context.Context, f *birthForm) error {
	d, err := h.drafts.Stored(ctx, f.who, f.fresh)
	switch {
	case errors.Is(err, store.ErrNotFound) && f.typed.Get("owner") == "" && !f.amends():
		return noDraft // a form that names no user can't start a draft (form_owner.go)
	case errors.Is(err, store.ErrNotFound):
		err = h.reopen(ctx, f)
	case err == nil:
		as := d.As
		if f.typed.Has("as") {
			as = f.typed.Get("as")
		}
		f.author, f.stored, f.uuid = d.Author, d, d.Record
		f.readRow(d)
		err = f.readChart(d.Chart, as)
	}
	if err != nil || !f.amends() {
		return err
	}
	f.checks = false
	return h.openRecord(ctx, f, number(f.typed.Get("basis")))
}

// asksToAmend returns the ID of the record that the submitted form amends, according to the form.
// asks is false if the form contains no record ID, or if the address to which it was sent already
// contains one.
func (f *birthForm) asksToAmend() (record string, asks bool) {
	record = f.typed.Get("record")
	id, err := uuid.Parse(record)
	return record, err == nil && id.String() == record && !f.amends()
}

// keepForAnother answers a form that was made for another user or another practice. It stores
// nothing. notFound is the error if the form amends a record that this practice doesn't have, or
// nil.
func (h *Form) keepForAnother(c echo.Context, f *birthForm, notFound error) error {
	switch {
	case f.typed.Get("do") == keepOnly:
		return h.JSON(c, http.StatusConflict, keptAnswer{Text: pages.NowIn(f.who) + " This form was opened in another practice or by somebody else."})
	case notFound != nil:
		return h.strandedForm(c, f)
	}
	f.edit()
	if f.amends() {
		f.amend(f.uuid)
	} else {
		f.fresh, f.author, f.revision = uuid.NewString(), 0, 0
	}
	return h.movedForm(c, f)
}

// keepChart adds the chart that has filled in the form, if any, to the content of the draft.
func (f *birthForm) keepChart(content *drafts.Content) (err error) {
	if f.pulled == nil {
		return nil
	}
	content.As = string(f.pulled.as)
	if f.pulled.handle != "" {
		content.Handle = f.pulled.handle
	}
	if len(content.Chart) == 0 {
		content.Chart, err = f.pulled.Document()
	}
	return err
}

// number parses a number in a submitted form, such as a revision. If the text isn't a number, or
// the number is negative, it returns 0.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// openPrefillDraft returns the stored draft of a form that was prefilled from an EHR's chart. If no
// draft is stored yet, openPrefillDraft stores one with the content of the form and the chart, and
// returns that draft.
func (h *Form) openPrefillDraft(ctx context.Context, f *birthForm) (drafts.Draft, error) {
	d, err := h.drafts.Stored(ctx, f.who, f.fresh)
	if !errors.Is(err, store.ErrNotFound) {
		return d, err
	}
	content := drafts.Content{Typed: form.Keep(f.typed, f.fields)}
	if err := f.keepChart(&content); err != nil {
		return d, err
	}
	return h.drafts.Save(ctx, f.who, f.fresh, 0, content)
}
