package ui

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/customfields"
	"birthregistry/app/drafts"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping/form"
	"birthregistry/app/records"
	"birthregistry/app/smart"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// SavedPath is the path of the page that confirms a saved birth. AmendPath is the path of the form
// that amends a record.
const (
	SavedPath = pages.FormPath + "/saved"
	AmendPath = pages.RecordsPath + "/:record/amend"
)

type Form struct {
	*pages.Pages
	customFields *customfields.Service
	changes      *changes.Writer
	records      *records.Records
	smart        *smart.Service
	drafts       *drafts.Service
}

// birthForm is the state of one form while a request is handled.
type birthForm struct {
	who       auth.User
	fields    []birth.CustomField // the practice's custom fields
	directory *directory
	typed     url.Values // the values as typed, tidied
	fresh     string     // the token of the form and of its draft
	made      string     // the owner for whom the page was made (strandedForm); "" for the user of the request

	// The next fields are for a draft: the user who started it, the revision that the page shows,
	// and the stored draft.
	author   int64
	revision int
	stored   drafts.Draft

	// The next fields are for an amendment. uuid and chart identify the record. now is the current
	// version of the record, and from is the version that filled in the form. version is the version
	// number of from, or 0 if it isn't known.
	uuid, chart string
	now, from   changes.BaseVersion
	version     int
	// base holds the values that filled in the form. They come from the version that is being
	// amended, from a prefill (a chart from an EHR), or from a row of a spreadsheet. It is nil if
	// the form began empty.
	base *birth.Draft
	// present holds the providers of the record that is being amended. The keys are the values of
	// the options in the form's list of providers.
	present map[string]birth.Provider
	onFile  map[string]string // the practice's custom fields on file
	pulled  *chartFill        // the prefill, or nil
	gone    bool              // the prefill that the form names no longer exists
	notes   []string          // texts above the form
	// unfolded is the group whose folded fields a button requested, and removing the newborn that a
	// button asked to remove. checks is set if Save was pressed and missing facts must be listed.
	unfolded string
	removing string
	checks   bool

	form    form.Reading
	checked []birth.CheckFinding // the findings of the last parse
	custom  map[string]string
	found   []birth.CheckFinding
	taken   *store.Record // the record that already has the chart number typed for the new record
}

func (f *birthForm) amends() bool { return f.uuid != "" }

// read parses the typed values, and collects all problems with them.
func (f *birthForm) read() {
	f.parse()
	custom, problems := form.ReadCustom(f.typed, f.fields, f.onFile)
	f.custom = custom
	f.found = append(f.form.Found(slices.Concat(f.checked, f.namesakes())), problems...)
}

// mistake adds a problem that keeps the form from being saved. field is the name of the form field
// that has the problem, or "save" for a problem of the whole form.
func (f *birthForm) mistake(field, text string) {
	f.found = append([]birth.CheckFinding{{Rule: "save", About: []birth.Path{birth.At(field)}, Blocks: true, Text: text}}, f.found...)
}

func (h *Form) newForm(c echo.Context) (*birthForm, error) {
	who := session.User(c)
	fields, err := h.customFields.List(c.Request().Context(), who.Practice.ID)
	known := &directory{h: h, ctx: c.Request().Context(), practice: who.Practice.ID}
	return &birthForm{who: who, fields: fields, directory: known, typed: url.Values{}}, err
}

// GetNew shows an empty form. If the user had to sign in again while filling in a form, GetNew
// shows that form instead.
func (h *Form) GetNew(c echo.Context) error {
	f, err := h.newForm(c)
	if err != nil {
		return err
	}
	f.fresh = uuid.NewString()
	if typed, found := h.takeTyped(c); found {
		f.typed, f.fresh, f.notes = typed, typed.Get("fresh"), []string{keptNote}
		if err := h.reopen(c.Request().Context(), f); err != nil {
			return err
		}
		if f.pulled != nil && !h.Sessions.OffersChart(c) { // the session is a new one
			h.Sessions.OfferChart(c, f.pulled.handle)
		}
		h.hold(c, f)
		f.parse()
	}
	return h.showForm(c, http.StatusOK, f)
}

func (h *Form) showForm(c echo.Context, status int, f *birthForm) error {
	title := "Record a birth"
	if f.amends() {
		title = "Amend a record"
	}
	page := f.view()
	return h.Render(c, status, title, views.BirthFormPage(page), page.Mistakes...)
}

