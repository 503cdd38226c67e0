package ui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"birthregistry/app/records"
	"birthregistry/app/stats"
	"birthregistry/views"
)

// These are the limits of a funnel plot, in standard deviations. By chance alone, 19 of 20
// practices lie within the inner limits, and almost all lie within the outer limits.
const (
	innerLimit = 1.96
	outerLimit = 3.09
)

// funnel is a funnel plot, which compares a practice with the pooled figure of the installation's
// other practices. It has no point for any other practice, because only their pooled figure may be
// shown.
type funnel struct {
	measure *stats.Measure
	own     stats.Tally
	pooled  stats.Pooled
	// withheld is set if the practice's own figures are so small that the plot may only be shown on
	// the screen, not printed or downloaded.
	withheld bool
	// The limits are drawn at every multiple of step up to most. Both are numbers of births.
	step, most int
}

// funnelOf returns the funnel plot of a measure. It returns nil if the practice has no percentage
// for the measure, if the pooled figure may not be shown, or if the pooled figure is 0% or 100%.
func funnelOf(f records.Figures, m *stats.Measure, outside stats.Shown) *funnel {
	t := f.Total.Tally(m)
	if f.Peers == nil || m.PerThousand || !m.HasRate(t) {
		return nil
	}
	pooled, enough := f.Peers.Pooled()
	if !enough || pooled.Percent <= 0 || pooled.Percent >= 100 {
		return nil
	}
	most := roundUp(max(2*t.Known, 50))
	return &funnel{measure: m, own: t, pooled: pooled, withheld: !outside.ShareShown(), step: max(most/40, 1), most: most}
}

// share returns the pooled share, from 0 to 1.
func (n *funnel) share() float64 { return float64(n.pooled.Percent) / 100 }

// width returns how far a limit is from the pooled share, for a number of births. deviations is
// innerLimit or outerLimit.
func (n *funnel) width(deviations float64, births int) float64 {
	return deviations * math.Sqrt(n.share()*(1-n.share())/float64(births))
}

// limits returns the lower and the upper limit for a number of births, as shares from 0 to 1.
func (n *funnel) limits(deviations float64, births int) (low, high float64) {
	width := n.width(deviations, births)
	return max(n.share()-width, 0), min(n.share()+width, 1)
}

// picture draws the funnel.
func (n *funnel) picture() *views.Funnel {
	end := scaleFor(max(n.own.Share(), min(n.share()+n.width(outerLimit, max(n.own.Known, 10)), 1))) / 100
	x := func(births int) float64 { return runLeft + runWidth*float64(births)/float64(n.most) }
	y := func(at float64) float64 { return runTop + runHeight*(1-min(at, end)/end) }
	line := func(deviations float64) (lower, upper []string) {
		for births := n.step; births <= n.most; births += n.step {
			low, high := n.limits(deviations, births)
			lower = append(lower, fmt.Sprintf("%.1f,%.1f", x(births), y(low)))
			upper = append(upper, fmt.Sprintf("%.1f,%.1f", x(births), y(high)))
		}
		return lower, upper
	}
	low, high := line(innerLimit)
	lowest, highest := line(outerLimit)
	slices.Reverse(low)
	d := &views.Funnel{
		Title:   fmt.Sprintf("%s: this practice and %s others together", n.measure.Name, views.Number(n.pooled.Practices)),
		Summary: n.summary(), Withheld: n.withheld,
		Pooled: y(n.share()), Dot: views.Dot{X: x(n.own.Known), Y: y(n.own.Share())},
		Upper: strings.Join(highest, " "), Lower: strings.Join(lowest, " "), Band: strings.Join(append(high, low...), " "),
	}
	for _, part := range []float64{0, 0.5, 1} {
		d.Scale = append(d.Scale, views.Mark{At: y(part * end), Text: stats.Percent(100*part*end, -1)})
		births := int(part * float64(n.most))
		d.Births = append(d.Births, views.Mark{At: x(births), Text: views.Number(births)})
	}
	return d
}

// summary describes the funnel plot in words.
func (n *funnel) summary() string {
	away := math.Abs(n.own.Share() - n.share())
	where := "within the 95% limits: the difference may be chance"
	switch {
	case away > n.width(outerLimit, n.own.Known):
		where = "outside the 99.8% limits: chance alone hardly explains the difference"
	case away > n.width(innerLimit, n.own.Known):
		where = "outside the 95% limits: one practice in 20 lies there by chance alone"
	}
	return fmt.Sprintf("%s of %s here, %s in the %s other practices together. This practice is %s.",
		percent(n.own.Share(), n.own.Known), views.Number(n.own.Known), stats.Percent(float64(n.pooled.Percent), 0), views.Number(n.pooled.Practices), where)
}

// table returns the numbers behind the drawing as rows of a file. There is a row for the practice,
// a row for the other practices together, and a row for each number of births for which the limits
// are drawn.
func (n *funnel) table(p stats.Period) [][]string {
	rows := [][]string{{
		"measure", "name", "counts", "from", "to", "of", "practices", "births", "percent", "low_95", "high_95", "low_99.8", "high_99.8",
	}}
	hundredths := func(share float64) string { return fmt.Sprintf("%.2f", 100*share) }
	add := func(of, practices string, births int, share string) {
		row := []string{n.measure.ID, n.measure.Name, n.measure.Unit.String(), p.First.String(), p.Last.String(), of, practices, "", share, "", "", "", ""}
		if births > 0 {
			low, high := n.limits(innerLimit, births)
			lowest, highest := n.limits(outerLimit, births)
			row = append(append(row[:7], fmt.Sprint(births), share), hundredths(low), hundredths(high), hundredths(lowest), hundredths(highest))
		}
		rows = append(rows, row)
	}
	add("this practice", "1", n.own.Known, hundredths(n.own.Share()))
	add("other practices together", fmt.Sprint(n.pooled.Practices), 0, fmt.Sprint(n.pooled.Percent))
	for births := n.step; births <= n.most; births += n.step {
		add("limits", "", births, "")
	}
	return rows
}

// roundUp rounds n up to one of the numbers 50, 100, 200, 500, 1000, 2000 and so on.
func roundUp(n int) int {
	for step := 50; ; step *= 10 {
		for _, nice := range []int{step, 2 * step, 4 * step} {
			if n <= nice {
				return nice
			}
		}
	}
}
