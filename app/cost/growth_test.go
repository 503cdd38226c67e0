package cost_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// sizes are the multiples of n at which a case is measured. The last two are only measured if
// the first four show too much growth.
var sizes = [...]int{1, 2, 4, 8, 16, 32}

// usual is how many sizes are measured for a case that behaves well.
const usual = 4

// slack is how much faster than n log n a count may grow before it fails, because lists and
// maps grow in leaps.
const slack = 1.15

// order is how fast a count may grow.
type order struct {
	name string
	of   func(n float64) float64
}

var (
	nLogN = order{"n log n", func(n float64) float64 { return n * math.Log2(n+1) }}
	// logN is for one action among many things, such as a push to a practice with many
	// records: the work may grow with the depth of an index, and no faster.
	logN = order{"log n", func(n float64) float64 { return math.Log2(n + 1) }}
)

// exceeded returns what is wrong with the counts at n, 2n, 4n and so on, or "" if they grow no
// faster than the order. It compares differences, so the fixed cost of a case doesn't matter:
// the last doubling may not add more than the order allows, given what an earlier doubling
// added, unless the excess is a trifle.
func (o order) exceeded(n int, counts []int64, trifle float64) string {
	end := len(counts) - 1
	added := func(i int) float64 { return float64(counts[i] - counts[i-1]) }
	due := func(i int) float64 { return o.of(float64(n*sizes[i])) - o.of(float64(n*sizes[i-1])) }
	pace := 0.0
	for i := 1; i < end; i++ {
		pace = max(pace, added(i)/due(i))
	}
	last, most := added(end), pace*due(end)*slack+max(0.02*float64(counts[end]), trifle)
	if last <= most {
		return ""
	}
	return fmt.Sprintf("faster than %s: %d at n = %d and each doubling of it: the last adds %.0f, it may add %.0f", o.name, counts, n, last, most)
}

// exceeds measures an action at its sizes and returns which counts grow faster than the order,
// or than their own. If a count leaps once, exceeds measures two more sizes: from some size
// on, a batch is processed chunk by chunk and a list by the page, at a cost that is higher by
// a factor but grows no faster. Two more doublings add more than such a leap; a count that
// grows faster than the order outgrows that, too.
func (o order) exceeds(n int, measure func(n int) []part) (problems []string) {
	var all [][]part
	for i, size := range sizes {
		all = append(all, measure(n*size))
		if i+1 != usual && i+1 != len(sizes) {
			continue
		}
		problems = nil
		for at, p := range all[0] {
			counts := make([]int64, len(all))
			for i := range all {
				counts[i] = all[i][at].count
			}
			by := o
			if p.by != nil {
				by = *p.by
			}
			if problem := by.exceeded(n, counts, p.trifle); problem != "" {
				problems = append(problems, p.name+" grow "+problem)
			}
		}
		if len(problems) == 0 {
			return nil
		}
	}
	return problems
}

func TestTheRuleDistinguishesNLogNFromMore(t *testing.T) {
	exceeds := func(o order, of func(float64) float64) []string {
		return o.exceeds(100, func(n int) []part { return []part{{name: "counts", count: int64(of(float64(n))), trifle: 8}} })
	}
	for name, of := range map[string]func(float64) float64{
		"constant":               func(float64) float64 { return 5000 },
		"linear":                 func(n float64) float64 { return 300 + 7*n },
		"n log n":                func(n float64) float64 { return 300 + 7*n*math.Log2(n) },
		"capped":                 func(n float64) float64 { return 300 + 40*min(n, 50) },
		"linear in pages of 250": func(n float64) float64 { return 100*n + 900*math.Ceil(n/250) },
		"twice as much from a threshold on": func(n float64) float64 {
			if n < 800 {
				return 300 + 7*n
			}
			return 5000 + 14*n
		},
	} {
		require.Empty(t, exceeds(nLogN, of), name)
	}
	for name, of := range map[string]func(float64) float64{
		"quadratic":             func(n float64) float64 { return n * n },
		"a little quadratic":    func(n float64) float64 { return 3000 + 100*n + 0.2*n*n },
		"cubic":                 func(n float64) float64 { return n * n * n / 100 },
		"the power of 1.5":      func(n float64) float64 { return 20 * math.Pow(n, 1.5) },
		"quadratic beyond 400":  func(n float64) float64 { return 100*n + 2*math.Pow(max(n-400, 0), 2) },
		"a leap, and quadratic": func(n float64) float64 { return 100*n + 50000*math.Min(1, math.Floor(n/800)) + n*n },
	} {
		require.NotEmpty(t, exceeds(nLogN, of), name)
	}
	require.Empty(t, exceeds(logN, func(n float64) float64 { return 1000 + 10*math.Log2(n) }))
	require.NotEmpty(t, exceeds(logN, func(n float64) float64 { return 1000 + n }))
}
