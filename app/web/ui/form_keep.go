package ui

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

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

// The form of a new record saves itself as a draft (decision 52). Its script posts the form
// after each field, and every button posts it, too. Every post is answered with a redirect
// to the draft's address, which shows what is stored. So Back and Reload send nothing again
// and lose nothing.

// keepOnly is the button that the script presses. It stores the draft and stays on the
// page.
const keepOnly = "keep"

func draftPath(token string) string { return pages.DraftsPath + "/" + token }

// noDraft is the page for a draft that doesn't exist or that the user may not see.
var noDraft = pages.NewError(
	http.StatusNotFound, "Draft not found",
	"It may have been discarded or saved as a record, or it belongs to somebody else.", pages.DraftsPath, "Go to the drafts",
)

// draftToken reads the draft's token from the address.
func draftToken(c echo.Context) (string, error) {
	id, err := uuid.Parse(c.Param("draft"))
	if err != nil || id.String() != c.Param("draft") {
		return "", noDraft
	}
	return id.String(), nil
}

// resume fills the form with what is stored in its draft.
func (f *birthForm) resume(d drafts.Draft) error {
	f.fresh, f.author, f.revision, f.stored = d.Token, d.Author, d.Revision, d
	f.readRow(d)
	return f.readChart(d.Chart, d.As)
}

// readRow sets what a row of a spreadsheet has filled in.
func (f *birthForm) readRow(d drafts.Draft) {
	if d.Row != nil {
		f.base = form.Filled(d.Row, birth.CSV)
	}
}

// readChart sets the pre-fill from the chart that a draft holds.
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

