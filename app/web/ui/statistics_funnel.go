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

// The limits of a funnel, in standard deviations: within the inner ones, 19 of 20 practices
// lie by chance alone; within the outer ones, nearly all.
const (
	innerLimit = 1.96
	outerLimit = 3.09
)

// funnelOf draws where the practice lies in the funnel around the pooled figure of the
// installation's other practices. No other practice is a point of it: only their pooled
// figure may be shown. It returns nil where that may not be shown, or leaves no room for
// limits.
func funnelOf(f records.Figures, m *stats.Measure, outside stats.Shown) *views.Funnel {
	t := f.Total.Tally(m)
	if f.Peers == nil || m.PerThousand || !m.HasRate(t) {
		return nil
	}
	pooled, enough := f.Peers.Pooled()
	if !enough || pooled.Percent <= 0 || pooled.Percent >= 100 {
		return nil
	}
	share := float64(pooled.Percent) / 100
	limit := func(of float64, births int) float64 { return of * math.Sqrt(share*(1-share)/float64(births)) }
	most := roundUp(max(2*t.Known, 50))
	least := max(most/40, 1)
	end := scaleFor(max(t.Share(), min(share+limit(outerLimit, max(t.Known, 10)), 1))) / 100
	x := func(births int) float64 { return runLeft + runWidth*float64(births)/float64(most) }
	y := func(at float64) float64 { return runTop + runHeight*(1-min(max(at, 0), end)/end) }
	line := func(of float64) (points []string) {
		for births := least; births <= most; births += least {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(births), y(share+limit(of, births))))
		}
		return points
	}
	lower := line(-innerLimit)
	slices.Reverse(lower)
	d := views.Funnel{
		Title: fmt.Sprintf("%s: this practice and %d others together", m.Name, pooled.Practices), Withheld: !outside.ShareShown(),
		Pooled: y(share), Dot: views.Dot{X: x(t.Known), Y: y(t.Share())},
		Upper: strings.Join(line(outerLimit), " "), Lower: strings.Join(line(-outerLimit), " "),
		Band: strings.Join(append(line(innerLimit), lower...), " "),
	}
	for _, part := range []float64{0, 0.5, 1} {
		d.Scale = append(d.Scale, views.Mark{At: y(part * end), Text: fmt.Sprintf("%v %%", 100*part*end)})
		births := int(part * float64(most))
		d.Births = append(d.Births, views.Mark{At: x(births), Text: thousands(births)})
	}
	away := math.Abs(t.Share() - share)
	where := "within the 95 % limits: the difference may be chance"
	switch {
	case away > limit(outerLimit, t.Known):
		where = "outside the 99.8 % limits: chance alone hardly explains the difference"
	case away > limit(innerLimit, t.Known):
		where = "outside the 95 % limits: one practice in 20 lies there by chance alone"
	}
	d.Summary = fmt.Sprintf("%s of %s here, %d %% in the %d other practices together. This practice is %s.",
		percent(t.Share(), t.Known), thousands(t.Known), pooled.Percent, pooled.Practices, where)
	return &d
}

// roundUp returns the next of 50, 100, 200, 500, 1000, 2000 and so on.
func roundUp(n int) int {
	for step := 50; ; step *= 10 {
		for _, nice := range []int{step, 2 * step, 4 * step} {
			if n <= nice {
				return nice
			}
		}
	}
}
