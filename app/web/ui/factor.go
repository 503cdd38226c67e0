package ui

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"rsc.io/qr"

	"birthregistry/app/auth"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// These are the session's keys for values that the setup of an authenticator app needs.
const (
	factorKey = "factor" // the secret of the second factor
	codesKey  = "codes"  // recovery codes to be shown once
)

// confirm checks the user's password and, if they have one, their second factor, before the second
// factor is changed. Otherwise a stolen password would be enough to replace the second factor. If
// done is false, the caller must return err. err is nil if confirm has already sent the page that
// states what is wrong.
func (h *Account) confirm(c echo.Context) (done bool, err error) {
	form := pages.Posted(c)
	err = h.auth.ConfirmFully(c.Request().Context(), session.User(c), form.Get("factor"), form.Get("factor-code"))
	if err == nil {
		return true, nil
	}
	return false, h.accountMistake(c, wrongPassword(err), map[error]string{errPassword: "factor", auth.ErrCode: "factor-code"})
}

func (h *Account) PostFactorStart(c echo.Context) error {
	if done, err := h.confirm(c); !done {
		return err
	}
	return h.beginFactor(c)
}

func (h *Account) beginFactor(c echo.Context) error {
	h.Sessions.Put(c.Request().Context(), factorKey, auth.NewSecondFactor())
	if err := h.Sessions.Keep(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/account/factor")
}

func (h *Account) GetFactor(c echo.Context) error {
	page, err := h.factorPage(c)
	if err != nil {
		return err
	}
	if page.Secret == "" {
		return c.Redirect(http.StatusSeeOther, "/account")
	}
	return h.Render(c, http.StatusOK, "Set up your second factor", views.Factor(page))
}

// factorPage returns the content of the page that sets up an authenticator app. Its secret is "" if
// the user hasn't begun to set one up.
func (h *Account) factorPage(c echo.Context) (p views.FactorPage, err error) {
	p.Secret, p.PasskeyOrigin = h.Sessions.GetString(c.Request().Context(), factorKey), h.auth.PasskeyOrigin()
	if p.Secret != "" {
		p.QR, err = draw(auth.SecondFactorURI(p.Secret, session.User(c).Email))
	}
	return p, err
}

// draw draws a text as a QR code.
func draw(text string) (views.QR, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return views.QR{}, errors.New("web: the QR code cannot be drawn")
	}
	var path strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x, y)
			}
		}
	}
	return views.QR{Size: code.Size, Path: path.String()}, nil
}

func (h *Account) PostFactor(c echo.Context) error {
	page, err := h.factorPage(c)
	if err != nil {
		return err
	}
	if page.Secret == "" {
		return c.Redirect(http.StatusSeeOther, "/account")
	}
	codes, err := h.auth.EnableSecondFactor(session.User(c), page.Secret, pages.Posted(c).Get("code"), h.Sessions.Handle(c))
	if errors.Is(err, auth.ErrSessionEnded) {
		return h.ended(c)
	}
	if err != nil {
		return h.Mistake(c, err, map[error]string{auth.ErrCode: "code"}, "Set up your second factor", views.Factor(page))
	}
	h.Sessions.Remove(c.Request().Context(), factorKey)
	return h.showCodes(c, codes, "Your second factor is on. Your other sessions have ended.")
}

// ended begins an empty session and redirects to the sign-in page. It is for a request during which
// the session has ended, or has got a new token from another request.
func (h *Account) ended(c echo.Context) error {
	if err := h.Sessions.Fresh(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/sign-in")
}

// PostFactorChange sets up a new authenticator app, turns the app off, or makes new recovery codes.
func (h *Account) PostFactorChange(c echo.Context) error {
	if done, err := h.confirm(c); !done {
		return err
	}
	switch pages.Posted(c).Get("do") {
	case "app":
		return h.beginFactor(c)
	case "off":
		if err := h.auth.DisableSecondFactor(session.User(c)); err != nil {
			return err
		}
		return h.changed(c, "Your second factor is off.", "/account")
	}
	codes, err := h.auth.RenewRecoveryCodes(session.User(c))
	if err != nil {
		return err
	}
	return h.showCodes(c, codes, "Your previous recovery codes no longer work.")
}

// showCodes redirects to a page that shows recovery codes once. The page also shows the message
// done.
func (h *Account) showCodes(c echo.Context, codes []string, done string) error {
	h.Sessions.Put(c.Request().Context(), codesKey, strings.Join(codes, " "))
	return h.changed(c, done, "/account/codes")
}

func (h *Account) GetCodes(c echo.Context) error {
	codes := strings.Fields(h.Sessions.PopString(c.Request().Context(), codesKey))
	next := ""
	if h.Sessions.HasRequest(c) {
		next = h.Sessions.TakeRequested(c)
	}
	return h.Render(c, http.StatusOK, "Your recovery codes", views.RecoveryCodes(session.User(c).Email, codes, next))
}
