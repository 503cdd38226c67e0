package request

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestALineIsDueAtOnceAndThenOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var line OnceAMinute
		require.True(t, line.Due())
		require.False(t, line.Due())
		time.Sleep(time.Minute - time.Nanosecond)
		require.False(t, line.Due())
		time.Sleep(time.Nanosecond)
		require.True(t, line.Due())
		require.False(t, line.Due())
	})
}
