package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/stats"
	"birthregistry/assets"
)

func TestAPublishedFigureThatIsNotFullyComparableSaysSoInWords(t *testing.T) {
	all, err := stats.References(assets.References)
	require.NoError(t, err)
	limited := 0
	for _, published := range all {
		for _, r := range published {
			if r.Comparable != "full" {
				limited++
				require.NotEmpty(t, comparability[r.Comparable], r.Comparable)
			}
		}
	}
	require.Positive(t, limited)
	require.Equal(t, "roughly comparable", comparability["partial"])
}
