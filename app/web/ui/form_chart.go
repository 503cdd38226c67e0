package ui

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"birthregistry/app/drafts"
	"birthregistry/app/mapping/form"
	"birthregistry/app/mapping/uscore"
	"birthregistry/app/smart"
	"birthregistry/store"
)

// A chart from an EHR can fill in the form "Record a birth" (spec, "EHR-launch (pull) lane"). The
// values from the chart are called the prefill. The form contains only a handle of the prefill, so
// the server decides which values are unchanged from the EHR. A hint is a value in the chart that
// may belong in a field but wasn't filled in. If a user types a value, or uses a hint's button, the
// value has the source manual, because the user has chosen it.

// chartFill is the prefill of a form, which holds the values from a chart. handle is the prefill's
// handle in the session, or "" if a draft holds the chart. as is the role that the user has chosen
// for the chart's patient: mother or newborn.
type chartFill struct {
	smart.Prefill
	handle string
	as     uscore.Role
}

func (f *chartFill) filled() uscore.Filled { return f.Reading.As[f.as] }

// openChart fills in the form from a chart. handle identifies the chart. as is the role that the
// user has chosen for the chart's patient: mother or newborn. If it is "", the chart itself
// determines the role.
func (h *Form) openChart(ctx context.Context, f *birthForm, handle, as string) error {
	p, err := h.smart.Prefill(ctx, handle, f.who)
	if err != nil {
		return err
	}
	f.fillFromChart(&chartFill{p, handle, uscore.Role(as)})
	return nil
}

func (f *birthForm) fillFromChart(chart *chartFill) {
	if _, known := chart.Reading.As[chart.as]; !known {
		chart.as = chart.Reading.Role
	}
	f.pulled = chart
	filled := chart.filled()
	f.base = &filled.Draft
}

// The form shows one of these messages if no chart fills it in: the session has no chart (noChart),
// the EHR is connected for another practice (otherChart), or the chart has no value for the form
// (emptyChart).
const (
	noChart = "No chart from an EHR is available. A chart is kept for 30 minutes after it is read. Once a form uses it, it is kept " +
		"until the form is saved, for at most 24 hours after the form was last used. Launch the registry again from the EHR, or fill in the form by hand."
	otherChart = "This EHR is connected for another practice, so nothing was filled in. If you belong to that practice, " +
		"switch to it on your account page and open this page again. Otherwise fill in the form by hand."
	emptyChart = "The chart holds nothing that this form asks for. Fill in the form by hand."
)

// GetPrefill shows a form that is filled in from the chart that the session holds.
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
		if done, err := h.keepPrefill(c, f); done || err != nil {
			return err
		}
	}
	f.parse()
	return h.showForm(c, http.StatusOK, f)
}

// keepPrefill stores a form that a chart has filled in as a draft, which outlasts the session. If
// the draft for this chart already has later changes, keepPrefill redirects to the draft. If the
// draft has already become a record, keepPrefill redirects to the confirmation. done reports
// whether it has redirected.
func (h *Form) keepPrefill(c echo.Context, f *birthForm) (done bool, err error) {
	f.fresh = uuid.NewHash(sha256.New(), uuid.NameSpaceURL, []byte(f.pulled.handle+" "+string(f.pulled.as)), 8).String()
	d, err := h.openPrefillDraft(c.Request().Context(), f)
	switch {
	case errors.Is(err, drafts.ErrGone):
		return true, h.savedMeanwhile(c, f)
	case errors.Is(err, drafts.ErrTooMany), store.IsUnavailable(err): // the form still works without a draft
		return false, nil
	case err != nil:
		return false, err
	case d.Revision > 1:
		return true, c.Redirect(http.StatusSeeOther, draftPath(f.fresh))
	}
	f.author, f.revision, f.stored = d.Author, d.Revision, d
	return false, nil
}

// chartGone is a mistake which states that the form no longer knows which of its values came from
// the EHR.
const chartGone = "The chart that filled in this form was deleted: the form was saved, its author signed out, or nobody used it for a day. " +
	"Its values stay in the form and now count as entered by hand. Check them, then save again"

// reopen loads the chart whose handle is in the submitted form. If the chart no longer exists, the
// form may have been saved already. The saved record then becomes the base of the form, so that
// sending a form twice has the same effect as sending it once. If there is no such record, reopen
// sets gone.
func (h *Form) reopen(ctx context.Context, f *birthForm) error {
	handle := f.typed.Get("prefill")
	if handle == "" {
		return nil
	}
	err := h.openChart(ctx, f, handle, f.typed.Get("as"))
	if !errors.Is(err, smart.ErrNoPrefill) {
		return err
	}
	made, err := h.changes.BaseVersion(ctx, f.who.Practice.ID, f.recordID())
	if errors.Is(err, store.ErrNotFound) {
		f.gone = true
		return nil
	}
	if err == nil {
		f.base = &made.Draft
	}
	return err
}

// goneForm shows a form with all its values after the chart that filled it in has been deleted. If
// the user sends the form again, it is saved as if everything had been typed.
func (h *Form) goneForm(c echo.Context, f *birthForm) error {
	f.read()
	f.mistake("save", chartGone)
	return h.showForm(c, http.StatusUnprocessableEntity, f)
}

// hold makes the session hold the chart that has filled in the form, if any.
func (h *Form) hold(c echo.Context, f *birthForm) {
	if f.pulled != nil {
		h.Sessions.HoldChart(c, f.pulled.handle)
	}
}
