package web_test

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store"
)

// opens opens the home page until it isn't answered any more, and returns the channel on which the
// answer comes.
func opens(t *testing.T, b *apptest.Browser) (answered <-chan int) {
	t.Helper()
	for range 100 {
		status := make(chan int, 1)
		go func() { status <- b.Get("/registry").StatusCode }()
		select {
		case code := <-status:
			require.Equal(t, http.StatusOK, code)
		case <-time.After(time.Second):
			return status
		}
	}
	require.FailNow(t, "the page is answered at once")
	return nil
}

func TestAUserWithManySlowRequestsHoldsUpNobodyElse(t *testing.T) {
	i := apptest.Start(t)
	scribe, admin := i.SignIn(i.Practice, auth.Scribe), i.SignIn(i.Practice, auth.Admin)
	var forms []io.Closer
	var posting sync.WaitGroup
	for range 6 {
		from, to := io.Pipe()
		posting.Go(func() {
			scribe.Do("POST", "/account/sessions/end", from, map[string]string{"Content-Type": "application/x-www-form-urlencoded"})
		})
		forms = append(forms, to)
	}
	answered := opens(t, scribe)
	require.Equal(t, http.StatusOK, admin.Get("/registry").StatusCode)
	for _, form := range forms {
		require.NoError(t, form.Close())
	}
	require.Equal(t, http.StatusOK, <-answered)
	posting.Wait()
}

func TestAPracticeWhoseReadsAreSlowHoldsUpNoOther(t *testing.T) {
	i := apptest.Start(t)
	one, other := i.SignIn(i.Practice, auth.Viewer), i.SignIn(i.AddPractice("Hillside"), auth.Viewer)
	end := make(chan bool)
	for range 9 {
		go func() {
			_ = i.App.DB.View(store.ReadsOf(t.Context(), i.Practice), func(*store.View) error {
				<-end
				return nil
			})
		}()
	}
	answered := opens(t, one)
	require.Equal(t, http.StatusOK, other.Get("/registry").StatusCode)
	close(end)
	require.Equal(t, http.StatusOK, <-answered)
}
