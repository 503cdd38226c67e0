package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestATableWithMissedGoalsEndsWithWhatWasTried(t *testing.T) {
	table := func(met bool) string {
		var b strings.Builder
		Result{Rows: []Row{{Name: "batch", Met: met}}}.print(&b)
		return b.String()
	}
	require.Regexp(t, `(?s)NOT MET.*Why some rows miss their goals.*\*\*Accept\*\*.*\*\*Start, memory and file\*\*`, table(false))
	require.NotContains(t, table(false), "Compared with")
	require.NotContains(t, table(true), "Why some rows")
}
