package pages

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/imports"
)

// How many bytes the pages take: the form of a birth is several times one with
// every field of six newborns filled in, the other forms hold a few words, and
// a file that is too large is read on for a while, since a browser shows an
// answer only when it has sent everything.
const (
	maxForm      = 256 << 10
	maxSmallForm = 64 << 10
	maxUpload    = 2*imports.MaxSize + maxForm
)

// Nothing is read but urlencoded forms and, as a stream, the file of an import:
// what the standard library makes of another multipart form it puts into
// temporary files, in clear.

// LimitBody sees to it that no more is read of a request to a page than it may hold.
func LimitBody(c echo.Context) {
	limit := int64(maxForm)
	if c.Path() == ImportPath {
		limit = maxUpload
	}
	r := c.Request()
	r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
}

var formTooLarge = NewError(
	http.StatusRequestEntityTooLarge, "This form is too large", "Nothing was changed. Go back and shorten what you entered.", "", "",
)

// SmallForm reads a form that holds a few words. What is no form is an empty one.
func SmallForm(c echo.Context) (url.Values, error) {
	r := c.Request()
	r.Body = http.MaxBytesReader(c.Response(), r.Body, maxSmallForm)
	if err := r.ParseForm(); errors.As(err, new(*http.MaxBytesError)) {
		return nil, formTooLarge
	}
	return r.PostForm, nil
}

var badForm = NewError(
	http.StatusBadRequest, "The form could not be read",
	"Nothing was saved. Go back, shorten very long texts, and send it again.", "", "",
)

// Form reads the form of a birth.
func Form(c echo.Context) (url.Values, error) {
	r := c.Request()
	if err := r.ParseForm(); err != nil {
		return nil, badForm
	}
	typed := url.Values{}
	for name, texts := range r.PostForm {
		for _, text := range texts {
			typed.Add(strings.ToValidUTF8(name, ""), strings.ToValidUTF8(text, "\uFFFD"))
		}
	}
	return typed, nil
}
