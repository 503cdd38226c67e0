// Package request is what all handlers know of a request, whether of a program or of a
// person: its id in the log, how long its work may go on, and whose key it showed. It also
// writes answers that are not pages.
package request

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
)

// IDHeader names the header by which a request is found in the log.
const IDHeader = "X-Request-Id"

// ID returns the id that the request got when it came in.
func ID(c echo.Context) string { return c.Response().Header().Get(IDHeader) }

// CallerKey holds whose key a request showed, in the request's context.
const CallerKey = "caller"

// Caller returns the holder of the key; the guard of the push endpoints has found it.
func Caller(c echo.Context) auth.Caller { return c.Get(CallerKey).(auth.Caller) }

// WriteJSON writes a JSON body. API answers are nobody else's to keep.
func WriteJSON(c echo.Context, status int, mediaType string, body any) error {
	doc, err := json.Marshal(body)
	if err != nil {
		return errors.New("web: a response cannot be written as JSON")
	}
	return WriteDocument(c, status, mediaType, doc)
}

// WriteDocument writes a JSON document that is nobody else's to keep.
func WriteDocument(c echo.Context, status int, mediaType string, doc []byte) error {
	c.Response().Header().Set("Cache-Control", "no-store")
	return Write(c, status, mediaType, doc)
}

// Write writes a body with its length, so that it is whole as soon as it is
// flushed.
func Write(c echo.Context, status int, mediaType string, body []byte) error {
	c.Response().Header().Set(echo.HeaderContentLength, strconv.Itoa(len(body)))
	return c.Blob(status, mediaType, body)
}

// The media types of JSON answers.
const (
	FHIRJSON   = "application/fhir+json"
	JSON       = "application/json"
	HealthJSON = "application/health+json"
)

// The addresses of forms whose work is only for the person who waits (the preview of an
// import, a download), so it ends with the request. Package pages has all others.
const (
	ImportPath = "/registry/import"
	ExportPath = "/registry/records/export"
)

var whileWaiting = []string{ImportPath, ExportPath}

// Context returns the context in which a request is answered. Reading ends with the
// request, so nothing goes on for a reader who has left. Writing does not: a form
// that has arrived is saved, and a Bundle stored, even when the connection breaks
// meanwhile.
func Context(r *http.Request) context.Context {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || slices.Contains(whileWaiting, r.URL.Path) {
		return r.Context()
	}
	return context.WithoutCancel(r.Context())
}

// AbandonBody ends the connection with the answer when the request has a body
// that need not have been read to its end. Otherwise the server would wait for
// the rest of it, and hold the answer back from a peer that never sends it. Over
// HTTP/2 the stream ends, and the connection goes on.
func AbandonBody(c echo.Context) {
	if c.Request().ContentLength != 0 && c.Request().ProtoMajor == 1 {
		c.Response().Header().Set(echo.HeaderConnection, "close")
		c.Set(abandonedKey, true)
	}
}

const abandonedKey = "abandoned"

// Abandoned reports whether the rest of the body goes unread.
func Abandoned(c echo.Context) bool { return c.Get(abandonedKey) != nil }
