package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"birthregistry/app/access"
	"birthregistry/app/mapping"
	"birthregistry/app/smart"
	"birthregistry/store"
)

// The form "Record a birth", filled in from the chart of an EHR (spec,
// "EHR-launch (pull) lane"). The form carries the handle of its pre-fill, so that
// the server tells by itself which values were left as the EHR gave them; what
// was typed, or taken over from a hint by its button, is manual: a person chose
// it.

const prefillPath = "/registry/capture/prefill"

// chartFill is the pre-fill behind a form: the chart, and as whose chart it was
// understood.
type chartFill struct {
	smart.Prefill
	handle string
	as     mapping.ChartRole
}

func (f *chartFill) filled() mapping.Filled { return f.Reading.As[f.as] }

// openChart puts a pre-fill behind the form. as is the role that the clinician
// says, "" for the one that the chart itself tells.
func (s *Server) openChart(ctx context.Context, f *captureForm, handle, as string) error {
	p, err := s.smart.Prefill(ctx, handle, f.who)
	if err != nil {
		return err
	}
	f.pulled = &chartFill{p, handle, mapping.ChartRole(as)}
	if _, known := p.Reading.As[f.pulled.as]; !known {
		f.pulled.as = p.Reading.Role
	}
	filled := f.pulled.filled()
	f.basis = &filled.Draft
	return nil
}

// What is said where no chart fills the form in.
const (
	noChart = "Nothing from an EHR is waiting for this form. What is read there is kept for 30 minutes, and until the form is " +
		"saved. Launch the registry again from the EHR, or fill the form in by hand."
	otherChart = "This EHR is connected for another practice, so nothing was filled in. If you belong to that practice, " +
		"switch to it under your account and open this page again; otherwise fill the form in by hand."
	emptyChart = "The chart says nothing that this form asks for."
)

// getPrefill shows the form filled in from the chart that waits in the session.
func (s *Server) getPrefill(c echo.Context) error {
	f, err := s.newForm(c)
	if err != nil {
		return err
	}
	f.fresh = uuid.NewString()
	err = s.openChart(c.Request().Context(), f, s.sessions.GetString(c.Request().Context(), prefillKey), c.QueryParam("as"))
	switch {
	case errors.Is(err, smart.ErrOtherPractice):
		f.notes = append(f.notes, otherChart)
	case errors.Is(err, smart.ErrNoPrefill):
		f.notes = append(f.notes, noChart)
	case err != nil:
		return err
	default:
		f.typed = mapping.FormValues(*f.basis)
		if len(f.typed) == 0 {
			f.notes = append(f.notes, emptyChart)
		}
	}
	f.form = mapping.ReadForm(f.typed, f.basis)
	return s.showForm(c, http.StatusOK, f)
}

// chartGone says that the sources of what the EHR filled in cannot be told any
// more.
const chartGone = "What was read from the EHR is kept for 30 minutes, or until the next launch, and is gone now. The values stay in the form, and " +
	"count from now on as typed: check them, then save again"

// reopen puts the pre-fill that a form names behind it again, if it is there
// still. A form that made its record already is compared with that record, so
// that one sent twice still says the same.
func (s *Server) reopen(ctx context.Context, f *captureForm) error {
	handle := f.typed.Get("prefill")
	if handle == "" {
		return nil
	}
	err := s.openChart(ctx, f, handle, f.typed.Get("as"))
	if !errors.Is(err, smart.ErrNoPrefill) {
		return err
	}
	made, err := s.intake.Basis(ctx, f.who.Practice.ID, recordID(f.who, f.fresh))
	if errors.Is(err, store.ErrNotFound) {
		f.gone = true
		return nil
	}
	if err == nil {
		f.basis = &made.Draft
	}
	return err
}

// goneForm shows a form whose pre-fill is gone, with everything in it. Sent
// again, it is saved like one that was typed.
func (s *Server) goneForm(c echo.Context, f *captureForm) error {
	f.read()
	f.mistake("save", chartGone)
	return s.showForm(c, http.StatusUnprocessableEntity, f)
}

// spendPrefill forgets the pre-fill of a form that is saved.
func (s *Server) spendPrefill(c echo.Context, f *captureForm) {
	if f.pulled == nil {
		return
	}
	ctx := c.Request().Context()
	if s.sessions.GetString(ctx, prefillKey) == f.pulled.handle {
		s.sessions.Remove(ctx, prefillKey)
	}
	s.forget(c, f.pulled.handle)
}

// dropPrefill forgets the chart that waits in a session.
func (s *Server) dropPrefill(c echo.Context) {
	if handle := s.sessions.PopString(c.Request().Context(), prefillKey); handle != "" {
		s.forget(c, handle)
	}
}

// refuseChart forgets the chart that waits for somebody who may not record
// births. Who belongs to several practices keeps it: in another one they may.
func (s *Server) refuseChart(c echo.Context, permission access.Permission) {
	if several, _ := c.Get(severalKey).(bool); permission == access.RecordCreate && !several {
		s.dropPrefill(c)
	}
}

// forget drops a pre-fill. One that cannot be dropped now runs out by itself.
func (s *Server) forget(c echo.Context, handle string) {
	if err := s.smart.Drop(handle); err != nil {
		s.log.Warn("a pre-fill was not dropped", "request_id", requestID(c), "cause", err)
	}
}
