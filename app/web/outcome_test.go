package web_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/fhir"
)

// Decision 1.2: whatever is requested under /api/, the answer is an OperationOutcome as
// application/fhir+json: no redirect, no HTML, no plain text.
func TestEverythingUnderTheAPIAnswersAnOperationOutcome(t *testing.T) {
	i := apptest.Start(t, idle)
	known := location(t, i, i.Post(birth))
	for _, c := range []struct {
		method, path string
		problem      *fhir.Problem
		allow        string
	}{
		{"GET", "/api/", fhir.NoSuchPath, ""},
		{"GET", "/api", fhir.NoSuchPath, ""},
		{"POST", "/" + bundlePath, fhir.NoSuchPath, ""}, // of a base address that ends in a slash
		{"GET", "//" + known, fhir.NoSuchPath, ""},
		{"GET", "/api/registry", fhir.NoSuchPath, ""},
		{"GET", "/api/registry/fhir", fhir.NoSuchPath, ""},
		{"GET", "/api/registry/fhir/Patient", fhir.NoSuchPath, ""},
		{"POST", "/api/registry/fhir/", fhir.NoSuchPath, ""},
		{"POST", "/api/registry/fhir/bundle", fhir.NoSuchPath, ""},
		{"POST", bundlePath + "/", fhir.NoSuchPath, ""},
		{"POST", bundlePath + "/1", fhir.NoSuchPath, ""},
		{"POST", "/api/registry/fhir//Bundle", fhir.NoSuchPath, ""},
		{"POST", "/api//registry/fhir/Bundle", fhir.NoSuchPath, ""},
		{"POST", "/api/registry/fhir/./Bundle", fhir.NoSuchPath, ""},
		{"POST", "/api/registry/fhir/x/../Bundle", fhir.NoSuchPath, ""},
		{"POST", "/api/registry/fhir/%42undle", fhir.NoSuchPath, ""},
		{"POST", "/%61pi/registry/fhir/Bundle", fhir.NoSuchPath, ""},
		{"POST", "/api/registry%2ffhir%2fBundle", fhir.NoSuchPath, ""},
		{"POST", bundlePath + "%00", fhir.NoSuchPath, ""},
		{"POST", bundlePath + ";x=1", fhir.NoSuchPath, ""},
		{"GET", "/api/registry/fhir/ingestions", fhir.NoSuchPath, ""},
		{"GET", ingestions, fhir.NoSuchPath, ""},
		{"GET", known + "/", fhir.NoSuchIngestion, ""},
		{"GET", known + "/x", fhir.NoSuchIngestion, ""},
		{"GET", known + "%2f", fhir.NoSuchIngestion, ""},
		{"HEAD", "/api/registry/fhir/Patient", fhir.NoSuchPath, ""},
		{"OPTIONS", "/api/registry/fhir/Patient", fhir.NoSuchPath, ""},
		{"PURGE", "/api/registry/fhir/Patient", fhir.NoSuchPath, ""},
		{"POST", "/api/registry/fhir/metadata", fhir.NoSuchMethod, "GET, HEAD"},
		{"OPTIONS", "/api/registry/fhir/metadata", fhir.NoSuchMethod, "GET, HEAD"},
		{"GET", bundlePath, fhir.NoSuchMethod, "POST"},
		{"HEAD", bundlePath, fhir.NoSuchMethod, "POST"},
		{"PUT", bundlePath, fhir.NoSuchMethod, "POST"},
		{"PATCH", bundlePath, fhir.NoSuchMethod, "POST"},
		{"DELETE", bundlePath, fhir.NoSuchMethod, "POST"},
		{"OPTIONS", bundlePath, fhir.NoSuchMethod, "POST"},
		{"TRACE", bundlePath, fhir.NoSuchMethod, "POST"},
		{"PURGE", bundlePath, fhir.NoSuchMethod, "POST"},
		{"post", bundlePath, fhir.NoSuchMethod, "POST"},
		{"HEAD", ingestions + "/x", fhir.NoSuchIngestion, ""},
		{"POST", known, fhir.NoSuchMethod, "GET, HEAD"},
		{"DELETE", known, fhir.NoSuchMethod, "GET, HEAD"},
		{"OPTIONS", known, fhir.NoSuchMethod, "GET, HEAD"},
	} {
		t.Run(c.method+" "+strings.ReplaceAll(c.path, "/", "·"), func(t *testing.T) {
			answer := send(t, request(t, i, c.method, c.path, nil))
			if c.method == "HEAD" {
				require.Equal(t, c.problem.Status, answer.StatusCode)
				require.Equal(t, "application/fhir+json", answer.Header.Get("Content-Type"))
				require.Empty(t, answer.Body)
			} else {
				requireProblem(t, c.problem, answer)
			}
			require.Equal(t, c.allow, answer.Header.Get("Allow"))
			require.Empty(t, answer.Header.Get("Location"))
		})
	}
}

