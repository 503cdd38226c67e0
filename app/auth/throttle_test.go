package auth

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheWaitGrowsWithEveryAttemptUpToALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newThrottle(3, 30*time.Second, 15*time.Minute)
		var waits []time.Duration
		for range 8 {
			require.Zero(t, d.begin("a"))
			wait := d.begin("a")
			if wait == 0 { // that try was free, too
				continue
			}
			require.Equal(t, wait, d.begin("a"), "what is refused counts nothing")
			waits = append(waits, wait)
			time.Sleep(wait - time.Millisecond)
			require.Equal(t, time.Millisecond, d.begin("a"))
			time.Sleep(time.Millisecond)
		}
		require.Equal(t, []time.Duration{4e9, 8e9, 16e9, 30e9, 30e9, 30e9}, waits[len(waits)-6:])
		require.Zero(t, d.begin("b"), "each has its own")
		time.Sleep(15 * time.Minute)
		require.Zero(t, d.begin("a"))
		require.Zero(t, d.begin("a"), "forgotten")
	})
}

func TestOfManySimultaneousAttemptsNoneSlipsThrough(t *testing.T) {
	d := newThrottle(4, time.Minute, time.Hour)
	var through atomic.Int64
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			if d.begin("a") == 0 {
				through.Add(1)
			}
		})
	}
	wg.Wait()
	require.Equal(t, int64(4), through.Load())
}

func TestAnAttemptCanBeUndoneOrAllCanBeForgiven(t *testing.T) {
	d := newThrottle(2, time.Minute, time.Hour)
	for range 50 {
		require.Zero(t, d.begin("a"))
		d.undo("a")
	}
	require.Zero(t, d.begin("a"))
	require.Zero(t, d.begin("a"))
	require.Positive(t, d.begin("a"))
	d.forgive("a")
	require.Zero(t, d.begin("a"))
	d.undo("nobody")
	require.Len(t, d.rows, 1)
}

func TestTheTableOfAttemptsIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newThrottle(2, time.Minute, time.Hour)
		for n := range 3 * maxTries {
			d.begin(fmt.Sprint(n))
			require.LessOrEqual(t, len(d.rows), maxTries)
		}
		time.Sleep(time.Hour)
		d.begin("fresh")
		for n := range maxTries / 2 {
			d.begin(fmt.Sprint("again ", n))
		}
		_, there := d.rows["fresh"]
		require.True(t, there, "what is forgotten goes first")
	})
}

func TestAWaitIsGivenInWholeSeconds(t *testing.T) {
	require.Equal(t, 1, Wait{time.Millisecond}.Seconds())
	require.Equal(t, 30, Wait{29*time.Second + 1}.Seconds())
	require.Contains(t, Wait{90 * time.Second}.Error(), "wait 90 seconds")
	require.Contains(t, Wait{91 * time.Second}.Error(), "wait 2 minutes")
	require.Contains(t, Wait{15 * time.Minute}.Error(), "wait 15 minutes")
	require.Contains(t, Wait{time.Second}.Error(), "wait a second")
	require.Contains(t, Wait{30 * time.Second}.Error(), "wait 30 seconds")
}

func TestNetworksShareABucket(t *testing.T) {
	for address, want := range map[string]string{
		"192.0.2.1":            "192.0.2.1",
		"::ffff:192.0.2.1":     "192.0.2.1",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64",
		"2001:db8:1:2::":       "2001:db8:1:2::/64",
		"2001:db8:1:3::":       "2001:db8:1:3::/64",
		"fe80::1%eth0":         "fe80::/64",
		"":                     "",
		"not an address":       "",
	} {
		require.Equal(t, want, Network(address), address)
	}
	require.False(t, strings.Contains(Network("2001:db8::1"), "::1"))
}
