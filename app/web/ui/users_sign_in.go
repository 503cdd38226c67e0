package ui

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/store"
	"birthregistry/views"
)

const signInWaysTitle = "How users sign in"

// SignInWaysPath is the path of the page on which an admin can make sign-in with an identity
// provider mandatory.
const SignInWaysPath = "/registry/users/sign-in"

// signInWays returns the identity providers, and the page on which an admin makes one of them
// mandatory. chosen is the ID of the provider that the page shows as chosen, or 0 for none.
func (h *Users) signInWays(c echo.Context, chosen int64) (page views.SignInWays, providers []store.SSOProvider, err error) {
	ctx, who := c.Request().Context(), session.User(c)
	page.Practice = who.Practice.Name
	if providers, err = h.sso.Providers(ctx); err != nil || len(providers) == 0 {
		return page, providers, err
	}
	linked, err := h.auth.LinkedProviders(ctx, who.ID)
	if err != nil {
		return page, providers, err
	}
	page.Ways = []views.Choice{{Value: "0", Label: "With a password, a passkey or an identity provider", Chosen: chosen == 0}}
	for _, p := range providers {
		way := views.Choice{Value: fmt.Sprint(p.ID), Label: "With " + p.Name + " only", Hint: "Your account is linked to it.", Chosen: chosen == p.ID}
		if !slices.ContainsFunc(linked, func(l auth.LinkedProvider) bool { return l.ID == p.ID }) {
			way.Hint = "Sign in with it once before you choose it."
		}
		page.Ways = append(page.Ways, way)
	}
	return page, providers, nil
}

// GetSignInWays shows how the users of the practice may sign in.
func (h *Users) GetSignInWays(c echo.Context) error {
	page, _, err := h.signInWays(c, session.User(c).Requires)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, signInWaysTitle, views.WaysToSignIn(page))
}

// PostSignInWays makes sign-in with an identity provider mandatory for the users of the practice,
// or optional again. The admin's own session ends if it didn't begin with the required provider.
func (h *Users) PostSignInWays(c echo.Context) error {
	form := pages.Posted(c)
	chosen, err := strconv.ParseInt(form.Get("way"), 10, 64)
	if err != nil {
		chosen = -1 // no provider has this ID
	}
	page, providers, err := h.signInWays(c, chosen)
	if err != nil {
		return err
	}
	who := session.User(c)
	err = h.auth.Confirm(c.Request().Context(), who, form.Get("password"))
	if err == nil {
		err = h.auth.SetSSOOnly(who, chosen)
	}
	if err != nil {
		fields := map[error]string{errPassword: "password", auth.ErrNotLinked: "way", auth.ErrNoSuchProvider: "way"}
		return h.Mistake(c, wrongPassword(err), fields, signInWaysTitle, views.WaysToSignIn(page))
	}
	if chosen == 0 || h.Sessions.GetInt64(c.Request().Context(), auth.SessionProvider) == chosen {
		return h.Done(c, SignInWaysPath, "Saved.")
	}
	if err := h.Sessions.End(c); err != nil {
		return err
	}
	required := providers[slices.IndexFunc(providers, func(p store.SSOProvider) bool { return p.ID == chosen })]
	return h.Done(c, "/sign-in", "Users of "+who.Practice.Name+" now sign in with "+required.Name+" only. Sign in with it.")
}
