package webhooks

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/store"
	"birthregistry/store/storetest"
)

func TestAReceiverThatIsDownForAnHourGetsEveryMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := opened(t)
		r := f.practice(address)
		up := time.Now().Add(time.Hour)
		f.answer = func(*http.Request) (int, error) {
			if time.Now().Before(up) {
				return 0, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
			}
			return 200, nil
		}
		const many = 30
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			f.Run(ctx)
		}()
		for n := range many { // while it is down
			f.end(r, fmt.Sprint("ingestion-", n), store.Completed)
			time.Sleep(time.Minute)
		}
		time.Sleep(3 * time.Hour)
		stop()
		<-done
		all := f.deliveries(r)
		require.Len(t, all, many)
		for _, d := range all {
			require.Equal(t, store.Delivered, d.State, d.Ingestion)
			require.Greater(t, d.Attempts, 1)
		}
		require.Len(t, ids(f.got()), many, "attempts of one message have one id")
	})
}

// What is stored is a minute old when the clock is set back by a year: all of it is then in the future.
func TestAClockThatIsSetBackDelaysDeliveriesByAMinuteAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := opened(t)
		r := f.practice(address)
		f.answer = func(*http.Request) (int, error) { return 503, nil }
		f.end(r, "tried", store.Completed)
		f.run(3 * time.Minute)
		f.end(r, "new", store.Completed)
		const year = "+ 365 * 86400000"
		storetest.Exec(t, f.db.Path(), "update deliveries set due_at = due_at "+year+", tried_at = tried_at "+year+", ended_at = ended_at "+year)
		before := len(f.got())
		f.run(resumeEvery + 2*time.Second)
		got := f.got()[before:]
		require.ElementsMatch(t, []string{"msg_tried", "msg_new"}, ids(got))
		tries := f.deliveries(r)
		require.Equal(t, 5, tries[1].Attempts, "one more attempt: then it waits its time again")
		require.Equal(t, store.DeliveryWaiting, tries[1].State)
		require.Equal(t, waits[4], tries[1].DueAt.Sub(*tries[1].TriedAt).Round(time.Second))
	})
}

func TestAMessageIsGivenUpAfterADayAndCanBeSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := opened(t)
		r := f.practice(address)
		f.answer = func(*http.Request) (int, error) { return 503, nil }
		f.end(r, "one", store.Completed)
		began := time.Now()
		f.run(26 * time.Hour)
		got := f.got()
		require.Len(t, got, len(waits)+1)
		require.Len(t, ids(got), 1)
		last := got[len(got)-1].at.Sub(began)
		require.True(t, last > 23*time.Hour && last < 25*time.Hour, "%v", last)
		d := f.deliveries(r)[0]
		require.Equal(t, store.GivenUp, d.State)
		require.Equal(t, 503, d.Answer)
		require.Equal(t, ProblemAnswer, d.Problem)
		require.Contains(t, f.logs.String(), "given up")
		require.NotContains(t, f.logs.String(), "example.org")

		f.answer = func(*http.Request) (int, error) { return 200, nil }
		require.ErrorIs(t, f.SendAgain(f.practice(address).User, r.key, "one"), store.ErrNotFound, "another practice")
		require.NoError(t, f.SendAgain(r.User, r.key, "one"))
		f.run(2 * time.Second)
		d = f.deliveries(r)[0]
		require.Equal(t, store.Delivered, d.State)
		require.Empty(t, d.Problem)
		require.Equal(t, got[0].id, f.got()[len(f.got())-1].id)
		require.Equal(t, got[0].body, f.got()[len(f.got())-1].body)
	})
}

