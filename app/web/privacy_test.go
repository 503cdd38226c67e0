package web_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
)

// tokens makes values that occur nowhere else, so that a test recognizes them anywhere.
type tokens struct{ made int }

const (
	mark   = "CaNaRy"
	digits = "7310846592"
)

func (k *tokens) text() string {
	k.made++
	return fmt.Sprintf("%s%03d", mark, k.made)
}

func (k *tokens) number() string {
	k.made++
	return fmt.Sprintf("%s%03d", digits, k.made)
}

// everywhere puts a token into every part of a request that a client controls, except the
// method.
func (k *tokens) everywhere(r *http.Request) {
	r.Host = k.text() + ".example"
	if r.URL.RawQuery != "" {
		r.URL.RawQuery += "&"
	}
	r.URL.RawQuery += k.text() + "=" + k.text()
	for _, name := range []string{
		"User-Agent", "Referer", "Origin", "Accept", "Accept-Language", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Forwarded", "From",
		"X-Request-Id", "X-Correlation-Id", "Traceparent", "If-None-Match", "Range", "Prefer", "X-" + k.text(),
	} {
		r.Header.Set(name, k.text())
	}
	r.AddCookie(&http.Cookie{Name: k.text(), Value: k.text()})
}

// PHI-1, decision 1.2: no submitted value appears in a response or a log line, whatever goes
// wrong.
func TestPHI_1_NoSubmittedValueComesBackOrIsLogged(t *testing.T) {
	i := apptest.Start(t, maxBody(20_000), func(c *app.Config) { c.Web.AnonymousRateLimit = 40 })
	k := &tokens{}
	searched := 0
	clean := func(answer apptest.Response) {
		t.Helper()
		searched++
		var head bytes.Buffer
		require.NoError(t, answer.Header.Write(&head))
		for _, text := range []string{answer.Status, head.String(), string(answer.Body)} {
			require.NotContains(t, strings.ToLower(text), strings.ToLower(mark))
			require.NotContains(t, text, digits)
		}
	}
	ask := func(status int, method, path, body string, headers ...string) apptest.Response {
		t.Helper()
		r := request(t, i, method, path, strings.NewReader(body))
		k.everywhere(r)
		for n := 0; n < len(headers); n += 2 {
			r.Header.Set(headers[n], headers[n+1])
		}
		answer := send(t, r)
		require.Equal(t, status, answer.StatusCode, "%s %s: %s", method, path, answer.Body)
		clean(answer)
		return answer
	}

	// Paths, methods, keys and headers.
	ask(404, "GET", "/"+k.text(), "")
	ask(404, "GET", "/api/"+k.text(), "")
	ask(404, "POST", bundlePath+"/"+k.text(), birth)
	ask(404, "GET", ingestions+k.text(), "")
	ask(404, "GET", ingestions+"%22"+k.text()+"%ff", "")
	ask(404, k.text(), "/"+k.text(), "")
	ask(405, k.text(), bundlePath, birth)
	ask(405, k.text(), "/health/json", "")
	ask(200, "GET", "/health/json", "")
	ask(200, "GET", "/openapi.json", "")
	for _, authorization := range []string{k.text(), "Bearer " + k.text(), "Bearer rgk_" + k.text(), "Basic " + k.text()} {
		ask(401, "POST", bundlePath, birth, "Authorization", authorization)
	}
	ask(400, "POST", bundlePath, birth, "Idempotency-Key", k.text()+" "+k.text())
	ask(415, "POST", bundlePath, birth, "Content-Encoding", k.text())
	ask(415, "POST", bundlePath, birth, "Content-Type", "application/json; charset="+k.text())
	ask(415, "POST", bundlePath, birth, "Content-Type", "application/xml; "+k.text()+"="+k.text())
	used := k.text()
	ask(202, "POST", bundlePath, birth, "Idempotency-Key", used, "Content-Type", "text/"+k.text())
	ask(202, "POST", bundlePath, `{"`+k.text()+`":1}`, "Idempotency-Key", used)
	broken := raw(t, i, "POST "+bundlePath+" HTTP/1.1\r\nHost: x\r\nContent-Length: "+k.text()+"\r\n\r\n")
	require.Equal(t, 400, broken.StatusCode)
	clean(broken)

	// Bodies that are refused.
	for _, body := range []string{
		k.text(), `"` + k.text() + `"`, `{"` + k.text() + `":` + k.text() + `}`, `{"resourceType":"` + k.text() + `"}`, k.number(), `[` + k.number() + `]`,
		`{"resourceType":"Bundle","` + used + `":1,"` + used + `":2}`, `{"resourceType":"Bundle","x":` + k.number() + k.number() + k.number() + k.number() + k.number() + k.number() + `}`,
		`{"resourceType":"Bundle","x":-` + k.number() + `e9999}`, `{"resourceType":"Bundle","x":"` + k.text() + "\xff" + `"}`, `{"resourceType":"Bundle","x":"\u` + k.text() + `"}`,
		`{"resourceType":"Bundle"}` + k.text(), `<Bundle><id value="` + k.text() + `"/></Bundle>`,
	} {
		ask(400, "POST", bundlePath, body)
	}
	ask(413, "POST", bundlePath, `{"x":"`+strings.Repeat(k.text(), 3000)+`"}`)

	// Bundles that are accepted and then rejected: their receipts.
	wrong := func(member, value string) string {
		return `{"resourceType":"Patient","meta":{"profile":["` + apptest.MotherProfile + `"]},"` + member + `":` + value + `}`
	}
	push := func(body string) apptest.Response {
		t.Helper()
		accepted := ask(202, "POST", bundlePath, body)
		i.Receipt(accepted)
		return ask(200, "GET", location(t, i, accepted), "")
	}
	for _, body := range []string{
		`{"resourceType":"Bundle","type":"` + k.text() + `"}`,
		`{"resourceType":"Bundle","entry":["` + k.text() + `"]}`,
		`{"resourceType":"Bundle","entry":"` + k.text() + `"}`,
		`{"resourceType":"Bundle","meta":{"lastUpdated":` + k.number() + `},"identifier":["` + k.text() + `"],"entry":[{"resource":` + wrong("id", `"`+k.text()+`"`) + `}]}`,
		apptest.Course{Chart: k.text(), Mothers: -1}.Bundle(),
		apptest.Course{Chart: k.text(), Kids: -1, Mother: k.text()}.Bundle(),
		apptest.Course{Chart: k.text(), Status: "entered-in-error"}.Bundle(),
		apptest.Course{Extra: []string{wrong("name", `"`+k.text()+`"`)}}.Bundle(),
		apptest.Course{Extra: []string{wrong("birthDate", `{"`+k.text()+`":"`+k.text()+`"}`)}}.Bundle(),
		apptest.Course{Extra: []string{wrong("name", `[{"given":[`+k.number()+`]}]`)}}.Bundle(),
		apptest.Course{Extra: []string{wrong("extension", `[{"url":"`+k.text()+`","valueString":`+k.number()+`}]`)}}.Bundle(),
		apptest.Course{Extra: []string{`{"resourceType":"Observation","code":{"coding":[{"code":"8339-4"}]},"subject":"` + k.text() + `"}`}}.Bundle(),
		apptest.Course{Extra: []string{`{"resourceType":{"` + k.text() + `":1}}`}}.Bundle(),
		apptest.Batch(apptest.Course{Chart: k.text(), Mothers: 2, Mother: k.text()}.Bundle(), `{"resourceType":"Bundle","entry":[{"fullUrl":`+k.number()+`}]}`),
		`{"resourceType":"Bundle","entry":[{"fullUrl":"` + k.text() + `","request":{"method":"DELETE","url":"Bundle?identifier=` + k.text() + `"}}]}`,
		`{"resourceType":"Bundle","entry":[{"request":{"method":"DELETE","url":["` + k.text() + `"]}}]}`,
	} {
		require.Contains(t, string(push(body).Body), `"accepted":[]`, "%s", body)
	}

	// Records that are stored. Only the mother's ID may come back, because the spec asks for
	// it.
	chart, mother := k.text(), k.text()
	for _, body := range []string{
		apptest.Course{Chart: chart, Mother: mother, Stamp: "2026-03-04T00:00:00Z", Extra: []string{`{"resourceType":"Basic","text":"` + k.text() + `"}`}}.Bundle(),
		apptest.Course{Chart: chart, Mother: mother, Stamp: "2026-03-04T00:00:00Z", Extra: []string{`{"resourceType":"Observation","code":{"coding":"` + k.text() + `"}}`}}.Bundle(),
		apptest.Course{Chart: chart, Mother: mother, Stamp: "2026-03-03T00:00:00Z"}.Bundle(), // stale
		apptest.Course{Chart: k.text(), Mother: mother}.Bundle(),                             // suspected
		apptest.Course{Chart: chart, Status: "entered-in-error"}.Bundle(),
	} {
		push(body)
	}

	// Above the limit of the address.
	throttled := false
	for range 50 {
		r := request(t, i, "POST", bundlePath, strings.NewReader(`"`+k.text()+`"`))
		k.everywhere(r)
		r.Header.Set("Authorization", "Bearer "+k.text())
		answer := send(t, r)
		clean(answer)
		throttled = throttled || answer.StatusCode == 429
	}
	require.True(t, throttled)
	require.Greater(t, searched, 80)
	require.NotContains(t, strings.ToLower(i.Log.String()), strings.ToLower(mark))
	require.NotContains(t, i.Log.String(), digits)
	require.NotContains(t, i.Log.String(), i.Key[4:])
}