func TestAMethodOverrideIsIgnored(t *testing.T) {
	i := apptest.Start(t)
	requireProblem(t, fhir.NoSuchMethod, i.Do("GET", bundlePath, "", "X-HTTP-Method-Override", "POST"))
	requireProblem(t, fhir.NoSuchMethod, i.Do("GET", bundlePath+"?_method=POST", ""))
}

// Decision 1.3.
func TestContentLocationComesFromTheBaseURLAndNeverFromTheHost(t *testing.T) {
	i := apptest.Start(t, idle, func(c *app.Config) { c.Web.BaseURL = "https://registry.example.org/births" })
	r := request(t, i, "POST", bundlePath, strings.NewReader(birth))
	r.Host = "evil.example"
	r.Header.Set("X-Forwarded-Host", "evil.example")
	r.Header.Set("X-Forwarded-Proto", "ftp")
	r.Header.Set("Forwarded", "host=evil.example;proto=ftp")
	answer := send(t, r)
	require.Equal(t, 202, answer.StatusCode)
	path, ok := strings.CutPrefix(answer.Header.Get("Content-Location"), "https://registry.example.org/births"+ingestions)
	require.True(t, ok, answer.Header.Get("Content-Location"))
	require.Equal(t, 200, i.Do("GET", ingestions+path, "").StatusCode)
}

// Decision 1.3. Answers to an absolute request target, to OPTIONS * and to an unreadable one
// are made before any route is chosen.
func TestEveryResponseCarriesARequestIDThatIsNeverTheClients(t *testing.T) {
	i := apptest.Start(t, idle, maxBody(1000))
	const own = "0199d3a1-7c4e-7b52-9d6f-000000000000"
	known := location(t, i, i.Post(birth, "Idempotency-Key", "k"))
	seen := map[string]bool{}
	for _, c := range []struct {
		method, path, body string
		headers            []string
		status             int
	}{
		{"POST", bundlePath, birth, nil, 202},
		{"POST", bundlePath, birth, []string{"Idempotency-Key", "k"}, 202},
		{"POST", bundlePath, "{", nil, 400},
		{"POST", bundlePath, birth, []string{"Authorization", ""}, 401},
		{"POST", bundlePath, birth, []string{"Content-Type", "text/xml"}, 415},
		{"POST", bundlePath, strings.Repeat(" ", 1001), nil, 413},
		{"PUT", bundlePath, birth, nil, 405},
		{"OPTIONS", bundlePath, "", nil, 405},
		{"GET", known, "", nil, 200},
		{"GET", nowhere, "", nil, 404},
		{"GET", "/api/x", "", nil, 404},
		{"GET", "/nowhere", "", nil, 404},
		{"GET", "/openapi.json", "", nil, 200},
		{"HEAD", "/openapi.json", "", nil, 200},
		{"HEAD", "/health/json", "", nil, 200},
		{"POST", "/openapi.json", "", nil, 405},
		{"GET", "/health/json", "", nil, 200},
		{"DELETE", "/health/json", "", nil, 405},
		{"GET", "/api/registry/fhir/metadata", "", nil, 200},
		{"GET", "/health/live", "", nil, 200},
		{"HEAD", "/health/live", "", nil, 200},
		{"POST", "/health/live", "", nil, 405},
		{"GET", "/health/ready", "", nil, 200},
		{"HEAD", "/health/ready", "", nil, 200},
	} {
		answer := i.Do(c.method, c.path, c.body, append(c.headers, "X-Request-Id", own)...)
		require.Equal(t, c.status, answer.StatusCode, "%s %s", c.method, c.path)
		requireRequestID(t, answer)
		id := answer.Header.Get("X-Request-Id")
		require.NotEqual(t, own, id)
		require.False(t, seen[id], "an id names one request")
		seen[id] = true
		i.Logs(id)
		require.Equal(t, "nosniff", answer.Header.Get("X-Content-Type-Options"))
	}
	for _, line := range []string{
		"OPTIONS * HTTP/1.1", "GET http://evil.example/api/x HTTP/1.1", "CONNECT evil.example:443 HTTP/1.1", "get /api/x HTTP/1.1",
	} {
		answer := raw(t, i, line+"\r\nHost: x\r\nX-Request-Id: "+own+"\r\nConnection: close\r\n\r\n")
		require.Equal(t, 404, answer.StatusCode, line)
		requireRequestID(t, answer)
	}
	require.NotContains(t, i.Log.String(), own)
}

