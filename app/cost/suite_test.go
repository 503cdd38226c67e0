package cost_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
)

// grows is a thing that can be numerous.
type grows struct {
	name string
	n    int // the smallest number tried; the largest is eight times as many
	by   order
	// act prepares an installation with n such things and returns the function to measure.
	act func(s *installation, n int) func()
}

// heldAtMost limits the steps of one transaction that writes: a full chunk of usual courses
// takes about 600,000, in some 50 ms on a small machine.
const heldAtMost = 3_000_000

func (g grows) check(t *testing.T) {
	t.Run(g.name, func(t *testing.T) {
		held := int64(0)
		for _, problem := range g.by.exceeds(g.n, func(n int) []part {
			s := newInstallation(t)
			w := measure(g.act(s, n))
			t.Logf("%6d: %s", n, w)
			require.NoError(t, s.Close())
			held = w.held
			return w.parts()
		}) {
			t.Error(problem)
		}
		require.LessOrEqual(t, held, int64(heldAtMost), "steps of one transaction")
	})
}

// wasteful are actions that the suite has to find.
var wasteful = map[string]grows{
	"statements": {"a statement for every pair", 5, nLogN, func(s *installation, n int) func() {
		return func() {
			for range n * n {
				s.look()
			}
		}
	}},
	"steps": {"a join of all with all", 25, nLogN, func(s *installation, n int) func() {
		return func() {
			var pairs int
			require.NoError(s, s.reader().QueryRow(`with recursive c(i) as (select 1 union all select i + 1 from c where i < ?)
				select count(*) from c a, c b where a.i + b.i > 0`, n).Scan(&pairs))
		}
	}},
	"statements prepared again": {"a statement prepared at each use", 5, nLogN, func(s *installation, n int) func() {
		return func() {
			db := s.reader()
			for range n * n {
				var one int
				require.NoError(s, db.QueryRow(`select 1`).Scan(&one))
			}
		}
	}},
	"allocations": {"a list copied for each item", 40, nLogN, func(_ *installation, n int) func() {
		return func() {
			for range n {
				for i := range n {
					kept = &i
				}
			}
		}
	}},
}

// kept keeps an allocation from being optimized away.
var kept *int

func TestTheSuiteFindsQuadraticWork(t *testing.T) {
	for name, g := range wasteful {
		problems := g.by.exceeds(g.n, func(n int) []part {
			s := newInstallation(t)
			defer func() { require.NoError(t, s.Close()) }()
			return measure(g.act(s, n)).parts()
		})
		require.Contains(t, strings.Join(problems, "; "), name+" grow", g.name)
	}
}

func TestPushesGrowNoFasterThanNLogN(t *testing.T) {
	for _, g := range slices.Concat(longtest.Some(t, 6, inACourse, "parts of a course"), inABundle, amongMany, aRefusal) {
		g.check(t)
	}
}

func TestFilesSignInsArchivesAndPagesGrowNoFasterThanNLogN(t *testing.T) {
	longtest.Only(t, "files, sign-ins, archives and pages, each with many")
	for _, g := range slices.Concat(inAFile, aSignIn, inAnArchive) {
		g.check(t)
	}
	for _, m := range onPages {
		m.check(t)
	}
}

func TestMergesAndCommandsGrowNoFasterThanNLogN(t *testing.T) {
	longtest.Only(t, "merges in chains and the commands that list, each with many")
	for _, g := range slices.Concat(aMerge, aCommand) {
		g.check(t)
	}
}
