package ui

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"birthregistry/app/mapping/form"
	"birthregistry/app/mapping/uscore"
	"birthregistry/app/smart"
	"birthregistry/store"
)

// The form "Record a birth", filled in from the chart of an EHR (spec,
// "EHR-launch (pull) lane"). The form carries the handle of its pre-fill, so that
// the server knows by itself which values were left as the EHR gave them; what
// was typed, or taken over from a hint by its button, is manual: a person chose
// it.

// chartFill is the pre-fill behind a form: the chart, and as whose chart it was
// understood.
type chartFill struct {
	smart.Prefill
	handle string
	as     uscore.Role
}

func (f *chartFill) filled() uscore.Filled { return f.Reading.As[f.as] }

// openChart puts a pre-fill behind the form. as is the role that the clinician
// says, "" for the one that the chart itself states.
func (h *Form) openChart(ctx context.Context, f *birthForm, handle, as string) error {
	p, err := h.smart.Prefill(ctx, handle, f.who)
	if err != nil {
		return err
	}
	f.pulled = &chartFill{p, handle, uscore.Role(as)}
	if _, known := p.Reading.As[f.pulled.as]; !known {
		f.pulled.as = p.Reading.Role
	}
	filled := f.pulled.filled()
	f.base = &filled.Draft
	return nil
}

// The notices when no chart fills the form in.
const (
	noChart = "Nothing from an EHR is waiting for this form. A chart waits for 30 minutes after it is read. Once it fills in a form, " +
		"it stays with the form until that is saved. Launch the registry again from the EHR, or fill the form in by hand."
	otherChart = "This EHR is connected for another practice, so nothing was filled in. If you belong to that practice, " +
		"switch to it under your account and open this page again; otherwise fill the form in by hand."
	emptyChart = "The chart says nothing that this form asks for."
)

// GetPrefill shows the form filled in from the chart that waits in the session.
func (h *Form) GetPrefill(c echo.Context) error {
	f, err := h.newForm(c)
	if err != nil {
		return err
	}
	f.fresh = uuid.NewString()
	err = h.openChart(c.Request().Context(), f, h.Sessions.ChartAsked(c), c.QueryParam("as"))
	switch {
	case errors.Is(err, smart.ErrOtherPractice):
		f.notes = append(f.notes, otherChart)
	case errors.Is(err, smart.ErrNoPrefill):
		f.notes = append(f.notes, noChart)
	case err != nil:
		return err
	default:
		h.hold(c, f)
		f.typed = form.Values(*f.base)
		if len(f.typed) == 0 {
			f.notes = append(f.notes, emptyChart)
		}
	}
	f.form = form.Read(f.typed, f.base)
	return h.showForm(c, http.StatusOK, f)
}

// chartGone says that the sources of what the EHR filled in cannot be known any
// more.
const chartGone = "The chart that filled in this form is no longer kept: a chart stays with a form until it is saved, its author signs out or " +
	"a day passes without use. The values stay in the form, and count from now on as entered by hand: check them, then save again"

// reopen puts the pre-fill that a form names behind it again, if it is there
// still. A form that made its record already is compared with that record, so
// that one sent twice still says the same.
func (h *Form) reopen(ctx context.Context, f *birthForm) error {
	handle := f.typed.Get("prefill")
	if handle == "" {
		return nil
	}
	err := h.openChart(ctx, f, handle, f.typed.Get("as"))
	if !errors.Is(err, smart.ErrNoPrefill) {
		return err
	}
	made, err := h.changes.BaseVersion(ctx, f.who.Practice.ID, recordID(f.who, f.fresh))
	if errors.Is(err, store.ErrNotFound) {
		f.gone = true
		return nil
	}
	if err == nil {
		f.base = &made.Draft
	}
	return err
}

// goneForm shows a form whose pre-fill is gone, with everything in it. Sent
// again, it is saved like one that was typed.
func (h *Form) goneForm(c echo.Context, f *birthForm) error {
	f.read()
	f.mistake("save", chartGone)
	return h.showForm(c, http.StatusUnprocessableEntity, f)
}

// hold has the session hold the chart that filled in the form, if one did.
func (h *Form) hold(c echo.Context, f *birthForm) {
	if f.pulled != nil {
		h.Sessions.HoldChart(c, f.pulled.handle)
	}
}
