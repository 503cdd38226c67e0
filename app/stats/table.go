package stats

import (
	"fmt"
	"slices"
	"strconv"
)

// Table returns the figures of some measures as rows of a file that may leave the practice. Each
// row has one figure. For each measure, there are rows for the total, for the groups of each split
// and, if RunShown allows it, for the run over time. Table hides small numbers, and figures that
// would reveal small numbers. The first row has the names of the columns. If sandbox is set, the
// first column states in every row that the figures are from a sandbox.
func Table(r *Report, measures []Measure, sandbox bool) [][]string {
	rows := [][]string{{
		"measure", "name", "counts", "from", "to", "by", "group", "yes", "known",
		"percent", "low_95", "high_95", "incomplete",
	}}
	period := []string{r.Period.First.String(), r.Period.Last.String()}
	for i := range measures {
		m := &measures[i]
		head := []string{m.ID, m.Name, m.Unit.String()}
		add := func(months []string, by, group string, t Tally, shown Shown) {
			rows = append(rows, slices.Concat(head, months, []string{by, group}, numbers(t, shown, m.HasRate(t) && !(by == ByAttendant && group == other))))
		}
		total, groups := Outside(r, m)
		add(period, "", "all", r.Total.Tally(m), total)
		for s := range r.Splits {
			split := &r.Splits[s]
			for g := range split.Groups {
				add(period, split.Key, split.Groups[g].Key, split.Groups[g].Tally(m), groups[split.Key][g])
			}
		}
		if run := RunOf(r, m); RunShown(r, m, run, total) {
			for _, p := range run.Points {
				add([]string{p.First.String(), p.Last.String()}, "time", p.Label, p.Tally, open(p.Tally))
			}
		}
	}
	if sandbox {
		for i := range rows {
			rows[i] = slices.Insert(rows[i], 0, "yes")
		}
		rows[0][0] = "sandbox"
	}
	return rows
}

// RunShown reports whether a run over time may leave the practice. It may if it has no small
// number, and if total, to which its points add up, is shown. If the period begins within a point,
// the total also reveals the numbers of both parts of this point, so these must not be small
// either.
func RunShown(r *Report, m *Measure, run Run, total Shown) bool {
	if !total.ShareShown() {
		return false
	}
	for _, p := range run.Points {
		before, since := parted(r, m, p)
		for _, t := range []Tally{before, since, p.Tally} {
			if few(t.Yes) || few(t.Known-t.Yes) || few(t.Known) {
				return false
			}
		}
	}
	return true
}

// parted returns the tallies of a point's months before the report's period, and of its months in
// the period.
func parted(r *Report, m *Measure, p Point) (before, since Tally) {
	for month := p.First; month <= p.Last; month++ {
		t := r.Months[month-r.Period.Trend().First].Tally(m)
		if month < r.Period.First {
			before.join(t)
		} else {
			since.join(t)
		}
	}
	return before, since
}

// open returns the tally with both numbers shown.
func open(t Tally) Shown {
	return Shown{Count{N: t.Yes}, Count{N: t.Known}}
}

// numbers returns a row's cells for a tally. The cells of the percentage and its interval are empty
// unless rate is set and the share may be shown.
func numbers(t Tally, shown Shown, rate bool) []string {
	cells := []string{shown.Yes.text(), shown.Known.text(), "", "", "", ""}
	if shown.ShareShown() && rate {
		in := t.Interval()
		for i, share := range []float64{t.Share(), in.Low, in.High} {
			cells[2+i] = fmt.Sprintf("%.2f", 100*share)
		}
	}
	if t.Complete() < Whole {
		cells[5] = "yes"
	}
	return cells
}

// text returns a number as the file shows it: "<11" for a small number, and "" for any other hidden
// number.
func (c Count) text() string {
	switch {
	case c.Few:
		return fmt.Sprintf("<%d", Small+1)
	case c.Hidden:
		return ""
	}
	return strconv.Itoa(c.N)
}
