package ui

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/mapping/form"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

// openAmend returns the form that amends a record, filled with the record's present values.
func (h *Form) openAmend(c echo.Context) (*birthForm, changes.BaseVersion, error) {
	f, err := h.newForm(c)
	if err != nil {
		return nil, changes.BaseVersion{}, err
	}
	now, err := h.changes.BaseVersion(c.Request().Context(), f.who.Practice.ID, c.Param("record"))
	if errors.Is(err, store.ErrNotFound) {
		return nil, changes.BaseVersion{}, pages.ErrNotFound
	}
	if err != nil {
		return nil, changes.BaseVersion{}, err
	}
	f.uuid, f.chart = now.Record.UUID, now.Record.Chart
	f.fillFrom(now)
	return f, now, nil
}

// fillFrom makes a version of the record the base of the form.
func (f *birthForm) fillFrom(from changes.BaseVersion) {
	f.version, f.base, f.onFile = from.Record.Version, &from.Draft, from.Custom
	f.present = map[string]birth.Provider{}
	for n, id := range slices.Backward(from.Known) { // of two identities of one provider, the first stands
		f.present[strconv.FormatInt(id, 10)] = from.Draft.Providers[n]
	}
}

// values returns the form values for a version of the record.
func (f *birthForm) values(from changes.BaseVersion) map[string][]string {
	filled := form.Values(from.Draft)
	filled.Del("chart_number")
	choosePresent(filled, from.Known)
	form.CustomValues(filled, f.fields, from.Custom)
	return filled
}

// GetAmendment shows the form filled with the record's present values.
func (h *Form) GetAmendment(c echo.Context) error {
	f, now, err := h.openAmend(c)
	if err != nil {
		return err
	}
	if now.Record.State == birth.Voided {
		return pages.NewError(
			http.StatusConflict, "This record is voided", "A voided record cannot be amended. Restore it first.",
			"/registry/records/"+f.uuid, "Go to the record",
		)
	}
	if err := h.NoteReading(c, f.uuid); err != nil {
		return err
	}
	f.typed = f.values(now)
	if typed, found := h.takeTyped(c); found {
		f.typed, f.notes = typed, []string{keptNote}
		f.version, _ = strconv.Atoi(typed.Get("basis")) // saving shows whether the record has changed since
	}
	f.parse()
	return h.showForm(c, http.StatusOK, f)
}

// PostAmendment handles the form of an amendment. If the record has changed since the form
// was filled, it shows the changes instead of saving.
func (h *Form) PostAmendment(c echo.Context) error {
	typed, err := pages.Form(c)
	if err != nil {
		return err
	}
	moved := pages.IsForAnother(session.User(c), typed.Get("owner"))
	f, now, err := h.openAmend(c)
	if moved && errors.Is(err, pages.ErrNotFound) {
		if f, err = h.newForm(c); err == nil {
			f.typed = typed
			return h.strandedForm(c, f)
		}
	}
	if err != nil {
		return err
	}
	f.typed = typed
	opened, err := strconv.Atoi(f.typed.Get("basis"))
	if err != nil || opened < 1 || opened > now.Record.Version {
		opened = 0 // not a version of this record, so compare with the present one
	}
	edited := f.edit()
	switch {
	case moved:
		f.version = opened
		return h.movedForm(c, f)
	case now.Record.State == birth.Voided:
		f.read()
		f.mistake("save", voidedMeanwhile)
		return h.showForm(c, http.StatusUnprocessableEntity, f)
	case opened != now.Record.Version:
		f.version = opened
	case edited:
		return h.showForm(c, http.StatusOK, f)
	default:
		return h.save(c, f)
	}
	return h.overtaken(c, f)
}

// overtaken shows a form whose record somebody else has changed in the meantime. Fields
// that the user hasn't touched take the present values, typed ones stay, and both are
// listed. Nothing is saved until the user sends the form again.
func (h *Form) overtaken(c echo.Context, f *birthForm) error {
	p := f.who.Practice.ID
	now, err := h.changes.BaseVersion(c.Request().Context(), p, f.uuid)
	if err != nil {
		return err
	}
	was, err := h.changes.BaseVersionAt(c.Request().Context(), p, f.uuid, f.version)
	if errors.Is(err, store.ErrNotFound) {
		was, err = changes.BaseVersion{Draft: birth.Draft{}}, nil
	}
	if err != nil {
		return err
	}
	if err := h.NoteReading(c, f.uuid); errors.Is(err, pages.ErrUnreadable) {
		f.read()
		f.mistake("save", notSaved)
		return h.showForm(c, http.StatusServiceUnavailable, f)
	} else if err != nil {
		return err
	}
	rec, err := h.records.Show(c.Request().Context(), p, f.uuid, 0, false)
	if err != nil {
		return foundRecord(err)
	}
	typed, changes := form.Merge(f.values(was), f.values(now), f.typed)
	f.typed, f.changed = typed, &views.FormChanged{
		Who: upperFirst(rec.Event.Who()), Version: rec.Version, At: views.Moment(rec.Event.At, session.Zone(c)),
	}
	for _, change := range changes {
		f.changed.Rows = append(f.changed.Rows, views.FormChange{
			Name: change.Name, Label: f.labelOf(change.Name), Taken: change.Taken,
			OnFile: f.shown(change.Name, change.Now), Yours: f.shown(change.Name, change.Mine),
		})
	}
	f.fillFrom(now)
	f.read()
	return h.showForm(c, http.StatusUnprocessableEntity, f)
}

// The problems that concern a form as a whole.
const (
	notSaved        = "The registry cannot save at the moment. Nothing you typed is lost. Wait a minute and save again"
	voidedMeanwhile = "The record was voided after you opened it. Have it restored first, then save again"
)
