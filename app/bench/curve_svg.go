package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// The chart of the curve has one panel for the series of records and one for the series of
// practices. Both axes are logarithmic. The chart has a background, so that it can be read on light
// and dark pages. It has no style sheet, because the program's Content-Security-Policy forbids one.

// panel is one plot in the chart of the curve.
type panel struct {
	top          float64 // in the units of the drawing
	title, axis  string
	amounts      []amount
	count        func(amount) int
	lowest, most float64 // seconds, powers of ten
}

const (
	chartWidth           = 720.0
	plotLeft, plotRight  = 76.0, 560.0
	plotHeight           = 330.0
	panelHeight          = 430.0
	labelGap             = 15.0
	inkDark, inkPale     = "#17323a", "#d3dcde"
	chartFont, smallFont = 13, 12
)

// inks lists the colors of the rows. All of them are dark enough for text on white.
var inks = []string{"#0e5a61", "#a4371c", "#4b3f9e", "#7a5200", "#1f6b2c", "#9a1f63"}

func (c *curve) svg() string {
	lowest, most := math.Inf(1), 0.0
	for _, rows := range c.times {
		for _, seconds := range rows {
			lowest, most = min(lowest, seconds), max(most, seconds)
		}
	}
	lowest, most = math.Pow(10, math.Floor(math.Log10(lowest))), math.Pow(10, math.Ceil(math.Log10(most)))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="system-ui, sans-serif" font-size="%d" fill="%s">`+"\n",
		chartWidth, 2*panelHeight, smallFont, inkDark)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="#fff"/>`+"\n")
	for n, p := range []panel{
		{title: "One practice with more and more records", axis: "Records on file", amounts: c.records, count: func(a amount) int { return a.births }},
		{title: "A practice with " + c.practices[0].String() + " among more and more practices", axis: "Practices", amounts: c.practices, count: func(a amount) int { return a.practices }},
	} {
		p.top, p.lowest, p.most = float64(n)*panelHeight+50, lowest, most
		p.frame(&b)
		c.draw(&b, p)
	}
	return b.String() + "</svg>\n"
}

// x returns the horizontal position of an amount, and y the vertical position of a time.
func (p panel) x(a amount) float64 {
	first, last := math.Log10(float64(p.count(p.amounts[0]))), math.Log10(float64(p.count(p.amounts[len(p.amounts)-1])))
	return plotLeft + (math.Log10(float64(p.count(a)))-first)/(last-first)*(plotRight-plotLeft)
}

func (p panel) y(seconds float64) float64 {
	return p.top + plotHeight*math.Log10(p.most/seconds)/math.Log10(p.most/p.lowest)
}

// frame draws the title, the axes and their units.
func (p panel) frame(b *strings.Builder) {
	bottom := p.top + plotHeight
	text := func(x, y float64, anchor, words string) {
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, words)
	}
	fmt.Fprintf(b, `<text x="%g" y="%g" font-size="%d" font-weight="600">%s</text>`+"\n", plotLeft, p.top-26, chartFont, p.title)
	text(plotLeft-8, p.top-10, "end", "Time")
	for s := p.lowest; s <= p.most*1.01; s *= 10 {
		fmt.Fprintf(b, `<path d="M%g %.1fH%g" stroke="%s"/>`+"\n", plotLeft, p.y(s), plotRight, inkPale)
		text(plotLeft-8, p.y(s)+4, "end", unit(s))
	}
	for _, a := range p.amounts {
		fmt.Fprintf(b, `<path d="M%.1f %gV%g" stroke="%s"/>`+"\n", p.x(a), p.top, bottom+5, inkPale)
		text(p.x(a), bottom+20, "middle", thousands(p.count(a)))
	}
	text((plotLeft+plotRight)/2, bottom+38, "middle", p.axis)
}

// draw draws a line for each row, and writes the row's name at the end of the line.
func (c *curve) draw(b *strings.Builder, p panel) {
	type label struct {
		row      int
		from, at float64
	}
	var labels []label
	for n, row := range curveRows {
		points := make([]string, len(p.amounts))
		end := 0.0
		for i, a := range p.amounts {
			end = p.y(c.times[a][row])
			points[i] = fmt.Sprintf("%.1f,%.1f", p.x(a), end)
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"%s/>`+"\n", strings.Join(points, " "), inks[n%len(inks)], dashes(n))
		labels = append(labels, label{n, end, end})
	}
	slices.SortFunc(labels, func(a, b label) int { return int(math.Copysign(1, a.from-b.from)) })
	for i := range labels { // down, until no name is on another
		if i > 0 {
			labels[i].at = max(labels[i].at, labels[i-1].at+labelGap)
		}
	}
	for i, l := range slices.Backward(labels) { // and up again from the bottom
		lowest := p.top + plotHeight
		if i+1 < len(labels) {
			lowest = labels[i+1].at - labelGap
		}
		labels[i].at = min(l.at, lowest)
	}
	for _, l := range labels {
		ink := inks[l.row%len(inks)]
		fmt.Fprintf(b, `<path d="M%g %.1fL%g %.1f" stroke="%s" stroke-width="1"/>`, plotRight+2, l.from, plotRight+22, l.at, ink)
		fmt.Fprintf(b, `<text x="%g" y="%.1f" fill="%s">%s</text>`+"\n", plotRight+26, l.at+4, ink, curveRows[l.row])
	}
}

// dashes returns an attribute that makes a row's line dashed if another row has the same color, and
// otherwise "".
func dashes(row int) string {
	if row < len(inks) {
		return ""
	}
	return ` stroke-dasharray="6 4"`
}

// unit formats a number of seconds that is a power of ten. For example, it returns "10 ms" for
// 0.01.
func unit(seconds float64) string {
	switch {
	case seconds < 0.9e-3:
		return fmt.Sprintf("%.0f µs", seconds*1e6)
	case seconds < 0.9:
		return fmt.Sprintf("%.0f ms", seconds*1e3)
	}
	return fmt.Sprintf("%.0f s", seconds)
}

func thousands(n int) string { return strings.TrimSuffix(amount{1, n}.String(), " records") }
