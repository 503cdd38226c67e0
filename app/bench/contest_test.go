package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheMedianOfTheRoundsRatiosIsHeldAgainstTheGoal(t *testing.T) {
	ours := []Figure{{Rate: 10}, {Rate: 30}, {Rate: 20}}
	ref := []Figure{{Rate: 10}, {Rate: 10}, {Rate: 10}}
	r := row{"a row", "ours", "theirs", rate, atLeast(2)}.compare(ours, ref)
	require.Equal(t, []float64{1, 2, 3}, []float64{r.Lowest, r.Ratio, r.Highest})
	require.True(t, r.Met)
	require.Equal(t, 20.0, r.Ours.Rate)
	require.False(t, row{"a row", "ours", "theirs", rate, atMost(1.9)}.compare(ours, ref).Met)
}

func TestWaysTakeTurnsAndEachIsMeasuredOnceARound(t *testing.T) {
	var turns []string
	turn := func(name string) way {
		return func() (Figure, error) {
			turns = append(turns, name)
			return Figure{Rate: 1}, nil
		}
	}
	g := group{name: "g", rows: []row{{"one", "a", "b", rate, atLeast(1)}, {"two", "a", "c", rate, atLeast(1)}}, ways: func(*workshop) (map[string]way, error) {
		return map[string]way{"a": turn("a"), "b": turn("b"), "c": turn("c")}, nil
	}}
	rows, err := g.run(&workshop{scale: scale{rounds: 2}})
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Equal(t, strings.Fields("a b c a b c"), turns)
}

func TestAResultIsComparedWithWhatWasWritten(t *testing.T) {
	then := Result{Commit: "abc", Rows: []Row{{Name: "accept", Reference: "Echo", Ratio: 0.1, Goal: "≥ 0.2"}}}
	file := filepath.Join(t.TempDir(), "then.json")
	require.NoError(t, then.write(file))
	now := Result{Rows: []Row{{Name: "accept", Reference: "Echo", Ratio: 0.25}, {Name: "new", Reference: "Echo", Ratio: 1}}}
	var told strings.Builder
	require.NoError(t, now.since(&told, file))
	require.Contains(t, told.String(), "Since commit abc")
	require.Regexp(t, `accept +Echo +0\.1 +0\.25 +2\.5`, told.String())
	require.NotContains(t, told.String(), "new")
}

func TestEveryNoteIsOfARowThatARunCanPrint(t *testing.T) {
	t.Setenv("BUNDLE_CORPUS", t.TempDir()) // for the row of the real Bundle
	rows := map[string]bool{}
	for _, g := range groups(time.Hour) {
		for _, r := range g.rows {
			rows[r.name], rows[r.name+r.ref] = true, true
		}
	}
	for of := range notes {
		require.True(t, rows[of], of)
	}
}
