package pages

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/imports"
)

// These limits are in bytes. maxForm is for the form of a birth. It is several times the size of
// that form with every field of six newborns filled in. maxSmallForm is for the other forms, which
// hold a few words. maxUpload is for the file of an import. It exceeds the largest permitted file,
// because a browser shows that a file is too large only after it has sent the whole file.
const (
	maxForm      = 256 << 10
	maxSmallForm = 64 << 10
	maxUpload    = 2*imports.MaxSize + maxForm
)

// Only urlencoded forms are parsed. The file of an import is read as a stream. If multipart forms
// were parsed, the standard library would write submitted files to temporary files, unencrypted.

// LimitBody limits how many bytes a request to a page may have in its body.
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

// WithForm returns a handler that reads a form of at most maxSmallForm bytes and then calls next.
// next gets the form by calling Posted. If the body isn't a form, the form is empty.
func WithForm(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if r := c.Request(); r.Method == http.MethodPost && c.Path() != ImportPath {
			r.Body = http.MaxBytesReader(c.Response(), r.Body, maxSmallForm)
			if err := r.ParseForm(); errors.As(err, new(*http.MaxBytesError)) {
				return formTooLarge
			}
		}
		return next(c)
	}
}

// Posted returns the form that WithForm has read. If the request had no form, the result is empty.
func Posted(c echo.Context) url.Values { return c.Request().PostForm }

var badForm = NewError(
	http.StatusBadRequest, "The form could not be read",
	"Nothing was saved. Go back, shorten very long texts, and send it again.", "", "",
)

// Form reads the form of a birth. It replaces bytes that aren't valid UTF-8. It returns badForm if
// the form can't be read, for example because it is too large.
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
