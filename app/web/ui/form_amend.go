package ui

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/drafts"
	"birthregistry/app/mapping/form"
	"birthregistry/app/web/pages"
	"birthregistry/store"
)

// An amendment is stored as a draft, like a new birth (form_keep.go). There is one draft for each
// author and record. The author continues the draft at the address of the record. Other users who
// may amend records continue it at the address of the draft. If the record has changed since the
// form was filled in, the page lists the differences (form_overtaken.go). The amendment can be
// saved only after the user has seen that list.

func amendPath(record string) string { return recordAddress(record) + "/amend" }

// address returns the path at which the form is shown and to which it is sent.
func (f *birthForm) address() string {
	if f.amends() && (f.author == 0 || f.author == f.who.ID) {
		return amendPath(f.uuid)
	}
	return draftPath(f.fresh)
}

// amend changes the form to an amendment of a record. The amendment is stored in the user's own
// draft.
func (f *birthForm) amend(record string) {
	f.uuid, f.author, f.revision = record, 0, 0
	f.fresh = drafts.AmendmentToken(f.who.Practice.ID, f.who.ID, record)
}

func (h *Form) newAmendment(c echo.Context) (*birthForm, error) {
	f, err := h.newForm(c)
	if err != nil {
		return nil, err
	}
	record, err := recordParam(c)
	if err != nil {
		return nil, pages.ErrNotFound
	}
	f.amend(record)
	return f, nil
}

// openRecord reads the record that the form amends. version is the version of the record that has
// filled in the form. Its values become the base of the form. If the record has no such version,
// the base is empty. openRecord returns auth.ErrForbidden if the user may not amend records, and
// pages.ErrNotFound if the practice has no such record.
func (h *Form) openRecord(ctx context.Context, f *birthForm, version int) error {
	if err := f.who.Must(auth.RecordAmend); err != nil {
		return err
	}
	now, err := h.changes.BaseVersion(ctx, f.who.Practice.ID, f.uuid)
	if errors.Is(err, store.ErrNotFound) {
		return pages.ErrNotFound
	}
	if err != nil {
		return err
	}
	f.chart, f.now = now.Record.Chart, now
	if version > now.Record.Version {
		version = 0
	}
	from, err := h.recordAt(ctx, f, version)
	if err != nil {
		return err
	}
	f.fillFrom(from, version)
	return nil
}

// recordAt returns a version of the record. If there is no such version, it returns an empty
// record, and everything that was typed counts as changed.
func (h *Form) recordAt(ctx context.Context, f *birthForm, version int) (changes.BaseVersion, error) {
	if version == f.now.Record.Version {
		return f.now, nil
	}
	at, err := h.changes.BaseVersionAt(ctx, f.who.Practice.ID, f.uuid, version)
	if errors.Is(err, store.ErrNotFound) {
		return changes.BaseVersion{}, nil
	}
	return at, err
}

// fillFrom makes a version of the record the base of the form. The values of that version then fill
// in the form.
func (f *birthForm) fillFrom(from changes.BaseVersion, version int) {
	f.version, f.from, f.base, f.onFile = version, from, &from.Draft, from.Custom
	f.present = map[string]birth.Provider{}
	for n, id := range slices.Backward(from.Known) { // if one provider has two identities, the first counts
		f.present[strconv.FormatInt(id, 10)] = from.Draft.Providers[n]
	}
}

func (f *birthForm) values(from changes.BaseVersion) url.Values {
	filled := form.Values(from.Draft)
	filled.Del("chart_number")
	for n, id := range from.Known { // people whom the practice knows are chosen from the list
		form.Choose(filled, n, strconv.FormatInt(id, 10))
	}
	form.CustomValues(filled, f.fields, from.Custom)
	return filled
}

