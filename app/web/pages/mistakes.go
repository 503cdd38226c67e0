package pages

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/views"
)

// Words turns an error that people may read into a sentence.
func Words(err error) string {
	text := strings.TrimPrefix(err.Error(), "auth: ")
	text, _, _ = strings.Cut(text, "\n")
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// Mistake renders a form again and states what is wrong with one of its fields. The
// status is 422, or 429 with the seconds to wait. Mistake returns any other error
// unchanged.
func (p *Pages) Mistake(c echo.Context, err error, fields map[error]string, title string, form func([]views.Mistake) templ.Component) error {
	status, name := http.StatusUnprocessableEntity, ""
	for known, field := range fields {
		if errors.Is(err, known) {
			name = field
		}
	}
	if wait := (auth.Wait{}); errors.As(err, &wait) {
		status, name = http.StatusTooManyRequests, fields[nil]
		c.Response().Header().Set("Retry-After", fmt.Sprint(wait.Seconds()))
		err = wait
	}
	if name == "" {
		return err
	}
	return p.Render(c, status, title, form([]views.Mistake{{Name: name, Text: Words(err)}}))
}
