package web_test

import (
	"net"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/fhir"
)

// RL-1, decision 1.7. limiter_test.go tests on the limiter itself that its window slides.
func TestRL_1_TheHundredAndTwentyFirstRequestIsRefused(t *testing.T) {
	i := apptest.Start(t, idle, rate(120))
	require.Equal(t, 120, app.Defaults("").Web.RateLimit)
	require.Equal(t, 60, app.Defaults("").Web.AnonymousRateLimit)
	for n := range 120 {
		answer := i.Do("GET", nowhere, "")
		requireProblem(t, fhir.NoSuchIngestion, answer)
		require.Equal(t, `"default";q=120;w=60`, answer.Header.Get("RateLimit-Policy"))
		require.Regexp(t, `^"default";r=`+strconv.Itoa(119-n)+`;t=(60|5\d)$`, answer.Header.Get("RateLimit"))
	}
	for range 3 {
		answer := i.Do("GET", nowhere, "")
		requireProblem(t, fhir.Throttled, answer)
		seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
		require.NoError(t, err)
		require.InDelta(t, 55, seconds, 5)
		require.Regexp(t, `^"default";r=0;t=`+strconv.Itoa(seconds)+`$`, answer.Header.Get("RateLimit"))
	}
}

func TestEveryAnswerExceptA429Counts(t *testing.T) {
	i := apptest.Start(t, idle, rate(6))
	r := func(answer apptest.Response) string { return answer.Header.Get("RateLimit")[:13] }
	require.Equal(t, `"default";r=5`, r(i.Post(birth, "Idempotency-Key", "k")))
	require.Equal(t, `"default";r=4`, r(i.Post(birth, "Idempotency-Key", "k")), "a replay")
	require.Equal(t, `"default";r=3`, r(i.Post("{")), "a 400")
	require.Equal(t, `"default";r=2`, r(i.Post(birth, "Content-Type", "text/xml")), "a 415")
	require.Equal(t, `"default";r=1`, r(i.Do("GET", nowhere, "")), "a 404")
	i.Do("PUT", bundlePath, "")
	i.Do("GET", "/api/x", "")
	i.Do("GET", "/health/json", "")
	require.Equal(t, `"default";r=0`, r(i.Do("GET", nowhere, "")), "what is no endpoint of the key does not count")
	requireProblem(t, fhir.Throttled, i.Post(birth, "Idempotency-Key", "k"))
}

func TestTwoKeysOfOnePracticeHaveTwoBuckets(t *testing.T) {
	i := apptest.Start(t, idle, rate(1))
	second := i.Mint(i.Practice, read)
	requireProblem(t, fhir.NoSuchIngestion, i.Do("GET", nowhere, ""))
	requireProblem(t, fhir.Throttled, i.Do("GET", nowhere, ""))
	requireProblem(t, fhir.NoSuchIngestion, i.Do("GET", nowhere, "", "Authorization", "Bearer "+second))
}

func TestARevokedKeyFallsIntoTheBucketOfItsAddress(t *testing.T) {
	i := apptest.Start(t, rate(1000), func(c *app.Config) { c.Web.AnonymousRateLimit = 2 })
	key, id := mint(t, i, read)
	requireProblem(t, fhir.NoSuchIngestion, i.Do("GET", nowhere, "", "Authorization", "Bearer "+key))
	revoke(t, i, id)
	for _, authorization := range []string{"Bearer " + key, ""} {
		answer := i.Do("GET", nowhere, "", "Authorization", authorization)
		requireProblem(t, fhir.Unauthorized, answer)
		require.Equal(t, `"default";q=2;w=60`, answer.Header.Get("RateLimit-Policy"))
	}
	for _, authorization := range []string{"Bearer " + key, "Bearer rgk_x", ""} {
		requireProblem(t, fhir.Throttled, i.Do("GET", nowhere, "", "Authorization", authorization))
	}
	requireProblem(t, fhir.NoSuchIngestion, i.Do("GET", nowhere, ""))
}

