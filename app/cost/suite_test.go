package cost_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// grows is something of which there can be many.
type grows struct {
	name string
	n    int // the smallest number that is tried; eight times as many is the largest
	by   order
	// act prepares a site with so many of it and returns what is to be measured.
	act func(s *site, n int) func()
}

// heldAtMost bounds the steps of one transaction that writes: a full chunk of usual
// courses takes about 600,000, in some 50 ms on a small machine.
const heldAtMost = 3_000_000

func (g grows) check(t *testing.T) {
	t.Run(g.name, func(t *testing.T) {
		var all [len(sizes)]work
		for i, size := range sizes {
			s := newSite(t)
			act := g.act(s, g.n*size)
			all[i] = measure(act)
			t.Logf("%6d: %s", g.n*size, all[i])
			require.NoError(t, s.Close())
		}
		for i, part := range all[0].parts() {
			counts := [len(sizes)]int64{part.count}
			for at := range all {
				counts[at] = all[at].parts()[i].count
			}
			if problem := g.by.exceeded(g.n, counts); problem != "" {
				t.Errorf("%s grow %s", part.name, problem)
			}
		}
		require.LessOrEqual(t, all[len(all)-1].held, int64(heldAtMost), "steps of one transaction")
	})
}

func TestWorkGrowsNoFasterThanNLogN(t *testing.T) {
	for _, group := range [][]grows{inACourse, inABundle, besideMany, onAPage, inAFile} {
		for _, g := range group {
			g.check(t)
		}
	}
}

