package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

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

// The notices when no chart fills the form in.
const (
	noChart = "Nothing from an EHR is waiting for this form. A chart waits for 30 minutes after it is read. Once it fills in a form, " +
		"it stays with the form until that is saved. Launch the registry again from the EHR, or fill the form in by hand."
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
	err = s.openChart(c.Request().Context(), f, s.chartAsked(c), c.QueryParam("as"))
	switch {
	case errors.Is(err, smart.ErrOtherPractice):
		f.notes = append(f.notes, otherChart)
	case errors.Is(err, smart.ErrNoPrefill):
		f.notes = append(f.notes, noChart)
	case err != nil:
		return err
	default:
		s.holdChart(c, f)
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
const chartGone = "The chart that filled in this form is no longer kept: a chart stays with a form until it is saved, its author signs out or " +
	"a day passes without use. The values stay in the form, and count from now on as entered by hand: check them, then save again"

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
	made, err := s.intake.BaseVersion(ctx, f.who.Practice.ID, recordID(f.who, f.fresh))
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

// chartAsked returns the handle of the chart that an address asks for by its number, or
// the one of the last launch when it gives no number; "" when the session has no such
// chart.
func (s *Server) chartAsked(c echo.Context) string {
	last := s.sessions.GetString(c.Request().Context(), prefillKey)
	number := c.QueryParam("chart")
	if number == "" {
		return last
	}
	for _, handle := range append(s.openCharts(c), last) {
		if handle != "" && smart.Number(handle) == number {
			return handle
		}
	}
	return ""
}

// openCharts returns the handles of the charts that filled in forms of the session, the
// newest last.
func (s *Server) openCharts(c echo.Context) []string {
	return strings.Fields(s.sessions.GetString(c.Request().Context(), openKey))
}

// holdChart has the session hold the chart behind a form, so that it goes when the
// person signs out. A session holds smart.MostOpen of them; the others expire.
func (s *Server) holdChart(c echo.Context, f *captureForm) {
	if f.pulled == nil {
		return
	}
	if open := s.openCharts(c); !slices.Contains(open, f.pulled.handle) {
		open = append(open, f.pulled.handle)
		s.sessions.Put(c.Request().Context(), openKey, strings.Join(open[max(0, len(open)-smart.MostOpen):], " "))
	}
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
	open := slices.DeleteFunc(s.openCharts(c), func(handle string) bool { return handle == f.pulled.handle })
	s.sessions.Put(ctx, openKey, strings.Join(open, " "))
	s.forget(c, f.pulled.handle)
}

// dropWaiting forgets the chart of the last launch, unless it has filled in a form,
// which keeps it.
func (s *Server) dropWaiting(c echo.Context) {
	handle := s.sessions.PopString(c.Request().Context(), prefillKey)
	if handle == "" {
		return
	}
	if opened, err := s.smart.Opened(c.Request().Context(), handle); err != nil || !opened {
		s.forget(c, handle)
	}
}

// dropCharts forgets all charts that a session holds.
func (s *Server) dropCharts(c echo.Context) {
	ctx := c.Request().Context()
	for _, handle := range append(strings.Fields(s.sessions.PopString(ctx, openKey)), s.sessions.PopString(ctx, prefillKey)) {
		if handle != "" {
			s.forget(c, handle)
		}
	}
}

// refuseChart forgets the charts of a person who may not record births. A person of
// several practices keeps them, since another practice may allow it.
func (s *Server) refuseChart(c echo.Context, permission access.Permission) {
	if several, _ := c.Get(severalKey).(bool); permission == access.RecordCreate && !several {
		s.dropCharts(c)
	}
}

// forget drops a pre-fill. One that cannot be dropped now runs out by itself.
func (s *Server) forget(c echo.Context, handle string) {
	if err := s.smart.Drop(handle); err != nil {
		s.log.Warn("a pre-fill was not dropped", "request_id", requestID(c), "cause", err)
	}
}