// anonymous sends a request without a key and reports whether it was let in.
func anonymous(i *apptest.Installation, headers ...string) bool {
	answer := i.Do("GET", nowhere, "", append(headers, "Authorization", "")...)
	require.Contains(i.T, []int{401, 429}, answer.StatusCode)
	return answer.StatusCode == 401
}

func trusting(cidrs ...string) func(*app.Config) {
	return func(c *app.Config) {
		c.Web.AnonymousRateLimit = 1
		for _, cidr := range cidrs {
			_, network, err := net.ParseCIDR(cidr)
			if err != nil {
				panic(err)
			}
			c.Web.TrustedProxies = append(c.Web.TrustedProxies, network)
		}
	}
}

func TestForwardedAddressesOfStrangersAreIgnored(t *testing.T) {
	for name, change := range map[string]func(*app.Config){
		"no proxy is configured": trusting(), "the peer is not a configured proxy": trusting("192.0.2.0/24"),
	} {
		t.Run(name, func(t *testing.T) {
			i := apptest.Start(t, change)
			require.True(t, anonymous(i))
			for _, header := range []string{"X-Forwarded-For", "X-Real-IP", "Forwarded", "CF-Connecting-IP", "True-Client-IP"} {
				for _, address := range []string{"198.51.100.1", "127.0.0.1", "for=198.51.100.1", "192.0.2.7", "::1"} {
					require.False(t, anonymous(i, header, address), "%s: %s", header, address)
				}
			}
		})
	}
}

func TestBehindAProxyTheRightMostUntrustedAddressCounts(t *testing.T) {
	i := apptest.Start(t, trusting("127.0.0.0/8", "192.0.2.0/24"))
	for _, c := range []struct {
		forwarded string
		let       bool
	}{
		{"198.51.100.1", true},
		{"198.51.100.1", false},
		{"203.0.113.9, 198.51.100.1", false},         // an entry on the left comes from the client itself
		{"10.0.0.1, 127.0.0.1, 198.51.100.1", false}, // even if it looks like a private address
		{"198.51.100.1, 192.0.2.7", false},           // through a second proxy
		{"198.51.100.1,192.0.2.7,192.0.2.8", false},  // and a third
		{"198.51.100.2, 192.0.2.7", true},            // another client
		{"203.0.113.9, 198.51.100.2", false},
		{"198.51.100.3, 10.0.0.5", true}, // a private address is not trusted by itself
		{"198.51.100.4, 10.0.0.5", false},
		{"198.51.100.3, 169.254.0.5", true}, // nor is a link-local one
		{"198.51.100.4, 169.254.0.5", false},
		{"198.51.100.3, ::1", true}, // nor the other loopback address
		{"198.51.100.4, ::1", false},
		{"2001:db8:0:1::1", true}, // IPv6 counts by /64
		{"2001:db8:0:1:ffff:ffff:ffff:ffff", false},
		{"[2001:db8:0:1::2]", false},
		{"2001:db8:0:2::1", true},
		{"::ffff:198.51.100.1", false}, // IPv4 in IPv6
		{"not an address", true},       // counts for the proxy itself
		{"198.51.100.77, garbage", false},
		{"192.0.2.7", true},             // a proxy that sends a request of its own
		{"unknown, 198.51.100.5", true}, // entries to the left of the client are ignored
		{"198.51.100.5", false},
	} {
		require.Equal(t, c.let, anonymous(i, "X-Forwarded-For", c.forwarded), c.forwarded)
	}
	r := request(t, i, "GET", nowhere, nil)
	r.Header["X-Forwarded-For"] = []string{"203.0.113.200", "198.51.100.1"}
	r.Header.Del("Authorization")
	requireProblem(t, fhir.Throttled, send(t, r)) // several lines form one list
}