// raw sends bytes unchanged and reads one answer.
func raw(t *testing.T, i *apptest.Installation, text string) apptest.Response {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(i.URL, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(3*time.Minute)))
	_, err = io.WriteString(conn, text)
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return apptest.Response{Response: response, Body: body}
}

// Decision 1.10: the answers are the same byte for byte, except for parts that always differ.
// Every request has its own key, so that all of them have the same rate limit left.
func TestUnknownMalformedAndForeignIDsGetTheSame404(t *testing.T) {
	i := apptest.Start(t, idle, rate(120))
	foreign := i.Mint(i.AddPractice("Hillside Birth Center"), write)
	known := location(t, i, i.Post(birth, "Authorization", "Bearer "+foreign))
	upper := ingestions + strings.ToUpper(strings.TrimPrefix(known, ingestions))
	ask := func(path string) (status int, header http.Header, body string) {
		answer := i.Do("GET", path, "", "Authorization", "Bearer "+i.Mint(i.Practice, read))
		requireRequestID(t, answer)
		answer.Header.Del("X-Request-Id")
		answer.Header.Del("Date")
		return answer.StatusCode, answer.Header, string(answer.Body)
	}
	status, header, body := ask(known)
	require.Equal(t, 404, status)
	for _, path := range []string{
		nowhere, upper, ingestions + "1", ingestions + "x", ingestions + "%00", ingestions + "..", ingestions + "%2e%2e", ingestions + "'%20or%201=1--",
		ingestions + "%ff", ingestions + strings.Repeat("x", 5000), nowhere + "?practice=2", known + "/", nowhere + "/x",
	} {
		s, h, b := ask(path)
		require.Equal(t, status, s, path)
		require.Equal(t, header, h, path)
		require.Equal(t, body, b, path)
	}
}

func TestOutsideTheAPIErrorsArePagesForPeople(t *testing.T) {
	i := apptest.Start(t)
	for _, c := range []struct {
		method, path string
		status       int
		kind         string
	}{
		{"GET", "/favicon.ico", 404, "text/html"},
		{"GET", "/API/registry/fhir/Bundle", 404, "text/html"},
		{"GET", "/apis", 404, "text/html"},
		{"GET", "//registry", 404, "text/html"},
		{"GET", "/health", 404, "text/html"},
		{"GET", "/assets/none.css", 404, "text/html"},
		{"GET", "/assets/../openapi.json", 404, "text/html"},
		{"DELETE", "/registry", 405, "text/html"},
		{"POST", "/health/json", 405, "text/plain"},
		{"PUT", "/openapi.json", 405, "text/plain"},
	} {
		answer := i.Do(c.method, c.path, "")
		require.Equal(t, c.status, answer.StatusCode, c.path)
		require.Equal(t, c.kind+"; charset=UTF-8", answer.Header.Get("Content-Type"), c.path)
		require.Equal(t, c.status == 405, strings.HasPrefix(answer.Header.Get("Allow"), "GET"), c.path)
	}
}
