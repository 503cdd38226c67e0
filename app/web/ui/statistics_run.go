package ui

import (
	"fmt"
	"strings"

	"birthregistry/app/records"
	"birthregistry/app/stats"
	"birthregistry/views"
)

// The drawing of a run: its width and height within the margins, and where they
// begin.
const (
	runLeft, runTop     = 15.0, 20.0
	runWidth, runHeight = 290.0, 100.0
)

// runOf draws a measure over the years up to the end of the period. Printouts show
// it only where none of its numbers is small and the total is shown: the points of
// the period add up to it.
func runOf(f records.Figures, m *stats.Measure, outside stats.Shown) views.RunPicture {
	run := stats.RunOf(f.Report, m)
	r := views.RunPicture{
		Title:    fmt.Sprintf("%s, %s to %s", m.Name, f.Period.Trend().First.Label(), f.Period.Last.Label()),
		Withheld: !stats.RunShown(run, outside),
	}
	most := run.Median
	for _, p := range run.Points {
		r.Rows = append(r.Rows, views.RunRow{Label: p.Label, Count: countOf(p.Tally), Rate: rateOf(m, p.Tally), Missing: thousands(p.Missing)})
		if p.Known > 0 {
			most = max(most, p.Share())
		}
	}
	if len(run.Points) > 0 {
		r.First, r.Last = run.Points[0].Label, run.Points[len(run.Points)-1].Label
		r.First, _, _ = strings.Cut(r.First, " to ")
		if _, last, spans := strings.Cut(r.Last, " to "); spans {
			r.Last = last
		}
	}
	r.Summary = runSummary(m, run)
	if m.PerThousand {
		return r
	}
	end := 1.0
	for _, scale := range scales {
		if 100*most <= scale {
			end = scale / 100
			break
		}
	}
	y := func(share float64) float64 { return runTop + runHeight*(1-share/end) }
	r.Top, r.Median, r.MedianText = fmt.Sprintf("%.0f %%", 100*end), y(run.Median), "median "+percent(run.Median, 100)
	for i, p := range run.Points {
		if p.Known == 0 {
			continue
		}
		d := views.Dot{X: runLeft + runWidth*float64(i)/float64(max(1, len(run.Points)-1)), Y: y(p.Share())}
		r.Dots = append(r.Dots, d)
		r.Line += fmt.Sprintf("%.1f,%.1f ", d.X, d.Y)
	}
	r.Line = strings.TrimSpace(r.Line)
	return r
}

// runSummary describes the drawing in words.
func runSummary(m *stats.Measure, run stats.Run) string {
	every := map[int]string{1: "month", 3: "quarter", 6: "half-year"}[run.Every]
	text := fmt.Sprintf("One point per %s; their median is %s. ", every, percent(run.Median, 100))
	switch {
	case len(run.Points) == 0:
		return "Nothing to show yet."
	case m.PerThousand: // too rare for a rate, and so for a median of rates
		return fmt.Sprintf("One line per %s. The event is too rare to show a shift.", every)
	case run.Shift:
		return text + fmt.Sprintf("The run has shifted: %d points in a row on one side of the median, crossing it %s, "+
			"is unlikely to be chance.", run.Longest, count(run.Crosses, "time", "times"))
	case run.Judged:
		return text + "No shift: chance alone produces runs like this."
	}
	return text + "Fewer than ten points are above or below the median, too few to show a shift."
}