func TestASlowReceiverDelaysNoOtherPractice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := opened(t)
		var most, under int
		f.answer = func(req *http.Request) (int, error) {
			if !strings.HasPrefix(req.URL.Host, "slow") {
				return 200, nil
			}
			f.mu.Lock()
			under++
			most = max(most, under)
			f.mu.Unlock()
			<-req.Context().Done()
			f.mu.Lock()
			under--
			f.mu.Unlock()
			return 0, req.Context().Err()
		}
		slow, quick := f.practice("https://slow.example.org"), f.practice(address)
		for n := range 100 {
			f.end(slow, fmt.Sprint("slow-", n), store.Completed)
		}
		for n := range 20 {
			f.end(quick, fmt.Sprint("quick-", n), store.Completed)
		}
		f.run(2 * time.Second) // less than one call of the slow receiver
		for _, d := range f.deliveries(quick) {
			require.Equal(t, store.Delivered, d.State)
		}
		require.Equal(t, atOnceOfKey, most)
		for _, d := range f.deliveries(slow) {
			require.Equal(t, store.DeliveryWaiting, d.State)
			require.Zero(t, d.Attempts, "an attempt that the end of the service cuts off isn't counted")
		}
	})
}

func TestManySlowReceiversDelayNoQuickOneAndNotEvenTheOthersOfTheirPractice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := opened(t)
		f.answer = func(req *http.Request) (int, error) {
			if !strings.HasPrefix(req.URL.Host, "slow") {
				return 200, nil
			}
			<-req.Context().Done()
			return 0, req.Context().Err()
		}
		var slow []reported
		for n := range 2 * atOnce {
			r := f.practice(fmt.Sprintf("https://slow-%d.example.org", n))
			slow = append(slow, r)
			for i := range 6 {
				f.end(r, fmt.Sprint(n, "-", i), store.Completed)
			}
		}
		other, second := f.practice(address), f.key(slow[0], address)
		ended := make(chan bool)
		go func() {
			defer close(ended)
			time.Sleep(time.Minute) // each slow receiver is known by now
			for n := range 20 {
				f.end(other, fmt.Sprint("other-", n), store.Completed)
				f.end(second, fmt.Sprint("second-", n), store.Completed)
			}
		}()
		f.run(time.Minute + 15*time.Second)
		<-ended
		for _, r := range []reported{other, second} {
			require.Len(t, f.deliveries(r), 20)
			for _, d := range f.deliveries(r) {
				require.Equal(t, store.Delivered, d.State)
				require.LessOrEqual(t, d.TriedAt.Sub(d.EndedAt), 2*time.Second)
			}
		}
	})
}

func TestADeliveryThatIsAskedForWhileAnAttemptRunsIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := opened(t)
		r := f.practice(address)
		f.end(r, "one", store.Completed)
		f.answer = func(*http.Request) (int, error) { return 500, nil }
		f.run(40 * time.Second) // three attempts
		require.Equal(t, 3, f.deliveries(r)[0].Attempts)
		var asked bool
		f.answer = func(*http.Request) (int, error) {
			if !asked {
				asked = true
				require.NoError(t, f.SendAgain(r.User, r.key, "one"))
			}
			return 500, nil
		}
		f.run(3 * time.Minute)
		require.True(t, asked)
		d := f.deliveries(r)[0]
		require.Equal(t, store.DeliveryWaiting, d.State)
		require.Equal(t, 3, d.Attempts, "counted anew: at once, after 5 and after 30 s")
	})
}

func TestEveryPracticeIsServedWhenAllReceiversAreSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := opened(t)
		f.answer = func(req *http.Request) (int, error) {
			<-req.Context().Done()
			return 0, req.Context().Err()
		}
		const practices = atOnce/atOnceOfKey + 5
		for n := range practices {
			r := f.practice(fmt.Sprintf("https://receiver-%d.example.org", n))
			for i := range 4 {
				f.end(r, fmt.Sprint(n, "-", i), store.Completed)
			}
		}
		f.run(2*callWithin + time.Second)
		hosts := map[string]bool{}
		for _, m := range f.got() {
			hosts[m.host] = true
		}
		require.Len(t, hosts, practices)
	})
}