// PostNew handles a submitted form of a new record. It saves the record, unless another button was
// pressed, such as the one that adds a newborn.
func (h *Form) PostNew(c echo.Context) error {
	f, err := h.newForm(c)
	if err != nil {
		return err
	}
	if f.typed, err = pages.Form(c); err != nil {
		return err
	}
	if f.fresh = f.typed.Get("fresh"); f.fresh == "" || len(f.fresh) > 64 {
		f.fresh = uuid.NewString()
	}
	if err := h.reopen(c.Request().Context(), f); err != nil {
		return err
	}
	h.hold(c, f)
	edited := f.edit()
	switch {
	case pages.IsForAnother(f.who, f.typed.Get("owner")):
		return h.movedForm(c, f)
	case edited:
		return h.showForm(c, http.StatusOK, f)
	case f.gone:
		return h.goneForm(c, f)
	}
	return h.save(c, f)
}

const chartTaken = "A record with this chart number is on file. Enter another number, or have that record amended"

// findTaken adds a mistake to the form if another record of the practice has the typed chart
// number, or if the birth with this number was erased. The page can then show this mistake together
// with all other mistakes. own is the ID of the record that this form makes. If the form was sent
// before, that record exists and has the chart number, which is no mistake.
func (h *Form) findTaken(ctx context.Context, f *birthForm, own string) error {
	chart := f.form.Draft.Chart
	if chart == "" {
		return nil
	}
	on, err := h.records.Find(ctx, f.who.Practice.ID, chart)
	if errors.Is(err, records.ErrNotFound) {
		return h.findErased(ctx, f, chart)
	}
	if store.IsUnavailable(err) { // saving the record reports it
		return nil
	}
	if two := (*records.SameNumberError)(nil); errors.As(err, &two) {
		f.mistake("chart_number", chartTaken)
		return nil
	}
	if err == nil && on.Chart == chart && on.UUID != own {
		f.taken = &on
		f.mistake("chart_number", chartTaken)
	}
	return err
}

// findErased adds a mistake to the form if the practice has erased a birth with this chart number.
func (h *Form) findErased(ctx context.Context, f *birthForm, chart string) error {
	erased, err := h.changes.IsErased(ctx, f.who.Practice.ID, chart)
	if store.IsUnavailable(err) { // saving the record reports it
		return nil
	}
	if err == nil && erased {
		f.mistake("chart_number", erasedMistake)
	}
	return err
}

// save checks the form and writes the record. If the form has mistakes, save shows the form again.
func (h *Form) save(c echo.Context, f *birthForm) error {
	err := h.write(c, f)
	if errors.Is(err, errNotWritten) {
		return h.showForm(c, http.StatusUnprocessableEntity, f)
	}
	return err
}

// errNotWritten means that the user must check something before the birth can be saved.
var errNotWritten = errors.New("ui: the form has mistakes")

// errDuplicates means that saving the form would create a second record of the same birth.
var errDuplicates = fmt.Errorf("%w: it would duplicate another record", errNotWritten)

// write checks the form and writes the record. If the form has mistakes, write adds them to the
// form and returns errNotWritten.
func (h *Form) write(c echo.Context, f *birthForm) error {
	f.read()
	entry := changes.Form{Draft: f.form.Draft, Custom: f.custom, UUID: f.uuid, BaseVersion: f.version, Token: f.fresh}
	if !f.amends() {
		entry.Fresh = f.recordID()
		if err := h.findTaken(c.Request().Context(), f, entry.Fresh); err != nil {
			return err
		}
	}
	if birth.Blocked(f.found) || !f.confirmed() || f.checks && len(f.missing()) > 0 {
		return errNotWritten
	}
	saved, err := h.changes.Save(f.who, entry)
	switch {
	case errors.Is(err, changes.ErrChanged), errors.Is(err, changes.ErrState): // the draft's page shows why
	case errors.Is(err, changes.ErrSavedAlready):
		f.mistake("save", "This form was already saved as "+saved.Chart+", with other content. Nothing is saved now. "+
			"Amend that record, or start a new form")
	case errors.Is(err, changes.ErrChartTaken):
		f.mistake("chart_number", chartTaken)
	case errors.Is(err, changes.ErrErased):
		f.mistake("chart_number", erasedMistake)
	case errors.Is(err, changes.ErrWouldDuplicate):
		return errDuplicates
	case store.IsUnavailable(err):
		f.mistake("save", notSaved)
		return h.showForm(c, http.StatusServiceUnavailable, f)
	case errors.Is(err, fhir.TooManyElements):
		f.mistake("save", "A name on this form is too long to be stored. Shorten it")
	case err != nil:
		return err
	default:
		h.spendChart(c, f)
		return h.toSaved(c, f, saved)
	}
	return errNotWritten
}

// spendChart deletes the chart that has filled in the form, because the birth is now saved.
func (h *Form) spendChart(c echo.Context, f *birthForm) {
	switch {
	case f.pulled != nil && f.pulled.handle != "":
		h.Sessions.SpendChart(c, f.pulled.handle)
	case f.stored.Handle != "":
		h.Sessions.SpendChart(c, f.stored.Handle)
	}
}
