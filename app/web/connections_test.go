package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"
)

// crowd takes slots and records which were closed.
type crowd struct {
	*slots
	lost []string
}

func crowdOf(most, share int) *crowd {
	c := &crowd{slots: newSlots(most)}
	c.share = share
	return c
}

func (c *crowd) come(name, network string, shared bool) (*slot, bool) {
	s := c.slot(network, shared, func() { c.lost = append(c.lost, name) })
	return s, s.take()
}

// taken returns the slots that were closed, and forgets them.
func (c *crowd) taken() (lost []string) {
	lost, c.lost = c.lost, nil
	return lost
}

// RL-10.
func TestANetworkAtItsShareGivesItsOldestIdleSlotToItsOwnNewcomer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crowdOf(10, 3)
		for n := range 3 {
			_, in := c.come(fmt.Sprint("a", n), "a", false)
			require.True(t, in)
			time.Sleep(time.Second)
		}
		b, in := c.come("b", "b", false)
		require.True(t, in)
		_, in = c.come("a3", "a", false)
		require.True(t, in)
		require.Equal(t, []string{"a0"}, c.taken(), "its own, the longest")
		_, in = c.come("a4", "a", false)
		require.True(t, in)
		require.Equal(t, []string{"a1"}, c.taken())
		_, in = c.come("a5", "a", false)
		require.False(t, in, "the others came within the time that they are safe")
		require.Empty(t, c.taken())
		require.Equal(t, 4, c.all)
		b.leave()
		require.Len(t, c.of, 1, "no network without a slot is kept")
	})
}

func TestAPeerThatIsBeingServedKeepsItsSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crowdOf(10, 2)
		first, _ := c.come("first", "a", false)
		first.working.Add(1)
		second, _ := c.come("second", "a", false)
		time.Sleep(time.Hour)
		second.renew()
		time.Sleep(stay)
		_, in := c.come("third", "a", false)
		require.True(t, in)
		require.Equal(t, []string{"second"}, c.taken(), "though the first is older")
		first.working.Add(-1)
		time.Sleep(stay)
		_, in = c.come("fourth", "a", false)
		require.True(t, in)
		require.Equal(t, []string{"first"}, c.taken())
	})
}

func TestSteadyProgressRenewsAPeersSlotAndTricklingDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crowdOf(10, 2)
		slow, _ := c.come("slow", "a", false)
		trickling, _ := c.come("trickling", "a", false)
		for range 100 {
			time.Sleep(time.Second)
			slow.move(step / 4)
			trickling.move(1)
		}
		time.Sleep(stay)
		_, in := c.come("third", "a", false)
		require.True(t, in)
		require.Equal(t, []string{"trickling"}, c.taken())
	})
}

func TestWhenAllSlotsAreTakenTheNetworkWithTheMostLosesOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crowdOf(5, 4)
		c.come("alone", "b", false)
		time.Sleep(time.Hour)
		for n := range 4 {
			c.come(fmt.Sprint("a", n), "a", false)
			time.Sleep(time.Millisecond)
		}
		_, in := c.come("new", "c", false)
		require.True(t, in)
		require.Equal(t, []string{"a0"}, c.taken()[:1], "at once, and not who has waited an hour alone")
		for n := range 3 {
			_, in = c.come("more", fmt.Sprint("d", n), false)
			require.True(t, in)
		}
		require.Len(t, c.taken(), 3)
		require.Equal(t, 5, c.all)
		for _, held := range c.of {
			for s := range held {
				s.working.Add(1)
			}
		}
		_, in = c.come("late", "e", false)
		require.False(t, in, "nobody is waited for")
		require.Equal(t, 5, c.all)
	})
}

func TestATrustedProxyHasNoLimitOfSlots(t *testing.T) {
	c := crowdOf(10, 2)
	for n := range 10 {
		_, in := c.come(fmt.Sprint(n), "proxy", true)
		require.True(t, in)
	}
	require.Empty(t, c.taken())
}

func TestASlotIsGivenBackOnce(t *testing.T) {
	c := crowdOf(10, 5)
	var reported []int
	c.changed = func(all int) { reported = append(reported, all) }
	s, _ := c.come("a", "a", false)
	s.leave()
	s.leave()
	require.Zero(t, c.all)
	require.Empty(t, reported, "little has changed")
	c.most, c.share = 100, 100
	var all []*slot
	for range 70 {
		s, _ := c.come("a", "a", false)
		all = append(all, s)
	}
	for _, s := range all {
		s.leave()
	}
	require.Equal(t, []int{32, 64, 32, 0}, reported)
}

// The peers of a network are the clients whose address belongs to it, whichever way their
// requests came.
func TestBehindATrustedProxyARequestCountsForTheForwardedAddress(t *testing.T) {
	s := secureInstallation(t, "10.1.0.0/16")
	attend := func(from, forwarded string) bool {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = from
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		_, err := s.attend(s.echo.NewContext(r, httptest.NewRecorder()))
		return err == nil
	}
	for n := range mostShare {
		require.True(t, attend("10.1.0.1:1", fmt.Sprintf("2001:db8:0:1::%x", n)))
	}
	require.False(t, attend("10.1.0.1:1", "2001:db8:0:1::ffff"), "its /64 has its share")
	require.True(t, attend("10.1.0.1:1", "2001:db8:0:2::1"), "another one")
	for range mostShare + 1 {
		require.True(t, attend("10.1.0.2:1", ""), "a proxy that does not say for whom stands for many")
	}
	for range mostShare {
		require.True(t, attend("192.0.2.1:1", "198.51.100.1"))
	}
	require.False(t, attend("192.0.2.1:1", "198.51.100.2"), "what a stranger says is not believed")
}

func TestARequestThatFindsNoSlotIsAskedToTryAgain(t *testing.T) {
	s := newInstallation(t, Defaults())
	s.requests.most = 0
	answer := s.poll("192.0.2.1:1", "Bearer "+s.key)
	require.Equal(t, 503, answer.Code)
	require.Equal(t, retryAfter, answer.Header().Get("Retry-After"))
	require.Contains(t, answer.Body.String(), `"OperationOutcome"`)
	s.requests.most = mostRequests
	require.Equal(t, 404, s.poll("192.0.2.1:1", "Bearer "+s.key).Code)
	require.Zero(t, s.requests.all, "and every slot is given back")
}

func TestAnAnswerThatFailsHalfwayIsCutOff(t *testing.T) {
	s := newInstallation(t, Defaults())
	for path, fail := range map[string]func() error{
		"/api/error": func() error { return errors.New("half-way") }, "/api/panic": func() error { panic("half-way") },
	} {
		s.echo.GET(path, func(c echo.Context) error {
			_, _ = c.Response().Write([]byte("half of it"))
			return fail()
		})
		require.PanicsWithValue(t, http.ErrAbortHandler, func() { s.serve(httptest.NewRequest("GET", path, nil)) }, path)
	}
	require.Zero(t, s.requests.all)
}
