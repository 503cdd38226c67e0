package ui

import (
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/records"
	"birthregistry/app/stats"
	"birthregistry/views"
)

// against compares a measure's period with another period. The address may state the other period.
// Otherwise it consists of the same months a year earlier.
func (h *Statistics) against(c echo.Context, a asked, f records.Figures, m *stats.Measure) (views.Against, error) {
	other := asked{who: a.who, period: stats.Period{First: a.period.First - 12, Last: a.period.Last - 12}}
	from, to := c.QueryParam("with_from"), c.QueryParam("with_to")
	other.choice = views.PeriodChoice{
		From: views.Input{Name: "with_from", Label: "First month", Hint: "such as 2025-01", Value: from, Type: "month", Width: "m"},
		To:   views.Input{Name: "with_to", Label: "Last month", Hint: "such as 2025-06", Value: to, Type: "month", Width: "m"},
	}
	if from != "" || to != "" {
		other.readMonths(from, to)
	}
	out := views.Against{
		From: other.choice.From, To: other.choice.To, Path: a.choice.Path, Mistakes: other.choice.Mistakes,
		PeriodFrom: a.period.First.String(), PeriodTo: a.period.Last.String(),
	}
	if len(out.Mistakes) > 0 {
		return out, nil
	}
	before, err := h.records.Headlines(c.Request().Context(), a.who.Practice, other.period)
	if err != nil {
		return out, err
	}
	now, then := f.Total.Tally(m), before.Total.Tally(m)
	out.Rows = []views.FigureRow{periodRow(a, m, now), periodRow(other, m, then)}
	if now.Known > 0 && then.Known > 0 && !m.PerThousand {
		end := scaleFor(max(now.Interval().High, then.Interval().High))
		out.Rows[0].Bar, out.Rows[1].Bar = barWithin(now, nil, end), barWithin(then, nil, end)
	}
	out.Word = againstWord(a.period, other.period, m, now, then)
	return out, nil
}

func periodRow(a asked, m *stats.Measure, t stats.Tally) views.FigureRow {
	same := func(text string) views.Twice { return views.Twice{Screen: text, Paper: text} }
	return views.FigureRow{
		Name: a.period.Label(), Count: same(countOf(t)), Rate: same(rateOf(m, t)), Range: same(rangeOf(m, t)), Missing: views.Number(t.Missing), Tags: tagsOf(t),
		Ways: waysIn(figureFilter{measure: m, period: a.period}, t, a.who.May(auth.RecordRead)),
	}
}

// againstWord compares two periods in words. If their intervals don't overlap, they differ by more
// than chance. If the intervals overlap, there is no clear difference.
func againstWord(now, then stats.Period, m *stats.Measure, a, b stats.Tally) string {
	switch {
	case a.Known < stats.Enough || b.Known < stats.Enough || !m.HasRate(a) || !m.HasRate(b):
		return "Too few to compare."
	case a.Interval().Low > b.Interval().High:
		return "Higher in " + now.Label() + " than in " + then.Label() + "."
	case a.Interval().High < b.Interval().Low:
		return "Lower in " + now.Label() + " than in " + then.Label() + "."
	}
	return "No clear difference: the intervals overlap."
}
