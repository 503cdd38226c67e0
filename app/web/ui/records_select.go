package ui

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/labstack/echo/v4"

	"birthregistry/app/mapping/form"
	"birthregistry/app/stats"
	"birthregistry/app/web/session"
	"birthregistry/store"
)

// figureFilter is the part of a statistic whose births the list shows.
type figureFilter struct {
	measure *stats.Measure
	part    stats.Part
	period  stats.Period
}

// figureQuery encodes the births of a part of a statistic for the address of the list.
func figureQuery(m *stats.Measure, part stats.Part, period stats.Period) url.Values {
	return url.Values{
		"measure": {m.ID}, "part": {string(part)}, "from": {period.First.String()}, "to": {period.Last.String()},
	}
}

// figureOf reads it from the address; nil for none, or an unknown one.
func figureOf(c echo.Context) *figureFilter {
	first, ok := stats.ParseMonth(c.QueryParam("from"))
	last, ok2 := stats.ParseMonth(c.QueryParam("to"))
	f := figureFilter{stats.Lookup(c.QueryParam("measure")), stats.Part(c.QueryParam("part")), stats.Period{First: first, Last: last}}
	if !ok || !ok2 || f.measure == nil || stats.Parts[f.part] == "" || first > last || f.period.Months() > stats.MaxMonths {
		return nil
	}
	return &f
}

func (f figureFilter) words() string {
	return fmt.Sprintf("%s, %s, %s", f.measure.Name, stats.Parts[f.part], f.period.Label())
}

// searched returns the text that the session looks for, "" for none.
func (h *Records) searched(c echo.Context) string {
	return h.Sessions.GetString(c.Request().Context(), searchKey(session.User(c)))
}

// selected returns the filter of the address and of a search text.
func (h *Records) selected(c echo.Context, search string) (f recordFilter, err error) {
	ctx, p := c.Request().Context(), session.User(c).Practice.ID
	f = filterOf(c)
	if f.figure != nil {
		f.Filter, err = h.records.CountedIn(ctx, p, f.Filter, f.figure.period, f.figure.measure, f.figure.part)
		if err != nil {
			return f, err
		}
	}
	if f.submission != "" {
		f.Filter, err = h.records.OfIngestion(ctx, p, f.Filter, f.submission)
		if errors.Is(err, store.ErrNotFound) {
			f.Restricted, f.Only, err = true, nil, nil
		}
		if err != nil {
			return f, err
		}
	}
	f.Filter, err = h.records.Search(ctx, p, f.Filter, search, dayTyped(search))
	return f, err
}

// dayTyped returns the whole date that a search text is, "" for another text.
func dayTyped(text string) string {
	if day, ok := form.ReadDate(text); ok && len(day) == len("2006-01-02") {
		return day
	}
	return ""
}
