package main

import (
	"fmt"
	"os"
	"slices"
	"time"
)

// Figure holds the measurements of a task that the service or a reference has repeated many times.
type Figure struct {
	// Rate is how many pieces of work were done per second.
	Rate float64 `json:"rate,omitzero"`
	// P50 and P99 are percentiles of the time that a piece of work takes, in seconds. Half of the
	// pieces took no longer than P50, and 99 of 100 took no longer than P99.
	P50 float64 `json:"p50_seconds,omitzero"`
	P99 float64 `json:"p99_seconds,omitzero"`
	// Bytes is the disk space that one piece of work uses. In a few rows, it is another number of
	// bytes, which the row's name describes, such as idle memory.
	Bytes float64 `json:"bytes,omitzero"`
	// Cores is the processor time used per second of real time. A value of 1 is one core that is
	// never idle.
	Cores float64 `json:"cores,omitzero"`
}

// Each of these functions returns one number of a Figure. A row has the function for the number
// that it compares (row.of).
func rate(f Figure) float64  { return f.Rate }
func p50(f Figure) float64   { return f.P50 }
func p99(f Figure) float64   { return f.P99 }
func bytes(f Figure) float64 { return f.Bytes }
func cores(f Figure) float64 { return f.Cores }

// way repeats a piece of work for one round, either with the service or with a reference, and
// returns the measurements.
type way func() (Figure, error)

// row is a row of the table. It compares the service with a reference.
type row struct {
	name               string
	service, reference string // the names of the two ways
	of                 func(Figure) float64
	goal               goal
}

// goal is a ratio that a row should reach.
type goal struct {
	limit float64
	less  bool // set if the limit is an upper limit
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

// group is a set of rows that are measured together. Their ways take turns.
type group struct {
	name string
	rows []row
	once bool // set if one round is enough, because it is long
	// ways prepares the ways that the rows compare, and returns each by its name. The workshop
	// cleans up after them.
	ways func(w *workshop) (map[string]way, error)
}

// run measures each way of the group once in every round. For each row, it computes the ratio in
// every round, and returns the median of these ratios.
func (g group) run(w *workshop) ([]Row, error) {
	defer w.tidy() //nolint:errcheck // a process that could not be ended ends with the run
	fmt.Fprintf(os.Stderr, "%s …\n", g.name)
	ways, err := g.ways(w)
	if err != nil {
		return nil, err
	}
	var order []string
	for _, r := range g.rows {
		for _, name := range []string{r.service, r.reference} {
			if ways[name] == nil {
				return nil, fmt.Errorf("there is no way %q", name)
			}
			if !slices.Contains(order, name) {
				order = append(order, name)
			}
		}
	}
	figures := map[string][]Figure{}
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
			figures[name] = append(figures[name], f)
		}
	}
	var done []Row
	for _, r := range g.rows {
		done = append(done, r.compare(figures[r.service], figures[r.reference]))
	}
	return done, nil
}

func (r row) compare(service, reference []Figure) Row {
	ratios := make([]float64, len(service))
	for n := range service {
		ratios[n] = r.of(service[n]) / r.of(reference[n])
	}
	slices.Sort(ratios)
	ratio := ratios[len(ratios)/2]
	return Row{
		Name: r.name, Reference: r.reference, Ratio: ratio, Goal: r.goal.String(), Met: r.goal.met(ratio),
		Lowest: ratios[0], Highest: ratios[len(ratios)-1], Service: middle(service), Against: middle(reference),
	}
}

// among returns a Figure with the P50 and P99 of the times in took, which holds one time for each
// piece of work. It sorts took.
func among(took []time.Duration) Figure {
	slices.Sort(took)
	return Figure{P50: took[len(took)/2].Seconds(), P99: took[len(took)*99/100].Seconds()}
}

// middle returns a Figure in which each number is the median of that number in all rounds.
func middle(rounds []Figure) Figure {
	return Figure{
		Rate: median(rounds, rate), P50: median(rounds, p50), P99: median(rounds, p99), Bytes: median(rounds, bytes), Cores: median(rounds, cores),
	}
}

func median(rounds []Figure, of func(Figure) float64) float64 {
	all := make([]float64, len(rounds))
	for n, f := range rounds {
		all[n] = of(f)
	}
	slices.Sort(all)
	return all[len(all)/2]
}
