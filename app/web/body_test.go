package web_test

import (
	"io"
	"net/http/httptrace"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/fhir"
)

// Decision 1.4.
func TestOnlyJSONMediaTypesAreAccepted(t *testing.T) {
	i := apptest.Start(t, idle)
	for _, mediaType := range []string{
		"application/fhir+json", "application/json", "", "application/fhir+json; charset=utf-8", "application/json;charset=UTF-8",
		`application/fhir+json; charset="utf-8"`, "application/fhir+json; fhirVersion=4.0", "Application/FHIR+JSON",
		"text/plain", "text/json", "application/octet-stream", "application/x-www-form-urlencoded", "application/pdf", "nonsense", ";", "application/json; charset",
	} {
		t.Run("read: "+mediaType, func(t *testing.T) {
			r := request(t, i, "POST", bundlePath, strings.NewReader(birth))
			if mediaType != "" {
				r.Header.Set("Content-Type", mediaType)
			}
			require.Equal(t, 202, send(t, r).StatusCode)
			r = request(t, i, "POST", bundlePath, strings.NewReader("not JSON"))
			r.Header.Set("Content-Type", mediaType)
			requireProblem(t, fhir.NotJSON, send(t, r))
		})
	}
	for _, mediaType := range []string{
		"application/xml", "text/xml", "application/fhir+xml", "application/xhtml+xml", "APPLICATION/XML", "multipart/form-data; boundary=x", "multipart/mixed",
		"application/xml; charset", "multipart/form-data; boundary=", "application/fhir+json; charset=iso-8859-1", "application/json; charset=utf-16", "text/plain; charset=us-ascii",
	} {
		t.Run("refused: "+mediaType, func(t *testing.T) {
			r := request(t, i, "POST", bundlePath, strings.NewReader(birth))
			r.Header.Set("Content-Type", mediaType)
			requireProblem(t, fhir.BadMediaType, send(t, r))
		})
	}
}

func TestOnlyUncompressedBodiesAreRead(t *testing.T) {
	i := apptest.Start(t, idle)
	for _, encoding := range []string{"identity", "Identity", ""} {
		r := request(t, i, "POST", bundlePath, strings.NewReader(birth))
		r.Header["Content-Encoding"] = []string{encoding}
		require.Equal(t, 202, send(t, r).StatusCode, encoding)
	}
	for _, encodings := range [][]string{{"gzip"}, {"GZIP"}, {"deflate"}, {"br"}, {"zstd"}, {"x-unknown"}, {"identity", "gzip"}, {"identity, gzip"}} {
		r := request(t, i, "POST", bundlePath, stalled(t))
		r.Header["Content-Encoding"] = encodings
		requireProblem(t, fhir.BadMediaType, send(t, r))
	}
}

// Decision 1.5.
func TestTheSizeOfABodyIsLimited(t *testing.T) {
	const limit = 5000
	i := apptest.Start(t, idle, maxBody(limit))
	exactly := birth + strings.Repeat(" ", limit-len(birth))
	for name, length := range map[string]int64{"with its length": limit, "chunked": -1} {
		t.Run("exactly the limit is read, "+name, func(t *testing.T) {
			r := request(t, i, "POST", bundlePath, io.NopCloser(strings.NewReader(exactly)))
			r.ContentLength = length
			require.Equal(t, 202, send(t, r).StatusCode)
		})
	}
	t.Run("one byte more is not read when its length says so", func(t *testing.T) {
		r := request(t, i, "POST", bundlePath, stalled(t))
		r.ContentLength = limit + 1
		answer := send(t, r)
		requireProblem(t, fhir.TooLarge, answer)
		require.True(t, answer.Close, "the connection is closed")
	})
	t.Run("one byte more is found when it comes in chunks", func(t *testing.T) {
		r := request(t, i, "POST", bundlePath, io.MultiReader(strings.NewReader(exactly+" "), stalled(t)))
		answer := send(t, r)
		requireProblem(t, fhir.TooLarge, answer)
		require.True(t, answer.Close, "the connection is closed")
	})
}

func TestThirtyThreeMebibytesAreTooLarge(t *testing.T) {
	i := apptest.Start(t, idle)
	require.EqualValues(t, 32<<20, app.Defaults("").Web.MaxBody)
	for name, body := range map[string]io.Reader{
		"that are announced": stalled(t), "that are being sent": io.LimitReader(spaces{}, 33<<20),
	} {
		t.Run(name, func(t *testing.T) {
			r := request(t, i, "POST", bundlePath, body)
			r.ContentLength = 33 << 20
			requireProblem(t, fhir.TooLarge, send(t, r))
		})
	}
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestBeyondTheBudgetOfBytesInFlightABundleIsRefused(t *testing.T) {
	i := apptest.Start(t, idle, maxBody(5000), func(c *app.Config) { c.Ingest.MaxInFlight = 8000 })
	from, to := io.Pipe()
	slow, reading := make(chan int, 1), make(chan struct{})
	r := request(t, i, "POST", bundlePath, from) // without a length: it takes all it may
	r.Header.Set("Expect", "100-continue")       // the server sends "100 Continue" when it begins to read
	r = r.WithContext(httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(reading) }}))
	go func() { slow <- send(t, r).StatusCode }()
	<-reading
	answer := i.Post(apptest.Course{Extra: []string{`{"resourceType":"Basic","text":"` + strings.Repeat("x", 2000) + `"}`}}.Bundle())
	requireProblem(t, fhir.Busy, answer)
	require.Equal(t, "5", answer.Header.Get("Retry-After"))
	_, err := io.WriteString(to, birth)
	require.NoError(t, err)
	require.NoError(t, to.Close())
	require.Equal(t, 202, <-slow)
	require.Equal(t, 202, i.Post(birth).StatusCode, "the room is free again")
}

