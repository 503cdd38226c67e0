package ui

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

const (
	// SecondFactorPath is the page for setting up a second factor. If the practice makes a second
	// factor mandatory, the practice's other pages redirect users without one to this page.
	SecondFactorPath = "/account/second-factor"
	// FactorRulePath is the page on which an admin can make a second factor mandatory for the
	// practice.
	FactorRulePath = pages.SettingsPath + "/second-factor"
)

const (
	secondFactorTitle = "Set up a second factor"
	factorRuleTitle   = "Second factor for everybody"
)

func (h *Account) GetSecondFactor(c echo.Context) error {
	if !session.User(c).LacksSecondFactor {
		return c.Redirect(http.StatusSeeOther, "/account")
	}
	a, err := h.account(c)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, secondFactorTitle, views.SecondFactorRequired(a))
}

func (h *Users) GetFactorRule(c echo.Context) error {
	rule, err := h.factorRule(c)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, factorRuleTitle, views.FactorRulePage(rule))
}

func (h *Users) factorRule(c echo.Context) (rule views.FactorRule, err error) {
	who := session.User(c)
	members, err := h.auth.Members(c.Request().Context(), who)
	if err != nil {
		return rule, err
	}
	factors, err := h.auth.SecondFactors(c.Request().Context(), who.ID)
	if err != nil {
		return rule, err
	}
	rule = views.FactorRule{Required: who.Practice.SecondFactor, Own: factors.Any(), App: factors.App}
	for _, m := range members {
		if works(m) {
			rule.Users++
		}
		if works(m) && !m.App && m.Passkeys == 0 {
			rule.Without++
		}
	}
	return rule, nil
}

// works reports whether a user has joined the practice and may work in it, because neither their
// membership nor their account is disabled.
func works(m store.Member) bool { return !m.Invited && m.DisabledAt == nil && !m.Barred }

func (h *Users) PostFactorRule(c echo.Context) error {
	form := pages.Posted(c)
	who, required := session.User(c), form.Get("do") == "require"
	err := h.auth.ConfirmFully(c.Request().Context(), who, form.Get("password"), form.Get("code"))
	if err == nil {
		err = h.auth.RequireSecondFactor(who, required)
	}
	if err != nil {
		rule, readErr := h.factorRule(c)
		if readErr != nil {
			return readErr
		}
		fields := map[error]string{errPassword: "password", auth.ErrNoSecondFactor: "own", auth.ErrCode: "code"}
		return h.Mistake(c, wrongPassword(err), fields, factorRuleTitle, views.FactorRulePage(rule))
	}
	done := "The second factor is optional now."
	if required {
		done = "Everybody needs a second factor now."
	}
	return h.Done(c, FactorRulePath, done)
}
