package ui

import (
	"fmt"
	"slices"
	"strings"

	"birthregistry/app/auth"
	"birthregistry/app/records"
	"birthregistry/app/stats"
	"birthregistry/views"
)

// These are the left and top edges, the width and the height of the area in which the chart of a
// measure over time is drawn.
const (
	runLeft, runTop     = 42.0, 10.0
	runWidth, runHeight = 268.0, 130.0
)

// runOf draws a measure over the years up to the end of the period, together with a published
// figure, if there is one. The points within the period add up to the period's total, so they would
// reveal a hidden total. Printouts and files therefore include the chart only if stats.RunShown allows
// it.
func runOf(f records.Figures, m *stats.Measure, near []stats.Reference) views.RunPicture {
	run := stats.RunOf(f.Report, m)
	r := views.RunPicture{
		Title:    fmt.Sprintf("%s, %s to %s", m.Name, f.Period.Trend().First.Label(), f.Period.Last.Label()),
		Withheld: !stats.RunShown(f.Report, m),
	}
	most := run.Median
	for _, p := range run.Points {
		r.Rows = append(r.Rows, views.RunRow{Label: p.Label, Count: countOf(p.Tally), Rate: rateOf(m, p.Tally)})
		if p.Known > 0 {
			most = max(most, p.Share())
		}
		if p.Known >= stats.Enough { // the interval of a point with fewer births may be cut off
			most = max(most, p.Interval().High)
		}
	}
	r.Summary = runSummary(m, run)
	if m.PerThousand {
		return r
	}
	for _, n := range near {
		most = max(most, n.Share())
	}
	end := scaleFor(most) / 100
	y := func(share float64) float64 { return runTop + runHeight*(1-min(share, end)/end) }
	if len(near) > 0 {
		r.Reference, r.ReferenceText = y(near[0].Share()), fmt.Sprintf("Published: %s, %s, %s", near[0].Text(), near[0].Label, near[0].Years)
	}
	r.Median, r.MedianText = y(run.Median), "median of the points, "+percent(run.Median, 100)
	for _, part := range []float64{0, 0.5, 1} {
		r.Scale = append(r.Scale, views.Mark{At: y(part * end), Text: stats.Percent(100*part*end, -1)})
	}
	drawRun(&r, run, f.Period.Trend(), y)
	return r
}

// linkPoints links the counts of each point to lists of exactly the births that are counted.
func linkPoints(r *views.RunPicture, f records.Figures, m *stats.Measure, a asked) {
	for n, p := range stats.RunOf(f.Report, m).Points {
		r.Rows[n].Ways = waysIn(figureFilter{measure: m, period: p.Period}, p.Tally, a.who.May(auth.RecordRead))
	}
}

// drawRun draws the points and their intervals, and marks where each year begins.
func drawRun(r *views.RunPicture, run stats.Run, trend stats.Period, y func(share float64) float64) {
	x := func(month float64) float64 {
		return runLeft + runWidth*(month-float64(trend.First))/float64(trend.Months())
	}
	for month := trend.First; month <= trend.Last; month++ {
		if month%12 == 0 {
			r.Years = append(r.Years, views.Mark{At: x(float64(month)), Text: fmt.Sprint(month.Year())})
		}
	}
	var above, below []string
	for _, p := range run.Points {
		if p.Known == 0 {
			continue
		}
		d := views.Dot{X: x(float64(p.First) + float64(p.Months())/2), Y: y(p.Share())}
		in := p.Interval()
		r.Dots = append(r.Dots, d)
		r.Line += fmt.Sprintf("%.1f,%.1f ", d.X, d.Y)
		above = append(above, fmt.Sprintf("%.1f,%.1f", d.X, y(in.High)))
		below = append(below, fmt.Sprintf("%.1f,%.1f", d.X, y(in.Low)))
	}
	slices.Reverse(below)
	r.Line, r.Band = strings.TrimSpace(r.Line), strings.Join(append(above, below...), " ")
}

// scaleFor returns the smallest scale that has room for a share. The result is the scale's end, a
// percentage.
func scaleFor(share float64) float64 {
	for _, scale := range scales {
		if 100*share <= scale {
			return scale
		}
	}
	return 100
}

// sparkOf returns the points of the small line that shows a measure over time in the overview. It
// returns "" if there are fewer than two points. It also returns "" for a measure that is always 0,
// and for a measure per thousand.
func sparkOf(f records.Figures, m *stats.Measure) string {
	run := stats.RunOf(f.Report, m)
	most, points := 0.0, 0
	for _, p := range run.Points {
		if p.Known > 0 {
			most, points = max(most, p.Share()), points+1
		}
	}
	if points < 2 || m.PerThousand || most == 0 {
		return ""
	}
	var line []string
	trend := f.Period.Trend()
	for _, p := range run.Points {
		if p.Known > 0 {
			at := 100 * (float64(p.First-trend.First) + float64(p.Months())/2) / float64(trend.Months())
			line = append(line, fmt.Sprintf("%.1f,%.1f", at, 22-20*p.Share()/most))
		}
	}
	return strings.Join(line, " ")
}

// runSummary describes the chart in words.
func runSummary(m *stats.Measure, run stats.Run) string {
	every := map[int]string{1: "month", 3: "quarter", 6: "half-year"}[run.Every]
	text := fmt.Sprintf("One point per %s; their median is %s. ", every, percent(run.Median, 100))
	switch {
	case len(run.Points) == 0:
		return "Nothing to show yet."
	case m.PerThousand: // too rare for monthly rates, and so for their median
		return fmt.Sprintf("The table has one row per %s. The event is too rare for a chart that could show a shift.", every)
	case run.Shift:
		return text + fmt.Sprintf("The run has shifted: its longest stretch on one side of the median is %d points, and it crosses the median %s. "+
			"Chance alone is unlikely to produce this.", run.Longest, views.Count(run.Crosses, "time", "times"))
	case run.Judged:
		return text + "No shift: chance alone produces runs like this."
	}
	return text + "Fewer than ten points are above or below the median, too few to show a shift."
}
