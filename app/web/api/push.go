package api

import (
	"errors"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/labstack/echo/v4"

	"birthregistry/app/fhir"
	"birthregistry/app/ingest"
	"birthregistry/app/web/request"
)

// PostBundle accepts a Bundle for ingestion (spec, POST …/Bundle). If the practice has already used
// the request's Idempotency-Key, PostBundle repeats the original 202 without reading the body.
func (s *API) PostBundle(c echo.Context) error {
	who := request.Caller(c)
	key, err := idempotencyKey(c.Request().Header)
	if err != nil {
		return err
	}
	if key != "" {
		if a, found, err := s.ingest.Replay(request.Context(c.Request()), who, key); found || err != nil {
			return s.acknowledge(c, a, err)
		}
	}
	if err := readable(c.Request().Header); err != nil {
		return err
	}
	if c.Request().ContentLength > s.limits.MaxBody {
		return fhir.TooLarge
	}
	a, err := s.ingest.Accept(who, ingest.Request{
		Body:           c.Request().Body,
		Limit:          s.limits.MaxBody,
		IdempotencyKey: key,
	})
	return s.acknowledge(c, a, err)
}

// acknowledge answers 202 for a submission that is stored durably. The header Content-Location is
// the address of the receipt. It begins with the configured base URL, and nothing in it comes from
// the request. If err isn't nil, acknowledge only returns err.
func (s *API) acknowledge(c echo.Context, a ingest.Acknowledgement, err error) error {
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("Content-Location", s.limits.BaseURL+FHIRRoot+"/ingestions/"+a.PublicID)
	if a.Replayed {
		h.Set("Idempotent-Replayed", "true")
		request.AbandonBody(c)
	}
	return request.WriteDocument(c, http.StatusAccepted, request.FHIRJSON, acknowledged())
}

// acknowledged returns the body of every 202.
var acknowledged = sync.OnceValue(func() []byte {
	doc, _ := json.Marshal(fhir.Accepted.Outcome()) // the outcome is a constant, which always encodes
	return doc
})

// idempotencyKey returns the value of the header Idempotency-Key, or "" if the request doesn't have
// the header. It returns fhir.BadIdempotencyKey if the header occurs twice, or if its value isn't 1
// to 255 visible ASCII characters.
func idempotencyKey(h http.Header) (string, error) {
	values := h.Values("Idempotency-Key")
	switch {
	case len(values) == 0:
		return "", nil
	case len(values) > 1 || values[0] == "" || len(values[0]) > 255 || strings.ContainsFunc(values[0], invisible):
		return "", fhir.BadIdempotencyKey
	}
	return values[0], nil
}

// invisible reports whether a character isn't visible ASCII.
func invisible(r rune) bool { return r < '!' || r > '~' }

// readable returns fhir.BadMediaType if the headers state that the body is compressed, or that it
// certainly isn't JSON in UTF-8. It accepts any other media type, and a request without one,
// because the content of the body decides later.
func readable(h http.Header) error {
	for _, encoding := range h.Values("Content-Encoding") {
		if encoding != "" && !strings.EqualFold(encoding, "identity") {
			return fhir.BadMediaType
		}
	}
	mediaType, params, err := mime.ParseMediaType(h.Get(echo.HeaderContentType))
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return nil
	}
	if strings.Contains(mediaType, "xml") || strings.HasPrefix(mediaType, "multipart/") {
		return fhir.BadMediaType
	}
	if charset := params["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "utf8") {
		return fhir.BadMediaType
	}
	return nil
}
