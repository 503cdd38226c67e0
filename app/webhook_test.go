package app_test

import (
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
)

// receiver is a receiver of webhooks. It verifies every message, and keeps the bodies by the
// ids of the messages.
type receiver struct {
	*httptest.Server
	mu      sync.Mutex
	bodies  map[string]string
	headers []http.Header
	doubles int
}

// newReceiver starts a receiver and sets it as the webhook of the installation's first key.
func newReceiver(t *testing.T, s *installation) *receiver {
	t.Helper()
	r := &receiver{bodies: map[string]string{}}
	var verifier *standardwebhooks.Webhook
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil { // the sender was killed
			return
		}
		assert.NoError(t, verifier.Verify(body, req.Header))
		r.mu.Lock()
		defer r.mu.Unlock()
		id := req.Header.Get("webhook-id")
		if before, known := r.bodies[id]; known {
			r.doubles++
			assert.Equal(t, before, string(body))
		}
		r.bodies[id] = string(body)
		r.headers = append(r.headers, req.Header)
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(r.Close)
	var err error
	verifier, err = standardwebhooks.NewWebhook(s.command("key", "set", "1", "--webhook", r.URL, "--webhook-loopback"))
	require.NoError(t, err)
	return r
}

func (r *receiver) has(ids map[string]bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id := range ids {
		if _, there := r.bodies[id]; !there {
			return false
		}
	}
	return true
}

func TestEveryEndIsReportedHoweverOftenTheServiceIsKilled(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	r := newReceiver(t, s)
	l := &load{installation: s, singles: true, pace: 5 * time.Millisecond}
	kills, seed := longtest.Times(t, 3, 50, "kills"), rand.Uint64()
	moments := rand.New(rand.NewPCG(seed, 0))
	t.Logf("the moments of seed %d", seed)
	for round := range kills {
		s.start("--webhook-loopback")
		stop := make(chan struct{})
		var callers sync.WaitGroup
		for range 3 {
			callers.Go(func() { l.run(stop) })
		}
		l.acknowledges(5 * (round + 1))
		time.Sleep(time.Duration(moments.IntN(1500)) * time.Millisecond) // messages are looked for every second
		s.kill()
		close(stop)
		callers.Wait()
	}
	s.start("--webhook-loopback")
	defer s.kill()
	l.resend()
	ids := map[string]bool{}
	for _, sent := range l.acknowledged {
		ids["msg_"+path.Base(sent.location)] = true
	}
	require.Eventually(t, func() bool { return r.has(ids) }, patience, 100*time.Millisecond)
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Len(t, r.bodies, len(ids))
	t.Logf("killed %d times: %d ingestions, each reported; %d messages came twice, with the same id", kills, len(ids), r.doubles)
}
