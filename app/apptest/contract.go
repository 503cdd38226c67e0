package apptest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Contract returns a transport that compares every response with the OpenAPI document that the
// service publishes. It compares the status, the media type, the headers (none missing, none
// undocumented) and the body. An error response must be one of the problems that the document lists
// for its status. A difference fails the test, without quoting the body.
//
// The response for a path that the document doesn't list isn't checked, unless the path is under
// /api/. Then it must be components.responses.NoSuchPath. A method that the document doesn't list
// for a path must get the path's 405 response.
func Contract(t testing.TB) http.RoundTripper {
	t.Helper()
	doc, err := published()
	if err != nil {
		t.Fatalf("the OpenAPI document cannot be used: %v", err)
	}
	return contract{t, doc}
}

type contract struct {
	t   testing.TB
	doc *document
}

func (c contract) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err := cmp.Or(err, response.Body.Close()); err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	path, answers := c.doc.answersTo(request.Method, request.URL.EscapedPath())
	if answers == nil {
		return response, nil
	}
	answer := answers[response.StatusCode]
	if answer == nil {
		c.t.Errorf("contract: %s %s answers %d, which is not documented", request.Method, path, response.StatusCode)
		return response, nil
	}
	for _, difference := range answer.differences(response.Header, body, request.Method == http.MethodHead) {
		c.t.Errorf("contract: %s %s, %d: %s", request.Method, path, response.StatusCode, difference)
	}
	return response, nil
}

// CloseIdleConnections closes the idle connections of the default transport, which RoundTrip uses.
// http.Client.CloseIdleConnections calls it.
func (c contract) CloseIdleConnections() {
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// answersTo returns the path as the document lists it, and the responses that the document allows
// for a request. The keys are statuses. For a path that the document doesn't list, answersTo
// returns no responses, unless the path is under /api/.
func (d *document) answersTo(method, path string) (template string, answers map[int]*answer) {
	for _, p := range d.paths {
		rest, ok := strings.CutPrefix(path, p.prefix)
		if !ok || p.open != (rest != "") {
			continue
		}
		if answers := p.methods[method]; answers != nil {
			return p.template, answers
		}
		return p.template, p.notAllowed
	}
	if strings.HasPrefix(path, "/api/") {
		return "an unlisted path", d.noSuchPath
	}
	return "", nil
}

// ofHTTP lists the headers that belong to HTTP. A response may have them even if the document
// doesn't describe them.
var ofHTTP = []string{"Content-Type", "Content-Length", "Connection", "Date"}

func (a *answer) differences(got http.Header, body []byte, head bool) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(a.headers)) {
		all = append(all, a.headers[name].differences(name, got.Values(name))...)
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, known := a.headers[name]; !known && !slices.Contains(ofHTTP, name) {
			all = append(all, "header "+name+" is not documented")
		}
	}
	mediaType, _, err := mime.ParseMediaType(got.Get("Content-Type"))
	schema, known := a.content[mediaType]
	switch {
	case err != nil || !known:
		return append(all, "Content-Type is none of "+strings.Join(slices.Sorted(maps.Keys(a.content)), ", "))
	case head && len(body) > 0:
		return append(all, "HEAD is answered with a body")
	case head:
		return all
	}
	var value any = string(body)
	if mediaType != "text/plain" {
		if value, err = jsonschema.UnmarshalJSON(bytes.NewReader(body)); err != nil {
			return append(all, "the body is not JSON")
		}
	}
	all = append(all, violations("body", schema.Validate(value))...)
	if name, ok := problemOf(value); ok && a.problems != nil && !slices.Contains(a.problems, name) {
		all = append(all, "the problem "+strconv.Quote(name)+" is not among the examples")
	}
	return all
}

func (h header) differences(name string, got []string) []string {
	switch {
	case len(got) == 0 && h.required:
		return []string{"header " + name + " is missing"}
	case len(got) == 0:
		return nil
	case len(got) > 1:
		return []string{"header " + name + " is sent more than once"}
	}
	var value any = got[0]
	switch h.kind {
	case "integer":
		value = json.Number(got[0])
		if _, err := strconv.Atoi(got[0]); err != nil {
			return []string{"header " + name + " is not an integer"}
		}
	case "boolean":
		value = got[0] == "true"
	}
	return violations("header "+name, h.schema.Validate(value))
}

// violations lists the places in a value that violate its schema. Each entry has the keyword of the
// schema that is violated. of is the name of the value in these entries. The validator's own
// messages aren't used, because they quote the value.
func violations(of string, err error) []string {
	if err == nil {
		return nil
	}
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return []string{of + " cannot be validated"}
	}
	var all []string
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			all = append(all, fmt.Sprintf("%s: /%s breaks %s",
				of, strings.Join(e.InstanceLocation, "/"), strings.Join(e.ErrorKind.KeywordPath(), "/")))
		}
		for _, cause := range e.Causes {
			walk(cause)
		}
	}
	walk(failed)
	slices.Sort(all)
	return slices.Compact(all)
}

// problemOf returns the code of the problem in an OperationOutcome. ok is false if value isn't an
// OperationOutcome with such a code.
func problemOf(value any) (name string, ok bool) {
	at := func(v any, member string) any { m, _ := v.(map[string]any); return m[member] }
	first := func(v any) any {
		if list, _ := v.([]any); len(list) > 0 {
			return list[0]
		}
		return nil
	}
	if at(value, "resourceType") != "OperationOutcome" {
		return "", false
	}
	name, ok = at(first(at(at(first(at(value, "issue")), "details"), "coding")), "code").(string)
	return name, ok
}