// Decision 1.6. The scan's own tests check what the scan refuses; this test checks the ways in
// which a body arrives.
func TestBodiesAreReadStrictly(t *testing.T) {
	i := apptest.Start(t, idle)
	nested := func(depth int) string { // the object and the lists in it
		return `{"resourceType":"Bundle","x":` + strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1) + `}`
	}
	const bom = "\ufeff"
	for name, body := range map[string]string{
		"a byte order mark": bom + birth, "white space around": " \r\n\t" + birth + "\n", "64 levels": nested(64),
		"a repeated name in another object": `{"resourceType":"Bundle","a":{"x":1},"b":{"x":1}}`,
		"no entries":                        `{"resourceType":"Bundle"}`, "an escaped name": `{"resource\u0054ype":"Bundle"}`, "an escaped value": `{"resourceType":"B\u0075ndle"}`,
		"numbers as FHIR has them": `{"resourceType":"Bundle","x":[1e1,3400.0,-0,0.10]}`,
	} {
		require.Equal(t, 202, i.Post(body).StatusCode, name)
	}
	for name, body := range map[string]string{
		"an empty body": "\n", "two byte order marks": bom + bom + birth, "a byte order mark alone": bom, "UTF-16": "\xff\xfe{\x00}\x00",
		"a second value": birth + "{}", "trailing text": birth + "x", "a repeated resourceType": `{"resourceType":"Bundle","resourceType":"Bundle"}`,
		"a repeated name deep inside": `{"resourceType":"Bundle","entry":[{"resource":{"id":"a","id":"b"}}]}`, "invalid UTF-8": "{\"resourceType\":\"Bundle\",\"x\":\"\xff\"}",
		"an overlong form": "{\"resourceType\":\"Bundle\",\"x\":\"\xc0\xaf\"}", "half a surrogate pair": `{"resourceType":"Bundle","x":"\ud800"}`,
		"a comment": `{"resourceType":"Bundle"/**/}`, "a trailing comma": `{"resourceType":"Bundle",}`, "NaN": `{"resourceType":"Bundle","x":NaN}`, "cut off": birth[:len(birth)-1],
	} {
		t.Run(name, func(t *testing.T) { requireProblem(t, fhir.NotJSON, i.Post(body)) })
	}
	for name, body := range map[string]string{
		"another resource": `{"resourceType":"Patient"}`, "another case": `{"RESOURCETYPE":"Bundle"}`, "another case of the value": `{"resourceType":"bundle"}`,
		"a list": `[` + birth + `]`, "null": `null`, "a string": `"Bundle"`, "a resourceType that is no string": `{"resourceType":["Bundle"]}`, "only inside": `{"a":{"resourceType":"Bundle"}}`,
	} {
		t.Run(name, func(t *testing.T) { requireProblem(t, fhir.NotABundle, i.Post(body)) })
	}
	for name, body := range map[string]string{
		"65 levels": nested(65), "ten thousand levels": strings.Repeat("[", 10_000), "a huge number": `{"resourceType":"Bundle","x":1e999999}`,
		"a long number": `{"resourceType":"Bundle","x":` + strings.Repeat("1", 65) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			var problem *fhir.Problem // the problem names the limit
			require.ErrorAs(t, fhir.Scan(strings.NewReader(body)), &problem)
			require.Equal(t, fhir.TooComplex.Name, problem.Name)
			requireProblem(t, problem, i.Post(body))
		})
	}
	requireProblem(t, fhir.HasNUL, i.Post(`{"resourceType":"Bundle","x":"\u0000"}`))
}

func TestAnInterruptedBodyStoresNothing(t *testing.T) {
	i := apptest.Start(t, idle)
	answer := raw(t, i, "POST "+bundlePath+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+i.Key+"\r\nIdempotency-Key: k\r\n"+
		"Transfer-Encoding: chunked\r\n\r\n5\r\n{\"res\r\nzz\r\n")
	requireProblem(t, fhir.BodyUnread, answer)
	require.Empty(t, i.Post(birth, "Idempotency-Key", "k").Header.Get("Idempotent-Replayed"))
}
