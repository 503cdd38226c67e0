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

// passkeyProof is the form field that holds a passkey's answer. It is also a key of the session,
// whose value has two lines: the address of the form that asked for the passkey, and the Pending
// part of an auth.Ceremony, with which the answer is compared. The session keeps the value until
// the first answer.
const passkeyProof = "passkey-proof"

// PostConfirmOptions returns a request for one of the user's passkeys. The passkey confirms a form
// instead of the password.
func (h *Account) PostConfirmOptions(c echo.Context) error {
	form := pages.Posted(c)
	ceremony, err := h.auth.AskUserForPasskey(c.Request().Context(), session.User(c).ID)
	ceremony.Pending = append([]byte(form.Get("for")+"\n"), ceremony.Pending...)
	return h.offer(c, passkeyProof, ceremony, err)
}

// WithProof returns a handler that looks for a passkey's answer in the submitted form, and then
// calls next. It passes the answer to next as the user's Proof. The answer proves nothing if it was
// requested for a form with another address.
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

// confirmAccess makes a user confirm their identity before an action that gives somebody access
// (auth.ConfirmAccess). field is the form field with the password, and back is the path of the
// form's page.
//
// If the user is confirmed, status is 0. For the time auth.ConfirmedFor, such actions then ask for
// no password in this session. Otherwise the caller must show the page of the form again, with this
// status and these mistakes.
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

// errPassword is the error for a wrong password of a signed-in user.
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

// refused is an error with its own text. errors.Is(err, errPassword) reports true for it.
type refused struct{ error }

func (refused) Is(other error) bool { return other == errPassword }

var (
	errProof      = refused{errors.New("the passkey was not accepted; try again, or enter your password")}
	errNoPassword = refused{errors.New("enter your password")}
)
