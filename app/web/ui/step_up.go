package ui

import (
	"errors"
	"strings"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// passkeyProof is the form field with a passkey's answer. Under the same name, the session holds,
// for one answer, the address of the form for which it was requested and auth.Ceremony's Pending,
// on two lines.
const passkeyProof = "passkey-proof"

// PostConfirmOptions asks for one of the user's passkeys, to confirm a form instead of the password.
func (h *Account) PostConfirmOptions(c echo.Context) error {
	form := pages.Posted(c)
	ceremony, err := h.auth.AskUserForPasskey(c.Request().Context(), session.User(c).ID)
	ceremony.Pending = append([]byte(form.Get("for")+"\n"), ceremony.Pending...)
	return h.offer(c, passkeyProof, ceremony, err)
}

// WithProof hands a passkey's answer in a form, if there is one, to the handler of the form: as the
// user's proof. An answer that was asked for another form's address proves nothing.
func (h *Account) WithProof(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		answer := pages.Posted(c).Get(passkeyProof)
		if answer == "" {
			return next(c)
		}
		address, pending, _ := strings.Cut(h.Sessions.PopString(c.Request().Context(), passkeyProof), "\n")
		if address != c.Request().URL.Path {
			pending = ""
		}
		if err := h.usedUp(c, pending); err != nil {
			return err
		}
		session.SetProof(c, &auth.Proof{Pending: []byte(pending), Answer: []byte(answer)})
		return next(c)
	}
}

// confirmAccess confirms with the form's field of this name who the user is, before an action that
// gives access (auth.ConfirmAccess). For auth.ConfirmedFor, no such action in the session asks
// again. The status is 0, or the one with which the page of the form is shown again, with the
// mistakes. back is the path of that page.
func confirmAccess(c echo.Context, p *pages.Pages, a *auth.Service, field, back string) (status int, mistakes []views.Mistake, err error) {
	who := session.User(c)
	wrong := wrongPassword(a.ConfirmAccess(c.Request().Context(), who, pages.Posted(c).Get(field)))
	if wrong != nil {
		pages.BackTo(c, back)
		return pages.MistakesOf(c, wrong, map[error]string{errPassword: field})
	}
	if !who.Recent {
		err = p.Sessions.Prove(c)
	}
	return 0, nil, err
}

// errPassword is the error that a signed-in user sees for a wrong password.
var errPassword = errors.New("the password is wrong")

func wrongPassword(err error) error {
	switch {
	case errors.Is(err, auth.ErrNoPassword):
		return errNoPassword
	case errors.Is(err, auth.ErrSignIn):
		return errPassword
	case errors.Is(err, auth.ErrPasskey):
		return errProof
	}
	return err
}

// refused is errPassword, in other words.
type refused struct{ error }

func (refused) Is(other error) bool { return other == errPassword }

var (
	errProof      = refused{errors.New("the passkey was not accepted; try again, or enter your password")}
	errNoPassword = refused{errors.New("enter your password")}
)
