package ui

import (
	"fmt"

	"birthregistry/app/stats"
	"birthregistry/views"
)

const noFigure = "–"

// percent formats a share of n births or newborns as a percentage. If n is 100 or more, the
// percentage has one decimal. Otherwise it is a whole number.
func percent(share float64, n int) string {
	if n >= 100 {
		return stats.Percent(100*share, 1)
	}
	return stats.Percent(100*share, 0)
}

// rateOf returns the rate of a tally in words.
func rateOf(m *stats.Measure, t stats.Tally) string {
	switch {
	case t.Known == 0:
		return noFigure
	case !m.HasRate(t):
		return "count only"
	case m.PerThousand:
		return fmt.Sprintf("%.2f per 1,000", 1000*t.Share())
	}
	return percent(t.Share(), t.Known)
}

// rangeOf returns the 95% interval of a tally's rate in words. If a rare event hasn't occurred at
// all, it returns the highest rate that isn't ruled out.
func rangeOf(m *stats.Measure, t stats.Tally) string {
	in := t.Interval()
	switch {
	case t.Known == 0:
		return ""
	case !m.HasRate(t) && t.Yes == 0:
		return fmt.Sprintf("up to %.0f per 1,000 not ruled out", 1000*stats.RuledOut(t.Known))
	case !m.HasRate(t):
		return ""
	case m.PerThousand:
		return fmt.Sprintf("%.2f to %.2f", 1000*in.Low, 1000*in.High)
	}
	return percent(in.Low, t.Known) + " to " + percent(in.High, t.Known)
}

func countOf(t stats.Tally) string {
	if t.Known == 0 {
		return noFigure
	}
	return views.Number(t.Yes) + " of " + views.Number(t.Known)
}

// onPaper formats a number for printouts, which hide small numbers.
func onPaper(n stats.Count) string {
	switch {
	case n.Few:
		return "<11"
	case n.Hidden:
		return "(left out)"
	}
	return views.Number(n.N)
}

// countTwice returns a tally's count in two forms: one for the screen, and one for paper. outside
// is the tally as printouts may show it, with small numbers hidden. shareTwice does the same for a
// text about the tally's share.
func countTwice(t stats.Tally, outside stats.Shown) views.Twice {
	if t.Known == 0 && !outside.Yes.Hidden && !outside.Known.Hidden {
		return views.Twice{Screen: noFigure, Paper: noFigure}
	}
	paper := onPaper(outside.Yes) + " of " + onPaper(outside.Known)
	if outside.Yes.Hidden && outside.Known.Hidden {
		paper = "left out"
	}
	return views.Twice{Screen: countOf(t), Paper: paper}
}

func shareTwice(text string, outside stats.Shown) views.Twice {
	if text != "" && text != noFigure && !outside.ShareShown() {
		return views.Twice{Screen: text, Paper: "left out"}
	}
	return views.Twice{Screen: text, Paper: text}
}

// scales lists the percentages with which the scale of a bar may end.
var scales = []float64{1, 2, 5, 10, 20, 50, 100}

// barOf draws an interval and the published figures. It uses the smallest scale that has room for
// all of them.
func barOf(m *stats.Measure, t stats.Tally, published []stats.Reference) (b views.Bar) {
	if t.Known == 0 || m.PerThousand {
		return b
	}
	in := t.Interval()
	most := in.High
	for _, r := range published {
		most = max(most, r.Share())
	}
	return barWithin(t, published, scaleFor(most))
}

// barWithin draws an interval on a scale from 0 to end, which is a percentage.
func barWithin(t stats.Tally, published []stats.Reference, end float64) (b views.Bar) {
	in := t.Interval()
	at := func(share float64) float64 { return min(100, 100*100*share/end) }
	b = views.Bar{Drawn: true, Low: at(in.Low), High: at(in.High), Point: at(t.Share()), End: "0–" + stats.Percent(end, 0)}
	for _, r := range published {
		b.Marks = append(b.Marks, at(r.Share()))
	}
	return b
}

// comparability says about a published figure that is not fully comparable what the reader may do
// with it. See stats.Reference.Comparable.
var comparability = map[string]string{"partial": "roughly comparable", "context": "for context only"}

// marks explains the tags that tagsOf returns.
var marks = fmt.Sprintf("A rate among fewer than %d isn't compared with published figures. Such a rate, and one whose count is below %d (“unstable”), can change a lot by chance. "+
	"A rate is “incomplete” if the answer is known for less than %.0f%% of those that it applies to.", stats.Enough, stats.Steady, 100*stats.Whole)

// tagsOf returns the tags that warn the reader about a figure, such as "incomplete".
func tagsOf(t stats.Tally) (tags []views.TagText) {
	switch {
	case t.Known == 0 && t.Missing > 0:
		return []views.TagText{{Kind: "plain", Text: "not collected here"}}
	case t.Known == 0:
		return nil
	}
	switch {
	case t.Known < stats.Enough:
		tags = append(tags, views.TagText{Kind: "plain", Text: fmt.Sprint("fewer than ", stats.Enough)})
	case t.Yes < stats.Steady:
		tags = append(tags, views.TagText{Kind: "plain", Text: "unstable"})
	}
	if t.Complete() < stats.Whole {
		tags = append(tags, views.TagText{Kind: "warn", Text: "incomplete"})
	}
	return tags
}
