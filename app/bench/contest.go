package main

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// Figure is what one way of doing a piece of work came to.
type Figure struct {
	// Rate is how many pieces were done a second.
	Rate float64 `json:"rate,omitzero"`
	// P50 and P99 are how long one piece took: half of them, and all but one in a
	// hundred, took no longer.
	P50 float64 `json:"p50_seconds,omitzero"`
	P99 float64 `json:"p99_seconds,omitzero"`
	// Bytes are what a piece leaves on the disk, or what the row says.
	Bytes float64 `json:"bytes,omitzero"`
}

// What a row compares.
func rate(f Figure) float64  { return f.Rate }
func p50(f Figure) float64   { return f.P50 }
func p99(f Figure) float64   { return f.P99 }
func bytes(f Figure) float64 { return f.Bytes }

// way is one way of doing a piece of work; a call is a turn.
type way func() (Figure, error)

// row is a line of the table: our way against a reference.
type row struct {
	name      string
	ours, ref string // of the ways
	of        func(Figure) float64
	goal      goal
}

// goal is what the ratio is to be.
type goal struct {
	limit float64
	less  bool // the ratio is to be no more than the limit, not no less
}

func atLeast(limit float64) goal { return goal{limit, false} }
func atMost(limit float64) goal  { return goal{limit, true} }

func (g goal) met(ratio float64) bool {
	if g.less {
		return ratio <= g.limit
	}
	return ratio >= g.limit
}

func (g goal) String() string {
	if g.less {
		return fmt.Sprintf("≤ %.3g", g.limit)
	}
	return fmt.Sprintf("≥ %.3g", g.limit)
}

// group is rows that are measured together, their ways taking turns.
type group struct {
	name string
	rows []row
	once bool // one round is enough, and long
	// ways makes ready what the ways need; the workshop tidies up behind.
	ways func(w *workshop) (map[string]way, error)
}

// run lets the ways take turns and compares, round by round; the median of the
// rounds counts.
func (g group) run(w *workshop) ([]Row, error) {
	defer w.tidy() //nolint:errcheck // what could not be ended ends with the run
	fmt.Fprintf(os.Stderr, "%s …\n", g.name)
	ways, err := g.ways(w)
	if err != nil {
		return nil, err
	}
	var order []string
	for _, r := range g.rows {
		for _, name := range []string{r.ours, r.ref} {
			if ways[name] == nil {
				return nil, fmt.Errorf("there is no way %q", name)
			}
			if !slices.Contains(order, name) {
				order = append(order, name)
			}
		}
	}
	turns := map[string][]Figure{}
	rounds := w.scale.rounds
	if g.once {
		rounds = 1
	}
	for range rounds {
		for _, name := range order {
			f, err := ways[name]()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			turns[name] = append(turns[name], f)
		}
	}
	var done []Row
	for _, r := range g.rows {
		done = append(done, r.compare(turns[r.ours], turns[r.ref]))
	}
	return done, nil
}

func (r row) compare(ours, ref []Figure) Row {
	ratios := make([]float64, len(ours))
	for n := range ours {
		ratios[n] = r.of(ours[n]) / r.of(ref[n])
	}
	slices.Sort(ratios)
	ratio := ratios[len(ratios)/2]
	return Row{
		Name: r.name, Reference: r.ref, Ratio: ratio, Goal: r.goal.String(), Met: r.goal.met(ratio),
		Lowest: ratios[0], Highest: ratios[len(ratios)-1], Ours: middle(ours), Theirs: middle(ref),
	}
}

// among fills in how long the pieces took. It sorts them.
func (f *Figure) among(took []time.Duration) {
	slices.Sort(took)
	f.P50, f.P99 = took[len(took)/2].Seconds(), took[len(took)*99/100].Seconds()
}

// middle takes the median of each figure.
func middle(turns []Figure) Figure {
	return Figure{
		Rate: median(turns, rate), P50: median(turns, p50), P99: median(turns, p99), Bytes: median(turns, bytes),
	}
}

func median(turns []Figure, of func(Figure) float64) float64 {
	all := make([]float64, len(turns))
	for n, f := range turns {
		all[n] = of(f)
	}
	slices.Sort(all)
	return all[len(all)/2]
}
