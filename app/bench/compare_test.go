package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheMedianRatioOfTheRoundsIsComparedWithTheGoal(t *testing.T) {
	service := []Figure{{Rate: 10}, {Rate: 30}, {Rate: 20}}
	reference := []Figure{{Rate: 10}, {Rate: 10}, {Rate: 10}}
	r := row{"a row", "service", "reference", rate, atLeast(2)}.compare(service, reference)
	require.Equal(t, []float64{1, 2, 3}, []float64{r.Lowest, r.Ratio, r.Highest})
	require.True(t, r.Met)
	require.Equal(t, 20.0, r.Service.Rate)
	require.False(t, row{"a row", "service", "reference", rate, atMost(1.9)}.compare(service, reference).Met)
}

func TestEachWayIsMeasuredOnceInEveryRound(t *testing.T) {
	var measured []string
	measure := func(name string) way {
		return func() (Figure, error) {
			measured = append(measured, name)
			return Figure{Rate: 1}, nil
		}
	}
	g := group{name: "g", rows: []row{{"one", "a", "b", rate, atLeast(1)}, {"two", "a", "c", rate, atLeast(1)}}, ways: func(*workshop) (map[string]way, error) {
		return map[string]way{"a": measure("a"), "b": measure("b"), "c": measure("c")}, nil
	}}
	rows, err := g.run(&workshop{scale: scale{rounds: 2}})
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Equal(t, strings.Fields("a b c a b c"), measured)
}

func TestAResultIsComparedWithAnEarlierOne(t *testing.T) {
	then := Result{Commit: "abc", Rows: []Row{{Name: "accept", Reference: "Echo", Ratio: 0.1, Goal: "≥ 0.2"}}}
	file := filepath.Join(t.TempDir(), "then.json")
	require.NoError(t, then.write(file))
	now := Result{Rows: []Row{{Name: "accept", Reference: "Echo", Ratio: 0.25}, {Name: "new", Reference: "Echo", Ratio: 1}}}
	var printed strings.Builder
	require.NoError(t, now.since(&printed, file))
	require.Contains(t, printed.String(), "Since commit abc")
	require.Regexp(t, `accept +Echo +0\.1 +0\.25 +2\.5`, printed.String())
	require.NotContains(t, printed.String(), "new")
}