// GetDraft shows the form as it is stored.
func (h *Form) GetDraft(c echo.Context) error {
	f, err := h.newForm(c)
	if err != nil {
		return err
	}
	if f.fresh, err = draftToken(c); err != nil {
		return err
	}
	if typed, found := h.takeTyped(c); found { // kept because the session had ended
		f.typed, f.notes = typed, nil
		h.Sessions.Flash(c, keptNote)
		return h.keepForm(c, f, false)
	}
	d, err := h.drafts.Open(c.Request().Context(), f.who, f.fresh)
	if errors.Is(err, store.ErrNotFound) {
		return h.savedMeanwhile(c, f)
	}
	if err == nil {
		err = f.resume(d)
	}
	if err != nil {
		return err
	}
	f.typed = d.Typed
	if as := uscore.Role(c.QueryParam("as")); f.pulled != nil && as != "" && as != f.pulled.as {
		if _, known := f.pulled.Reading.As[as]; known { // started again as that person's chart; stored when the form is sent
			f.pulled.as = as
			filled := f.pulled.filled()
			f.base = &filled.Draft
			f.typed = form.Values(filled.Draft)
		}
	}
	f.notes, f.unfolded = f.draftNotes(), c.QueryParam("unfold")
	f.checks = c.QueryParam("check") != ""
	if !f.checks && d.Row == nil { // a row that could not be imported has errors to be shown
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

// recordID returns the ID of the record that the form makes.
func (f *birthForm) recordID() string {
	author := f.who.ID
	if f.author != 0 && f.who.May(auth.RecordRead) {
		author = f.author
	}
	return drafts.RecordID(f.who.Practice.ID, author, f.fresh)
}

// savedMeanwhile redirects to the record that a draft has become.
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

// PostDraft stores the form as a draft and performs the button that was pressed. It
// redirects back to the form or, if the birth is now saved, to the confirmation.
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

// keepForm stores what was sent. If save is set, it also makes a record of it.
func (h *Form) keepForm(c echo.Context, f *birthForm, save bool) error {
	do, seen := f.typed.Get("do"), number(f.typed.Get("revision"))
	f.author = int64(number(f.typed.Get("author")))
	d, err := h.drafts.Stored(c.Request().Context(), f.who, f.fresh)
	switch {
	case errors.Is(err, store.ErrNotFound) && f.typed.Get("owner") == "":
		return noDraft // made for nobody: only a form of this practice may start a draft
	case errors.Is(err, store.ErrNotFound):
		err = h.reopen(c.Request().Context(), f)
	case err == nil:
		f.author, f.stored = d.Author, d
		as := d.As
		if f.typed.Has("as") {
			as = f.typed.Get("as")
		}
		f.readRow(d)
		err = f.readChart(d.Chart, as)
	}
	if err != nil {
		return err
	}
	content := drafts.Content{Page: f.typed.Get("page"), Step: number(f.typed.Get("step")), Note: d.Note, Row: d.Row, Handle: d.Handle, Chart: d.Chart}
	f.edit()
	content.Typed = form.Keep(f.typed, f.fields)
	if do == keepOnly {
		content.Other = d.Other
	}
	if err := f.keepChart(&content); err != nil {
		return err
	}
	if pages.IsForAnother(f.who, f.typed.Get("owner")) {
		if do == keepOnly {
			return h.kept(c, http.StatusConflict, keptAnswer{Text: pages.NowIn(f.who) + " This form was opened in another practice or by somebody else."})
		}
		f.fresh, f.author, f.revision = uuid.NewString(), 0, 0
		return h.movedForm(c, f)
	}
	if do == keepOnly {
		return h.keepSilently(c, f, seen, content)
	}
	return h.keepAndGoOn(c, f, seen, content, save)
}

// keepChart adds the chart that filled in the form to its draft.
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

// keepAndGoOn stores the form when a person (not the script) has pressed a button.
func (h *Form) keepAndGoOn(c echo.Context, f *birthForm, seen int, content drafts.Content, save bool) error {
	ctx := c.Request().Context()
	d, err := h.drafts.Save(ctx, f.who, f.fresh, seen, content)
	switch {
	case errors.Is(err, drafts.ErrStale):
		content.Typed, content.Other = merge(d, content.Typed)
		d, err = h.drafts.Save(ctx, f.who, f.fresh, d.Revision, content)
		save = save && content.Other == nil
	case errors.Is(err, drafts.ErrGone):
		return h.keepAfterEnd(c, f, content, save)
	}
	if err != nil {
		return h.notKept(c, f, err)
	}
	if save {
		return h.saveDraft(c, f, d)
	}
	return c.Redirect(http.StatusSeeOther, draftPath(f.fresh)+f.anchor())
}

// saveDraft makes a record of a stored draft.
func (h *Form) saveDraft(c echo.Context, f *birthForm, d drafts.Draft) error {
	f.stored, f.revision, f.typed = d, d.Revision, form.Keep(f.typed, f.fields)
	err := h.write(c, f)
	if errors.Is(err, errNotWritten) {
		return c.Redirect(http.StatusSeeOther, draftPath(f.fresh)+"?check=1")
	}
	return err
}

// keepAfterEnd handles a form whose draft no longer exists, because it was discarded or has
// become a record. If the form is exactly what was saved, it redirects to that record.
// Otherwise it keeps the form as a new draft.
func (h *Form) keepAfterEnd(c echo.Context, f *birthForm, content drafts.Content, save bool) error {
	ctx := c.Request().Context()
	made, err := h.changes.BaseVersion(ctx, f.who.Practice.ID, f.recordID())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err == nil {
		if save {
			f.typed, f.checks = content.Typed, false
			if err := h.write(c, f); !errors.Is(err, errNotWritten) {
				return err
			}
		}
		f.fresh = uuid.NewString()
		content.Note = "This form was already saved as " + made.Record.Chart + ". What you changed since is kept in this draft: " +
			"amend that record and discard the draft, or save the draft as another birth."
	}
	if _, err := h.drafts.Save(ctx, f.who, f.fresh, 0, content); err != nil {
		return h.notKept(c, f, err)
	}
	return c.Redirect(http.StatusSeeOther, draftPath(f.fresh))
}

// notKept shows the form with everything typed when it couldn't be stored.
func (h *Form) notKept(c echo.Context, f *birthForm, err error) error {
	status := http.StatusUnprocessableEntity
	switch {
	case errors.Is(err, drafts.ErrTooLarge), errors.Is(err, drafts.ErrTooMany):
		f.mistake("save", whyNotKept(err))
	case store.IsUnavailable(err):
		f.mistake("save", notSaved)
		status = http.StatusServiceUnavailable
	case errors.Is(err, store.ErrNotFound):
		return noDraft
	default:
		return err
	}
	f.parse()
	return h.showForm(c, status, f)
}

func whyNotKept(err error) string {
	switch {
	case errors.Is(err, drafts.ErrTooLarge):
		return "The form holds too much text to be kept: shorten it"
	case errors.Is(err, drafts.ErrTooMany):
		return "There are too many drafts: save or discard some of them first"
	}
	return "The registry cannot save at the moment"
}

// anchor returns the place on the page to which the pressed button leads, after the
// draft's path.
func (f *birthForm) anchor() string {
	do := f.typed.Get("do")
	verb, list, found := strings.Cut(do, "-")
	if found && verb == "add" && slices.Contains([]string{birth.ChildList, birth.ProviderList, birth.TransferList}, list) {
		return "#" + list + "." + strconv.Itoa(max(0, form.Count(f.typed, list)-1))
	}
	if tip, taken := f.tip(do); taken {
		return "#" + url.PathEscape(tip.At.String())
	}
	if name, use := strings.CutPrefix(do, "use."); use {
		return "#" + url.PathEscape(name)
	}
	if group, folded := strings.CutPrefix(do, unfold); folded {
		return "?unfold=" + url.QueryEscape(group) + "#" + url.PathEscape(group)
	}
	return ""
}

// number reads a number that the page sends back. It returns 0 for anything else.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// openPrefillDraft stores the chart that fills in a form as a draft, unless it is stored
// already, and returns the stored draft.
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
