package cost_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// sizes are the multiples of n at which a case is measured.
var sizes = [...]int{1, 2, 4, 8}

// slack is how much faster than n log n a count may grow before it fails: what is
// allocated in the background differs from one run to the next.
const slack = 1.15

// order is how fast something may grow.
type order struct {
	name string
	of   func(n float64) float64
}

var (
	nLogN = order{"n log n", func(n float64) float64 { return n * math.Log2(n+1) }}
	// logN is for one act beside many of something, such as a push to a practice
	// with many records: how deep an index is may be felt, and nothing else.
	logN = order{"log n", func(n float64) float64 { return math.Log2(n + 1) }}
)

// exceeded says what is wrong with counts at n, 2n, 4n and 8n; "" when they grow no
// faster than the order. What is compared is by how much they grow: what a case costs
// at any size drops out. The last doubling must not add more than the order would
// have it add after the one before, or nothing that matters.
func (o order) exceeded(n int, counts [len(sizes)]int64) string {
	at := func(i int) float64 { return o.of(float64(n * sizes[i])) }
	before, last := float64(counts[2]-counts[1]), float64(counts[3]-counts[2])
	most := before * (at(3) - at(2)) / (at(2) - at(1)) * slack
	trifle := 0.02 * float64(counts[3])
	if last <= max(most, 0)+trifle {
		return ""
	}
	return fmt.Sprintf("faster than %s: %d → %d → %d → %d at n = %d, %d, %d, %d: the last doubling adds %.0f, it may add %.0f",
		o.name, counts[0], counts[1], counts[2], counts[3], n, 2*n, 4*n, 8*n, last, max(most, 0)+trifle)
}

func TestTheRuleTellsNLogNFromMore(t *testing.T) {
	counts := func(n int, of func(float64) float64) (all [len(sizes)]int64) {
		for i, size := range sizes {
			all[i] = int64(of(float64(n * size)))
		}
		return all
	}
	for name, of := range map[string]func(float64) float64{
		"constant":               func(float64) float64 { return 5000 },
		"linear":                 func(n float64) float64 { return 300 + 7*n },
		"n log n":                func(n float64) float64 { return 300 + 7*n*math.Log2(n) },
		"capped":                 func(n float64) float64 { return 300 + 40*min(n, 50) },
		"linear in pages of 250": func(n float64) float64 { return 100*n + 900*math.Ceil(n/250) },
	} {
		require.Empty(t, nLogN.exceeded(100, counts(100, of)), name)
	}
	for name, of := range map[string]func(float64) float64{
		"quadratic":             func(n float64) float64 { return n * n },
		"a little quadratic":    func(n float64) float64 { return 3000 + 100*n + 0.2*n*n },
		"cubic":                 func(n float64) float64 { return n * n * n / 100 },
		"the power of 1.5":      func(n float64) float64 { return 20 * math.Pow(n, 1.5) },
		"a step at a threshold": func(n float64) float64 { return 10*n + 5000*math.Floor(n/800) },
	} {
		require.NotEmpty(t, nLogN.exceeded(100, counts(100, of)), name)
	}
	require.Empty(t, logN.exceeded(100, counts(100, func(n float64) float64 { return 1000 + 10*math.Log2(n) })))
	require.NotEmpty(t, logN.exceeded(100, counts(100, func(n float64) float64 { return 1000 + n })))
}
