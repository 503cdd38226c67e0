package task

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestTasksWithOneKeyWaitForEachOtherAndForNoOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shares := NewShares[string](2)
		take := func(key string) func() {
			leave, err := shares.Take(t.Context(), key)
			require.NoError(t, err)
			return leave
		}
		first, second := take("a"), take("a")
		third := make(chan func(), 1)
		go func() { third <- take("a") }()
		synctest.Wait()
		require.Empty(t, third)
		take("b")()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := shares.Take(ctx, "a")
		require.ErrorIs(t, err, context.Canceled)
		first()
		synctest.Wait()
		require.Len(t, third, 1)
		second()
		(<-third)()
		require.Empty(t, shares.of)
	})
}
