package app_test

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/longtest"
)

// worst returns bodies of 10 MiB each, within the scanner's limits and beyond them, that would
// cost a careless reader many times their size.
func worst() map[string]string {
	of := func(before, again, after string) string {
		return before + strings.Repeat(again, (10<<20-len(before)-len(after))/len(again)) + after
	}
	const members = 9_999 // the most that a list may have
	list := func(of string) string { return "[" + strings.Repeat(of+",", members-1) + of + "]" }
	mother := `{"resource":{"resourceType":"Patient","meta":{"profile":["` + apptest.MotherProfile + `"]},"name":` + list(`{}`) + `,"extension":` + list(`{}`) + `}}`
	return map[string]string{
		"objects that nobody reads":      of(`{"resourceType":"Bundle","x":[`, list(`{"a":0}`)+`,`, `0]}`),
		"mothers of ten thousand names":  of(`{"resourceType":"Bundle","entry":[`, mother+`,`, `{}]}`),
		"a batch of mothers of many":     of(`{"resourceType":"Bundle","entry":[`, `{"resource":{"resourceType":"Bundle","entry":[`+mother+`]}},`, `{}]}`),
		"a text of escapes":              of(`{"resourceType":"Bundle","x":"`, `\n`, `"}`),
		"a resource of one text":         of(`{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Basic","text":"`, `\n`, `"}}]}`),
		"more entries than a Bundle has": of(`{"resourceType":"Bundle","entry":[`, `{},`, `{}]}`),
		"deeper than anything":           of(``, `[`, ``),
	}
}

// JSON-10.
func TestJSON_10_FiftySimultaneousWorstBodiesStayWithin600MBAndAreAnsweredOrPostponed(t *testing.T) {
	longtest.Only(t, "the worst bodies in masses")
	s := newInstallation(t)
	s.start()
	defer s.kill()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 50, ExpectContinueTimeout: patience}}
	defer client.CloseIdleConnections()
	for name, body := range worst() {
		counts, accepted := map[int]int{}, []string{}
		var mu sync.Mutex
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				request, err := http.NewRequest(http.MethodPost, "http://"+s.address+apptest.BundlePath, strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				request.Header.Set("Authorization", "Bearer "+s.key)
				request.Header.Set("Expect", "100-continue") // otherwise an early 503 breaks off the connection
				answer, err := client.Do(request)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				mu.Lock()
				defer mu.Unlock()
				counts[answer.StatusCode]++
				switch answer.StatusCode {
				case http.StatusAccepted:
					accepted = append(accepted, answer.Header.Get("Content-Location"))
				case http.StatusServiceUnavailable:
					if answer.Header.Get("Retry-After") == "" {
						t.Error("a 503 without Retry-After")
					}
				case http.StatusBadRequest:
				default:
					t.Errorf("%s: %d", name, answer.StatusCode)
				}
			})
		}
		all.Wait()
		require.False(t, t.Failed())
		require.Less(t, counts[503], 50, "%s: nobody was answered", name)
		for _, location := range accepted {
			s.receipt(location)
		}
		peak := s.peak(t)
		t.Logf("%s: %v, at most %d MiB resident", name, counts, peak>>20)
		require.Less(t, peak, int64(600_000_000), name)
	}
	require.True(t, s.healthy())
}

// RL-5: strangers use up no memory, however many tokens they make up.
func TestRL_5_TenThousandMadeUpTokensLeaveTheMemoryFlat(t *testing.T) {
	longtest.Only(t, "a flood of made-up tokens")
	s := newInstallation(t)
	s.start()
	defer s.kill()
	client := &http.Client{}
	defer client.CloseIdleConnections()
	counts := map[int]int{}
	guess := func(n int) {
		for range n {
			request, err := http.NewRequest(http.MethodGet, "http://"+s.address+"/api/registry/fhir/ingestions/none", nil)
			require.NoError(t, err)
			request.Header.Set("Authorization", fmt.Sprintf("Bearer rgk_%s%s", rand.Text(), rand.Text()[:12]))
			answer, err := client.Do(request)
			require.NoError(t, err)
			_, _ = io.Copy(io.Discard, answer.Body)
			require.NoError(t, answer.Body.Close())
			counts[answer.StatusCode]++
		}
	}
	began := time.Now()
	guess(2_000)
	_, before := s.resident(t)
	guess(8_000)
	_, after := s.resident(t)
	t.Logf("%v; %d KiB before, %d KiB after", counts, before>>10, after>>10)
	require.Equal(t, 10_000, counts[401]+counts[429])
	windows := int(time.Since(began)/time.Minute) + 1
	require.GreaterOrEqual(t, counts[401], 60)
	require.LessOrEqual(t, counts[401], 60*windows, "what every minute lets in")
	require.Less(t, after, before+16<<20)
	code, _, _ := s.status("GET", "/api/registry/fhir/ingestions/none", "")
	require.Equal(t, 404, code, "who has a key is not held up")
}
