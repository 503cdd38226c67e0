package ui

import (
	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// confirmAccess confirms with the form's field of this name who the user is, before an action that
// gives access (auth.ConfirmAccess). For auth.ConfirmedFor, no such action in the session asks
// again. The status is 0, or the one with which the page of the form is shown again, with the
// mistakes. back is the path of that page.
func confirmAccess(c echo.Context, p *pages.Pages, a *auth.Service, field, back string) (status int, mistakes []views.Mistake, err error) {
	form := pages.Posted(c)
	who := session.User(c)
	wrong := wrongPassword(a.ConfirmAccess(c.Request().Context(), who, form.Get(field)))
	if wrong != nil {
		pages.BackTo(c, back)
		status, mistakes = pages.MistakesOf(c, wrong, map[error]string{errPassword: field})
		if status == 0 {
			err = wrong
		}
		return status, mistakes, err
	}
	if !who.Recent {
		err = p.Sessions.Prove(c)
	}
	return 0, nil, err
}
