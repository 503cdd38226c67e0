package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"rsc.io/qr"

	"birthregistry/app/access"
	"birthregistry/views"
)

// What a session holds while a second factor is set up.
const (
	factorKey = "factor" // its secret
	codesKey  = "codes"  // recovery codes to be shown once
)

// confirm checks the password of the person before a change of their second
// factor; it has answered when done is false.
func (s *Server) confirm(c echo.Context, password string) (done bool, err error) {
	err = s.access.Confirm(c.Request().Context(), person(c), password)
	if err == nil {
		return true, nil
	}
	return false, s.accountMistake(c, wrongPassword(err), map[error]string{nil: "factor", errPassword: "factor"})
}

func (s *Server) postFactorStart(c echo.Context) error {
	form, err := smallForm(c)
	if err != nil {
		return err
	}
	if done, err := s.confirm(c, form.Get("factor")); !done {
		return err
	}
	s.sessions.Put(c.Request().Context(), factorKey, access.NewFactor())
	if err := s.keepSession(c); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/account/factor")
}

func (s *Server) getFactor(c echo.Context) error {
	page, err := s.factorPage(c)
	if err != nil {
		return err
	}
	if page.Secret == "" {
		return c.Redirect(http.StatusSeeOther, "/account")
	}
	return s.page(c, http.StatusOK, "Set up your second factor", views.Factor(page))
}

// factorPage shows the secret that is being set up, if one is.
func (s *Server) factorPage(c echo.Context) (p views.FactorPage, err error) {
	p.Secret = s.sessions.GetString(c.Request().Context(), factorKey)
	if p.Secret != "" {
		p.QR, err = draw(access.FactorURI(p.Secret, person(c).Email))
	}
	return p, err
}

// draw makes a QR code of a text.
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

func (s *Server) postFactor(c echo.Context) error {
	form, err := smallForm(c)
	if err != nil {
		return err
	}
	page, err := s.factorPage(c)
	if err != nil {
		return err
	}
	if page.Secret == "" {
		return c.Redirect(http.StatusSeeOther, "/account")
	}
	codes, err := s.access.EnableFactor(person(c), page.Secret, form.Get("code"), s.self(c))
	if err != nil {
		return s.mistake(c, err, map[error]string{access.ErrCode: "code"}, "Set up your second factor", func(m []views.Mistake) templ.Component {
			page.Mistakes = m
			return views.Factor(page)
		})
	}
	s.sessions.Remove(c.Request().Context(), factorKey)
	return s.showCodes(c, codes, "Your second factor is on. Your other sessions have ended.")
}

// postFactorChange makes new recovery codes or turns the second factor off.
func (s *Server) postFactorChange(c echo.Context) error {
	form, err := smallForm(c)
	if err != nil {
		return err
	}
	if done, err := s.confirm(c, form.Get("factor")); !done {
		return err
	}
	if form.Get("do") == "off" {
		if err := s.access.DisableFactor(person(c)); err != nil {
			return err
		}
		return s.changed(c, "Your second factor is off.", "/account")
	}
	codes, err := s.access.RenewRecoveryCodes(person(c))
	if err != nil {
		return err
	}
	return s.showCodes(c, codes, "The recovery codes you had are void.")
}

// showCodes shows recovery codes on the next page, once.
func (s *Server) showCodes(c echo.Context, codes []string, said string) error {
	s.sessions.Put(c.Request().Context(), codesKey, strings.Join(codes, " "))
	return s.changed(c, said, "/account/codes")
}

func (s *Server) getCodes(c echo.Context) error {
	codes := strings.Fields(s.sessions.PopString(c.Request().Context(), codesKey))
	return s.page(c, http.StatusOK, "Your recovery codes", views.RecoveryCodes(codes))
}
