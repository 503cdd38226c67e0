package pages

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/views"
)

// Words returns the text of an error as a sentence. Users must be allowed to see the error.
func Words(err error) string {
	text := strings.TrimPrefix(err.Error(), "auth: ")
	text, _, _ = strings.Cut(text, "\n")
	return views.UpperFirst(text) + "."
}

// Mistake renders a form again, and states what is wrong with the fields of the form. If err joins
// several errors, the page states each of them. The status is 422. For an auth.Wait, it is 429, and
// a header has the number of seconds to wait. If fields has no field for err, Mistake returns err
// unchanged.
func (p *Pages) Mistake(c echo.Context, err error, fields map[error]string, title string, form templ.Component) error {
	status, mistakes, err := MistakesOf(c, err, fields)
	if err != nil {
		return err
	}
	return p.Render(c, status, title, form, mistakes...)
}

// MistakesOf is like Mistake, but renders nothing. It returns the status of the page and the
// mistakes. fields maps each expected error to the name of the form field that it concerns. The
// mistake for an auth.Wait concerns no field. MistakesOf returns any other error as unexplained.
func MistakesOf(c echo.Context, err error, fields map[error]string) (status int, mistakes []views.Mistake, unexplained error) {
	if wait := (auth.Wait{}); errors.As(err, &wait) {
		c.Response().Header().Set("Retry-After", fmt.Sprint(wait.Seconds()))
		return http.StatusTooManyRequests, []views.Mistake{{Text: Words(wait)}}, nil
	}
	name := fieldOf(err, fields)
	if name == "" {
		return 0, nil, err
	}
	if all, ok := err.(interface{ Unwrap() []error }); ok { // from errors.Join, or fmt.Errorf with several %w
		for _, one := range all.Unwrap() {
			if field := fieldOf(one, fields); field != "" {
				mistakes = append(mistakes, views.Mistake{Name: field, Text: Words(one)})
			}
		}
	}
	if len(mistakes) < 2 {
		mistakes = []views.Mistake{{Name: name, Text: Words(err)}}
	}
	return http.StatusUnprocessableEntity, mistakes, nil
}

// fieldOf returns the name of the form field that an error concerns. It returns "" if fields
// doesn't have the error.
func fieldOf(err error, fields map[error]string) string {
	for known, field := range fields {
		if errors.Is(err, known) {
			return field
		}
	}
	return ""
}
