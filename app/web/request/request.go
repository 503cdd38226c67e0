// Package request holds what all handlers know about a request, whether it comes from a program or
// a person: the request's ID in the log, how long its work may continue, and the holder of its API
// key. The package also writes answers that aren't pages.
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

// IDHeader is the header that holds the request's ID, by which the request can be found in the log.
const IDHeader = "X-Request-Id"

// ID returns the ID that the service gave the request when it received the request.
func ID(c echo.Context) string { return c.Response().Header().Get(IDHeader) }

// CallerKey is the name under which Echo's context holds the holder of the request's API key.
const CallerKey = "caller"

// Caller returns the holder of the request's API key. It works only behind the guard of the push
// endpoints, which sets the holder.
func Caller(c echo.Context) auth.Caller { return c.Get(CallerKey).(auth.Caller) }

// WriteJSON writes a value as JSON. No cache may store the answer.
func WriteJSON(c echo.Context, status int, mediaType string, body any) error {
	doc, err := json.Marshal(body)
	if err != nil {
		return errors.New("web: a response cannot be written as JSON")
	}
	return WriteDocument(c, status, mediaType, doc)
}

// WriteDocument writes a JSON document as the answer. No cache may store the answer.
func WriteDocument(c echo.Context, status int, mediaType string, doc []byte) error {
	c.Response().Header().Set("Cache-Control", "no-store")
	return Write(c, status, mediaType, doc)
}

// Write writes an answer with its Content-Length. The answer is then complete as soon as it is
// flushed.
func Write(c echo.Context, status int, mediaType string, body []byte) error {
	c.Response().Header().Set(echo.HeaderContentLength, strconv.Itoa(len(body)))
	return c.Blob(status, mediaType, body)
}

// These are the media types of JSON answers.
const (
	FHIRJSON   = "application/fhir+json"
	JSON       = "application/json"
	HealthJSON = "application/health+json"
)

// These are the paths of forms whose result matters only to the person who waits for it, such as
// the preview of an import or a download. If that person leaves, the work stops. Most other paths
// of pages are in package pages.
const (
	ImportPath        = "/registry/import"
	ExportPath        = "/registry/records/export"
	ArchivePath       = "/registry/data/archive"
	ReportFilePath    = "/registry/report/file"
	ReportLimitedPath = "/registry/report/limited"
)

var whileWaiting = []string{ImportPath, ExportPath, ArchivePath, ReportFilePath, ReportLimitedPath}

// Context returns the context in which a request is answered. Requests that only read, and requests
// to a path in whileWaiting, stop when the client leaves. All other requests continue. A received
// form is saved, and a Bundle is stored, even if the connection breaks in the meantime.
func Context(r *http.Request) context.Context {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || slices.Contains(whileWaiting, r.URL.Path) {
		return r.Context()
	}
	return context.WithoutCancel(r.Context())
}

// AbandonBody makes the server close an HTTP/1 connection after the answer, if part of the
// request's body may not have been read. Otherwise the server would wait for the rest of the body,
// and a peer that never sends the rest would delay the answer. Over HTTP/2, AbandonBody does
// nothing, because only the stream ends.
func AbandonBody(c echo.Context) {
	if c.Request().ContentLength != 0 && c.Request().ProtoMajor == 1 {
		c.Response().Header().Set(echo.HeaderConnection, "close")
		c.Set(abandonedKey, true)
	}
}

const abandonedKey = "abandoned"

// Abandoned reports whether AbandonBody was called for the request.
func Abandoned(c echo.Context) bool { return c.Get(abandonedKey) != nil }
