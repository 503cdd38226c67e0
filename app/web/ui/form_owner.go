package ui

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/birth"
	"birthregistry/app/web/pages"
	"birthregistry/views"
)

// A user who switches practice in one window, or signs in as another user, may still have an
// older form open in another window. So each form names the user and the practice for which it
// was made, and is accepted only from that user in that practice. A form that names nobody is
// treated as another user's.

// movedForm shows a new record's form that was made for another user. It is saved only when
// the present user sends it again.
func (h *Form) movedForm(c echo.Context, f *birthForm) error {
	f.read()
	f.mistake("save", pages.NowIn(f.who)+" This form was opened in another practice or by somebody else. "+
		"Nothing is saved yet. Check the form and save it here, or switch back first")
	return h.showForm(c, http.StatusConflict, f)
}

// strandedForm shows an amendment whose record isn't in this practice. To save it, the user
// has to go back to the practice for which it was made.
func (h *Form) strandedForm(c echo.Context, f *birthForm) error {
	f.made, f.version = f.typed.Get("owner"), number(f.typed.Get("basis"))
	f.edit()
	f.base = nil
	f.parse()
	f.mistake("save", pages.NowIn(f.who)+" The record belongs to another practice. Nothing is saved yet. Switch back in another window, then save here")
	return h.showForm(c, http.StatusConflict, f)
}

// unknown returns the values of custom fields that this practice doesn't have.
func (f *birthForm) unknown() (unknown []views.Input) {
	for _, name := range slices.Sorted(maps.Keys(f.typed)) {
		own := slices.ContainsFunc(f.fields, func(field birth.CustomField) bool { return !field.Retired && field.Name() == name })
		if strings.HasPrefix(name, "x_") && !own {
			unknown = append(unknown, views.Input{Name: name, Value: f.typed.Get(name)})
		}
	}
	return unknown
}
