package ui

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// linkedRow returns what pages show about a linked identity provider.
func linkedRow(c echo.Context, p auth.LinkedProvider) views.LinkedProvider {
	return views.LinkedProvider{Name: p.Name, Slug: p.Slug, Since: views.Moment(p.LinkedAt, session.Zone(c))}
}

func (h *Account) linkedRows(c echo.Context) (rows []views.LinkedProvider, err error) {
	linked, err := h.auth.LinkedProviders(c.Request().Context(), session.User(c).ID)
	for _, p := range linked {
		rows = append(rows, linkedRow(c, p))
	}
	return rows, err
}

// unlinking returns the ID of the identity provider in the path, and the page that unlinks the
// provider from the user's account.
func (h *Account) unlinking(c echo.Context) (provider int64, u views.Unlinking, err error) {
	ctx, who := c.Request().Context(), session.User(c)
	linked, err := h.auth.LinkedProviders(ctx, who.ID)
	if err != nil {
		return 0, u, err
	}
	for _, p := range linked {
		if p.Slug != c.Param("sso") {
			continue
		}
		u.LinkedProvider = linkedRow(c, p)
		requiring, err := h.auth.Requiring(ctx, who.ID, p.ID)
		for _, practice := range requiring {
			u.Requiring = append(u.Requiring, practice.Name)
		}
		return p.ID, u, err
	}
	return 0, u, pages.ErrNotFound
}

func (h *Account) GetUnlink(c echo.Context) error {
	_, u, err := h.unlinking(c)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, "Unlink "+u.Name, views.Unlink(u))
}

// PostUnlink unlinks an identity provider from the user's account. If the current session began
// with this provider, it then counts as a session that began with the password.
func (h *Account) PostUnlink(c echo.Context) error {
	provider, u, err := h.unlinking(c)
	if err != nil {
		return err
	}
	who := session.User(c)
	err = h.auth.Confirm(c.Request().Context(), who, pages.Posted(c).Get("password"))
	if err == nil {
		err = h.auth.UnlinkProvider(who, provider)
	}
	if err != nil {
		fields := map[error]string{errPassword: "password", auth.ErrOnlyWayIn: "password"}
		return h.Mistake(c, wrongPassword(err), fields, "Unlink "+u.Name, views.Unlink(u))
	}
	if ctx := c.Request().Context(); h.Sessions.GetInt64(ctx, auth.SessionProvider) == provider {
		for _, key := range ssoMarks {
			h.Sessions.Remove(ctx, key)
		}
	}
	return h.changed(c, u.Name+" is unlinked. Your other sessions have ended.", "/account")
}
