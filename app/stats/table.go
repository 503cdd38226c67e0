package stats

import (
	"fmt"
	"maps"
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
		if RunShown(r, m) {
			for _, p := range RunOf(r, m).Points {
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

// RunShown reports whether the run of a measure over time may leave the practice. It may if its
// total is shown, and if nobody can compute a small number of its points from this run together
// with the runs of related measures (layout) that are shown.
func RunShown(r *Report, m *Measure) bool {
	l := layouts()[m.ID]
	if r.runs == nil {
		r.runs = map[*layout]map[string]bool{}
	}
	if r.runs[l] == nil {
		r.runs[l] = r.runsShown(l)
	}
	return r.runs[l][m.ID]
}

// runsShown returns the measures with a layout whose runs may be shown together. Of measures whose
// runs together reveal a small number, the first ones are shown.
func (r *Report) runsShown(l *layout) map[string]bool {
	shown, spans := map[string]bool{}, map[Period]bool{}
	for i := range Measures {
		m := &Measures[i]
		if layouts()[m.ID] != l {
			continue
		}
		if total, _ := Outside(r, m); !total.ShareShown() {
			continue
		}
		also := maps.Clone(spans)
		for _, p := range RunOf(r, m).Points {
			also[p.Period] = true
			if begin := r.Period.First; p.First < begin && begin <= p.Last { // the total reveals both parts
				also[Period{p.First, begin - 1}], also[Period{begin, p.Last}] = true, true
			}
		}
		shown[m.ID] = true
		if r.reveal(l, shown, also) {
			delete(shown, m.ID)
			continue
		}
		spans = also
	}
	return shown
}

// reveal reports whether a small number of any of these spans follows from the numbers of the shown
// measures.
func (r *Report) reveal(l *layout, shown map[string]bool, spans map[Period]bool) bool {
	for span := range spans {
		all := newGroup("", "")
		for month := span.First; month <= span.Last; month++ {
			all.join(&r.Months[month-r.Period.Trend().First])
		}
		s := newSheet(&Report{Total: all}, l)
		for i := range s.hidden {
			s.hidden[i], s.muted[i] = true, true
		}
		for id := range shown {
			s.hidden[s.slots[number{id, cellYes}]], s.hidden[s.slots[number{id, cellKnown}]] = false, false
		}
		if s.exposed() >= 0 {
			return true
		}
	}
	return false
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
