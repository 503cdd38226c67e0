package pages

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/imports"
)

// How many bytes the pages accept. maxForm is several times the form of a birth
// with every field of six newborns filled in. The other forms hold a few words. A
// file that is too large is read further for a while, because a browser shows an
// answer only after it has sent everything.
const (
	maxForm      = 256 << 10
	maxSmallForm = 64 << 10
	maxUpload    = 2*imports.MaxSize + maxForm
)

// Only urlencoded forms are parsed, and the file of an import, as a stream. The
// standard library would write the files of other multipart forms to temporary
// files, unencrypted.

// LimitBody limits how much of the body of a request to a page is read.
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

// SmallForm reads a form that holds a few words. A body that isn't a form is read
// as an empty one.
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
