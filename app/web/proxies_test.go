package web_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
)

const notTrusted = "not a trusted proxy"

func TestAnUnnamedProxyIsWarnedAboutOnceAndNeitherItsHeadersNorItsAddressIsLogged(t *testing.T) {
	i := apptest.Start(t, trusting("192.0.2.0/24")) // another proxy is trusted
	i.Do("GET", nowhere, "")
	require.NotContains(t, i.Log.String(), notTrusted, "who says nothing is no proxy")
	for range 3 {
		i.Do("GET", nowhere, "", "X-Forwarded-For", "203.0.113.77")
	}
	require.Equal(t, 1, strings.Count(i.Log.String(), notTrusted))
	require.NotContains(t, i.Log.String(), "203.0.113.77")
	line := i.Log.String()[strings.Index(i.Log.String(), "X-Forwarded-For"):]
	require.NotContains(t, strings.SplitN(line, "\n", 2)[0], "127.0.0.1")
}

func TestATrustedProxyIsNoReasonToWarn(t *testing.T) {
	i := apptest.Start(t, trusting("127.0.0.0/8"))
	_, checks := health(t, i, 200)
	require.NotContains(t, checks, "proxy:trust")
	answer := i.Do("GET", "/health/json", "", "Authorization", "", "X-Forwarded-For", "203.0.113.77")
	require.Equal(t, "pass", answer.JSON(t)["status"])
	require.NotContains(t, i.Log.String(), notTrusted)
}

// The health check warns only in its answers to requests through such a proxy. Otherwise any
// client could make it warn.
func TestHealthMentionsAProxyThatIsNotTrusted(t *testing.T) {
	i := apptest.Start(t, idle)
	through := i.Do("GET", "/health/json", "", "Authorization", "", "X-Forwarded-For", "203.0.113.77")
	require.Equal(t, 200, through.StatusCode)
	require.Equal(t, "warn", through.JSON(t)["status"])
	require.Contains(t, string(through.Body), "--trusted-proxies")
	require.NotContains(t, string(through.Body), "203.0.113.77")
	doc, checks := health(t, i, 200)
	require.Equal(t, "pass", doc["status"])
	require.NotContains(t, checks, "proxy:trust")
}
