package session

import (
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/smart"
	"birthregistry/app/web/request"
)

// ChartAsked returns the handle of the chart that a request asks for, or "" if the session doesn't
// hold the chart. The query parameter "chart" may have the number of the chart (smart.Number).
// Without the parameter, ChartAsked returns the handle of the last launch's chart.
func (s *Sessions) ChartAsked(c echo.Context) string {
	last := s.GetString(c.Request().Context(), prefillKey)
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

// openCharts returns the handles of the charts that have filled in forms in this session, the
// newest last.
func (s *Sessions) openCharts(c echo.Context) []string {
	return strings.Fields(s.GetString(c.Request().Context(), openKey))
}

// HoldChart records in the session that a chart has filled in a form, so that the chart is deleted
// when the user signs out. A session records the smart.MostOpen newest charts. Older charts expire
// without a sign-out. handle identifies the chart.
func (s *Sessions) HoldChart(c echo.Context, handle string) {
	if open := s.openCharts(c); !slices.Contains(open, handle) {
		open = append(open, handle)
		s.Put(c.Request().Context(), openKey, strings.Join(open[max(0, len(open)-smart.MostOpen):], " "))
	}
}

// SpendChart deletes a chart, and removes it from the session. Handlers call it after the form that
// the chart filled in has been saved, or the form's draft discarded. handle identifies the chart.
func (s *Sessions) SpendChart(c echo.Context, handle string) {
	ctx := c.Request().Context()
	if s.GetString(ctx, prefillKey) == handle {
		s.Remove(ctx, prefillKey)
	}
	open := slices.DeleteFunc(s.openCharts(c), func(one string) bool { return one == handle })
	s.Put(ctx, openKey, strings.Join(open, " "))
	s.forget(c, handle)
}

// OfferChart puts the chart of a launch into the session. The chart fills in the form that the user
// opens next. handle identifies the chart.
func (s *Sessions) OfferChart(c echo.Context, handle string) {
	s.Put(c.Request().Context(), prefillKey, handle)
}

// OffersChart reports whether the session holds the chart of a launch, which waits to fill in a
// form.
func (s *Sessions) OffersChart(c echo.Context) bool {
	return s.Exists(c.Request().Context(), prefillKey)
}

// ChartWaits reports whether the chart of the last launch can still fill in its first form.
func (s *Sessions) ChartWaits(c echo.Context) (bool, error) {
	ctx := c.Request().Context()
	handle := s.GetString(ctx, prefillKey)
	if handle == "" {
		return false, nil
	}
	return s.charts.Waits(ctx, handle)
}

// DropWaiting deletes the chart of the last launch, unless the chart has already filled in a form.
func (s *Sessions) DropWaiting(c echo.Context) {
	handle := s.PopString(c.Request().Context(), prefillKey)
	if handle == "" {
		return
	}
	if opened, err := s.charts.Opened(c.Request().Context(), handle); err != nil || !opened {
		s.forget(c, handle)
	}
}

// dropCharts deletes all charts that the session holds.
func (s *Sessions) dropCharts(c echo.Context) {
	ctx := c.Request().Context()
	for _, handle := range append(strings.Fields(s.PopString(ctx, openKey)), s.PopString(ctx, prefillKey)) {
		if handle != "" {
			s.forget(c, handle)
		}
	}
}

// RefuseChart handles a user who lacks a permission. If it is the permission to record births,
// RefuseChart deletes the charts that the session holds. But if the user has several practices, it
// keeps the charts, because the user may be allowed to record births in another practice.
func (s *Sessions) RefuseChart(c echo.Context, permission auth.Permission) {
	if permission == auth.RecordCreate && !Several(c) {
		s.dropCharts(c)
	}
}

// forget deletes a chart. If that fails, the chart is deleted when it expires.
func (s *Sessions) forget(c echo.Context, handle string) {
	if err := s.charts.Drop(handle); err != nil {
		s.log.Warn("a prefill was not deleted", "request_id", request.ID(c), "cause", err)
	}
}
