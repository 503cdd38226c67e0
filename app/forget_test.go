package app_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

func TestAPracticeIsForgottenWhileItAndAnotherPush(t *testing.T) {
	i := apptest.Start(t)
	other := i.AddPractice("Hillside")
	key := i.Mint(other, "ingest:write", "ingest:read")
	var pushing sync.WaitGroup
	var mu sync.Mutex
	accepted := 0
	for n := range 4 {
		pushing.Go(func() {
			for k := 0; ; k++ {
				answer := i.Post(apptest.Course{Chart: fmt.Sprintf("own-%d-%d", n, k)}.Bundle())
				if answer.StatusCode == http.StatusUnauthorized {
					return
				}
				if answer.StatusCode == http.StatusTooManyRequests {
					continue
				}
				if answer.StatusCode != http.StatusAccepted {
					t.Errorf("%s", answer.Status)
					return
				}
			}
		})
		pushing.Go(func() {
			for k := range 20 {
				answer := i.Post(apptest.Course{Chart: fmt.Sprintf("other-%d-%d", n, k)}.Bundle(), "Authorization", "Bearer "+key)
				if answer.StatusCode == http.StatusAccepted {
					mu.Lock()
					accepted++
					mu.Unlock()
				}
			}
		})
	}
	require.Eventually(t, func() bool { return i.Count() > 3 }, patience, time.Millisecond)
	require.NoError(t, i.App.Forget.Begin(1, nil))
	require.Eventually(t, func() bool {
		_, _, done, err := i.App.Forget.Progress(t.Context(), 1)
		require.NoError(t, err)
		return done
	}, patience, time.Millisecond)
	pushing.Wait()
	certificate, err := i.App.Forget.Certificate(t.Context(), 1)
	require.NoError(t, err)
	require.NotEmpty(t, certificate.Erased)
	require.Positive(t, accepted)
	i.Clean()
	require.NotContains(t, strings.ToLower(i.Log.String()), `"level":"error"`)
}
