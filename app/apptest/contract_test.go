package apptest

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
)

// notebook is a test that records its errors instead of failing.
type notebook struct {
	testing.TB
	notes []string
}

func (n *notebook) Helper() {}

func (n *notebook) Errorf(format string, args ...any) {
	n.notes = append(n.notes, fmt.Sprintf(format, args...))
}

// reply is an answer that may break the contract.
type reply struct {
	status int
	header map[string]string
	body   string
}

const id = "0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27"

func plain(status int, mediaType, body string, headers ...string) reply {
	r := reply{status, map[string]string{
		"Content-Type": mediaType, "X-Request-Id": id, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
		"RateLimit": `"default";r=1;t=2`, "RateLimit-Policy": `"default";q=3;w=60`,
	}, body}
	for n := 0; n < len(headers); n += 2 {
		r.header[headers[n]] = headers[n+1]
		if headers[n+1] == "" {
			delete(r.header, headers[n])
		}
	}
	return r
}

func refusal(p *fhir.Problem, headers ...string) reply {
	body := fmt.Sprintf(`{"resourceType":"OperationOutcome","issue":[{"severity":"error","code":%q,"details":{"coding":[{"system":%q,"code":%q}],"text":%q},"diagnostics":%q}]}`,
		p.Code, fhir.OutcomeSystem, p.Name, p.Hint, p.Text)
	return plain(p.Status, "application/fhir+json", body, headers...)
}

func receipt(body string, headers ...string) reply {
	return plain(200, "application/json", body, headers...)
}

// ask makes a server give the reply and returns the contract's complaints about it.
func ask(t *testing.T, method, path string, r reply) []string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range r.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(r.status)
		_, _ = io.WriteString(w, r.body)
	}))
	defer server.Close()
	notes := &notebook{TB: t}
	client := http.Client{Transport: Contract(notes)}
	request, err := http.NewRequest(method, server.URL+path, nil)
	require.NoError(t, err)
	response, err := client.Do(request)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	if method != http.MethodHead {
		require.Equal(t, r.body, string(body), "the body reaches the test")
	}
	return notes.notes
}

const (
	ingestion = "/api/registry/fhir/ingestions/" + id
	queued    = `{"id":"` + id + `","status":"queued"}`
	ended     = `,"completedAt":"2026-03-03T14:30:02.417+00:00"}`
	accepted  = `{"id":"` + id + `","status":"completed","accepted":1,"rejected":0,"outcome":{"accepted":[{"reference":"Patient/m","submission_uuid":"` + id + `"%s}],"rejected":[]}` + ended
)

func TestTheContractCheckAcceptsWhatIsDocumented(t *testing.T) {
	for name, c := range map[string]struct {
		method, path string
		reply        reply
	}{
		"a receipt":              {"GET", ingestion, receipt(queued)},
		"an accepted entry":      {"GET", ingestion, receipt(fmt.Sprintf(accepted, ""))},
		"an amended entry":       {"GET", ingestion, receipt(fmt.Sprintf(accepted, `,"amended":true,"version":2`))},
		"a refusal":              {"GET", ingestion, refusal(fhir.NoSuchIngestion)},
		"an unlisted path":       {"GET", "/api/x", refusal(fhir.NoSuchPath, "RateLimit", "", "RateLimit-Policy", "")},
		"an unlisted method":     {"PUT", BundlePath, refusal(fhir.NoSuchMethod, "RateLimit", "", "RateLimit-Policy", "", "Allow", "POST")},
		"HEAD":                   {"HEAD", BundlePath, refusal(fhir.NoSuchMethod, "RateLimit", "", "RateLimit-Policy", "", "Allow", "POST")},
		"a path of no concern":   {"GET", "/registry/capture", reply{200, map[string]string{"Set-Cookie": "a=b"}, "<html>"}},
		"a failure before all":   {"GET", ingestion, refusal(fhir.Internal, "RateLimit", "", "RateLimit-Policy", "")},
		"a charset of the media": {"GET", ingestion, receipt(queued, "Content-Type", "application/json; charset=utf-8")},
	} {
		require.Empty(t, ask(t, c.method, c.path, c.reply), name)
	}
}

