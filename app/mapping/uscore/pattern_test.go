package uscore

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryPatternCompiles(t *testing.T) {
	require.Greater(t, len(patterns), 50)
	for _, p := range patterns {
		require.NotPanics(t, func() { p() })
	}
}