// GetAmendment shows the user's draft of an amendment to the record. If there is no draft, it shows
// a form that is filled in with the record's current values.
func (h *Form) GetAmendment(c echo.Context) error {
	f, err := h.newAmendment(c)
	if err != nil {
		return err
	}
	if typed, found := h.takeTyped(c); found { // kept because the session had ended
		f.typed = typed
		h.Sessions.Flash(c, keptNote)
		return h.keepForm(c, f, false)
	}
	ctx := c.Request().Context()
	d, err := h.drafts.Open(ctx, f.who, f.fresh)
	switch {
	case err == nil:
		return h.continueAmendment(c, f, d)
	case errors.Is(err, store.ErrDamaged): // a damaged draft can only be discarded
		return c.Redirect(http.StatusSeeOther, draftPath(f.fresh)+"/discard")
	case !errors.Is(err, store.ErrNotFound):
		return err
	}
	if err := h.openRecord(ctx, f, 0); err != nil {
		return err
	}
	if f.now.Record.State == birth.Voided {
		return pages.NewError(http.StatusConflict, "This record is voided", "A voided record cannot be amended. Restore it first.", recordAddress(f.uuid), "Go to the record")
	}
	if err := h.NoteReading(c, f.uuid); err != nil {
		return err
	}
	f.fillFrom(f.now, f.now.Record.Version)
	f.typed, f.notes = f.values(f.now), f.amendNotes()
	f.parse()
	return h.showForm(c, http.StatusOK, f)
}

// continueAmendment shows a draft of an amendment. If somebody has changed or voided the record
// since the draft was begun, the page states that.
func (h *Form) continueAmendment(c echo.Context, f *birthForm, d drafts.Draft) error {
	ctx := c.Request().Context()
	if err := f.resume(d); err != nil {
		return err
	}
	if err := h.openRecord(ctx, f, d.BaseVersion); err != nil {
		return err
	}
	if err := h.NoteReading(c, f.uuid); err != nil {
		return err
	}
	f.typed, f.unfolded, f.removing = d.Typed, c.QueryParam("unfold"), c.QueryParam("remove")
	f.notes = append(f.draftNotes(), f.amendNotes()...)
	if err := h.takeOver(ctx, f); err != nil {
		return err
	}
	check, voided := c.QueryParam("check"), f.now.Record.State == birth.Voided
	if check == "" && !voided {
		f.parse()
		return h.showForm(c, http.StatusOK, f)
	}
	f.read()
	status := http.StatusOK
	if check == checkDuplicates {
		f.mistake("mother_family_name", "With these changes the record would duplicate another one with the same mother and time of birth. Check both records")
	}
	if len(f.found) > 0 {
		status = http.StatusUnprocessableEntity
	}
	if voided {
		f.mistake("save", voidedMeanwhile)
		status = http.StatusConflict
	}
	return h.showForm(c, status, f)
}

// PostAmendment stores the form of an amendment as a draft, and then does what the pressed button
// asks. If the form names no button, PostAmendment saves the amendment.
func (h *Form) PostAmendment(c echo.Context) error {
	f, err := h.newAmendment(c)
	if err != nil {
		return err
	}
	if f.typed, err = pages.Form(c); err != nil {
		return err
	}
	do := f.typed.Get("do")
	return h.keepForm(c, f, do == "" || do == "save" || do == saveAnyway)
}

func (f *birthForm) amendNotes() []string {
	if f.now.Record.State == birth.Merged {
		return []string{"This record was merged into another one and is not counted. Amend the other record instead. This record’s page links to it."}
	}
	return nil
}

// checkDuplicates is a value of the query parameter "check". It makes the page of the form state
// that saving the amendment would duplicate another record.
const checkDuplicates = "duplicates"

// These are mistakes that concern the form as a whole.
const (
	notSaved        = "The registry cannot save at the moment. Nothing you typed is lost. Wait a minute and save again"
	voidedMeanwhile = "The record was voided after you opened it. Your changes stay in this draft. Have the record restored first, then save again"
)
