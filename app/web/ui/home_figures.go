package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	"birthregistry/app/auth"
	"birthregistry/app/stats"
	"birthregistry/app/web/pages"
	"birthregistry/views"
)

// headlines adds the four most requested figures to the home page. If the query fails, the page
// states that the figures can't be shown.
func (h *Statistics) headlines(ctx context.Context, who auth.User, home *views.HomePage) {
	if !who.May(auth.StatsView) {
		return
	}
	period := stats.LastYear(time.Now().In(who.Practice.Location()))
	home.FiguresOf, home.NoFigures = "Births, "+period.Label(), "No births in these months are on file."
	f, err := h.records.Headlines(ctx, who.Practice, period)
	if err != nil {
		h.Log.Warn("the figures of the home page cannot be counted", "cause", err)
		home.NoFigures = "The figures cannot be shown at the moment."
		return
	}
	if f.Total.Births == 0 {
		return
	}
	for _, id := range []string{"svb", "cesarean", "tx_intrapartum", "apgar5_lt7"} {
		m := stats.Lookup(id)
		t := f.Total.Tally(m)
		shown := views.Headline{
			Name: m.Name, Href: pages.StatisticsPath + "/" + id, Rate: rateOf(m, t), Count: countOf(t),
		}
		if text := rangeOf(m, t); text != "" {
			shown.Range = "(" + text + ")"
		}
		if t.Known > 0 && t.Known < stats.Enough {
			shown.Range += fmt.Sprintf(", fewer than %d %s", stats.Enough, m.Unit)
		}
		if t.Known == 0 && t.Missing > 0 {
			shown.Count = "not recorded for these births"
		}
		shown.Line, shown.LineText = sparkline(m, f.Months[len(f.Months)-period.Months():])
		home.Figures = append(home.Figures, shown)
	}
}

// sparkWidth and sparkHeight are the size of a sparkline without its margin. sparkMargin is the
// margin on each side (see views.Headline).
const sparkWidth, sparkHeight, sparkMargin = 106.0, 30.0, 2.0

// sparkline draws a line with the rate of each month, on a scale from 0 to the highest rate, and
// describes the line in words. It leaves out months whose rate isn't known. It draws nothing if
// fewer than three rates are known. It also draws nothing for a measure per thousand, which is too
// rare for monthly rates.
func sparkline(m *stats.Measure, months []stats.Group) (line, text string) {
	var known []stats.Tally
	var at []int
	most, least := 0.0, 1.0
	for i := range months {
		if t := months[i].Tally(m); t.Known > 0 {
			known, at = append(known, t), append(at, i)
			most, least = max(most, t.Share()), min(least, t.Share())
		}
	}
	if len(known) < 3 || m.PerThousand {
		return "", ""
	}
	points := make([]string, len(known))
	for i, t := range known {
		x := sparkMargin + sparkWidth*float64(at[i])/float64(len(months)-1)
		y := sparkMargin + sparkHeight
		if most > 0 {
			y -= sparkHeight * t.Share() / most
		}
		points[i] = fmt.Sprintf("%.1f,%.1f", x, y)
	}
	return strings.Join(points, " "), fmt.Sprintf("%s by month: between %s and %s, %s in %s",
		m.Name, percent(least, 0), percent(most, 0), percent(known[len(known)-1].Share(), 0), months[at[len(at)-1]].Label)
}
