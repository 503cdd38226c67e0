// Package request holds what all handlers know about a request, from a program or a
// person: its id in the log, how long its work may continue, and the holder of its key. It
// also writes answers that are not pages.
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

// IDHeader is the header with the id by which a request is found in the log.
const IDHeader = "X-Request-Id"

// ID returns the id that the request was given when it was received.
func ID(c echo.Context) string { return c.Response().Header().Get(IDHeader) }

// CallerKey is the name under which the request's context stores the holder of the API key.
const CallerKey = "caller"

// Caller returns the holder of the API key, which the guard of the push endpoints has
// set.
func Caller(c echo.Context) auth.Caller { return c.Get(CallerKey).(auth.Caller) }

// WriteJSON writes a JSON body. No cache may store the answers of the API.
func WriteJSON(c echo.Context, status int, mediaType string, body any) error {
	doc, err := json.Marshal(body)
	if err != nil {
		return errors.New("web: a response cannot be written as JSON")
	}
	return WriteDocument(c, status, mediaType, doc)
}

// WriteDocument writes a JSON document that no cache may store.
func WriteDocument(c echo.Context, status int, mediaType string, doc []byte) error {
	c.Response().Header().Set("Cache-Control", "no-store")
	return Write(c, status, mediaType, doc)
}

// Write writes a body with its length, so that the answer is complete as soon as it
// is flushed.
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

// The paths of forms whose result matters only to the person who waits for it, such as the preview
// of an import or a download. If that person leaves, the work stops. Most other paths of pages are
// in package pages.
const (
	ImportPath        = "/registry/import"
	ExportPath        = "/registry/records/export"
	ArchivePath       = "/registry/data/archive"
	ReportFilePath    = "/registry/report/file"
	ReportLimitedPath = "/registry/report/limited"
)

var whileWaiting = []string{ImportPath, ExportPath, ArchivePath, ReportFilePath, ReportLimitedPath}

// Context returns the context in which a request is answered. A request that only reads stops when
// the client leaves. A request that writes continues, unless its path is in whileWaiting: a form
// that was received is saved, and a Bundle is stored, even if the connection breaks meanwhile.
func Context(r *http.Request) context.Context {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || slices.Contains(whileWaiting, r.URL.Path) {
		return r.Context()
	}
	return context.WithoutCancel(r.Context())
}

// AbandonBody closes an HTTP/1 connection after the answer if the request's body may not have been
// read completely. Otherwise the server would wait for the rest of the body, and delay the answer
// to a peer that never sends it. Over HTTP/2, AbandonBody does nothing, because only the stream
// ends.
func AbandonBody(c echo.Context) {
	if c.Request().ContentLength != 0 && c.Request().ProtoMajor == 1 {
		c.Response().Header().Set(echo.HeaderConnection, "close")
		c.Set(abandonedKey, true)
	}
}

const abandonedKey = "abandoned"

// Abandoned reports whether AbandonBody was called for the request.
func Abandoned(c echo.Context) bool { return c.Get(abandonedKey) != nil }