func TestTheContractCheckFindsWhatIsNotDocumented(t *testing.T) {
	const secret = "Okonkwo"
	for name, c := range map[string]struct {
		method, path string
		reply        reply
		want         string
	}{
		"a status":                        {"GET", ingestion, plain(418, "application/json", queued), "answers 418, which is not documented"},
		"a redirect":                      {"GET", "/api/x", plain(302, "text/html", ""), "answers 302"},
		"a media type":                    {"GET", ingestion, receipt(queued, "Content-Type", "text/html"), "Content-Type is none of application/json"},
		"no media type":                   {"GET", ingestion, receipt(queued, "Content-Type", " "), "Content-Type is none of"},
		"a missing header":                {"GET", ingestion, receipt(queued, "X-Request-Id", ""), "header X-Request-Id is missing"},
		"a bad header":                    {"GET", ingestion, receipt(queued, "X-Request-Id", secret), "header X-Request-Id: / breaks format"},
		"a header that is not an integer": {"GET", ingestion, refusal(fhir.Throttled, "Retry-After", "soon"), "header Retry-After is not an integer"},
		"a header that is too small":      {"GET", ingestion, refusal(fhir.Throttled, "Retry-After", "0"), "header Retry-After: / breaks minimum"},
		"a surplus header":                {"GET", ingestion, receipt(queued, "X-Powered-By", secret), "header X-Powered-By is not documented"},
		"a body that is no JSON":          {"GET", ingestion, receipt(secret), "the body is not JSON"},
		"two bodies":                      {"GET", ingestion, receipt(queued + queued), "the body is not JSON"},
		"a surplus member":                {"GET", ingestion, receipt(`{"id":"` + id + `","status":"queued","mother":"` + secret + `"}`), "body: / breaks additionalProperties"},
		"a status off the list":           {"GET", ingestion, receipt(`{"id":"` + id + `","status":"` + secret + `"}`), "body: /status breaks"},
		"a version by itself":             {"GET", ingestion, receipt(fmt.Sprintf(accepted, `,"version":2`)), "body: /outcome/accepted/0 breaks"},
		"amended without a version":       {"GET", ingestion, receipt(fmt.Sprintf(accepted, `,"amended":true`)), "body: /outcome/accepted/0 breaks dependentRequired"},
		"a flag that is false":            {"GET", ingestion, receipt(fmt.Sprintf(accepted, `,"suspected_duplicate":false`)), "body: /outcome/accepted/0/suspected_duplicate breaks const"},
		"a time without an offset":        {"GET", ingestion, receipt(strings.ReplaceAll(fmt.Sprintf(accepted, ""), "+00:00", "Z")), "body: /completedAt breaks pattern"},
		"a problem of another status":     {"POST", BundlePath, refusal(fhir.NoSuchIngestion, "WWW-Authenticate", "Bearer").as(401), `the problem "no-such-ingestion" is not among the examples`},
		"an unlisted path with a limit":   {"GET", "/api/x", refusal(fhir.NoSuchPath), "header Ratelimit is not documented"},
		"an unlisted path in HTML":        {"GET", "/api/x", plain(404, "text/html", "<html>", "RateLimit", "", "RateLimit-Policy", ""), "Content-Type is none of application/fhir+json"},
		"an unlisted method that works":   {"PUT", BundlePath, plain(200, "application/json", "{}"), "answers 200"},
		"405 without Allow":               {"PUT", BundlePath, refusal(fhir.NoSuchMethod, "RateLimit", "", "RateLimit-Policy", ""), "header Allow is missing"},
	} {
		notes := strings.Join(ask(t, c.method, c.path, c.reply), "\n")
		require.Contains(t, notes, c.want, name)
		require.NotContains(t, notes, secret, "%s: the body is not quoted", name)
	}
}

func (r reply) as(status int) reply {
	return reply{status, maps.Clone(r.header), r.body}
}
