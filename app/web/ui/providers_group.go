package ui

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/web/session"
	"birthregistry/views"
)

// GetProviderGroup asks for confirmation before it merges all identities of one provider.
func (h *Providers) GetProviderGroup(c echo.Context) error {
	found, err := h.providerParam(c, "provider")
	if err != nil {
		return err
	}
	if found.Identity.Survivor != 0 {
		return providersChanged
	}
	return h.Render(c, http.StatusOK, "Merge a group of providers", views.MergeGroup(views.ProviderGroupPage{
		Name: providerName(found.Name), Others: found.Similar, Path: providerPath(found.ID) + "/group", Back: providerPath(found.ID),
	}))
}

func (h *Providers) PostProviderGroup(c echo.Context) error {
	found, err := h.providerParam(c, "provider")
	if err != nil {
		return err
	}
	if err := h.review.MergeGroup(session.User(c), found.ID); err != nil {
		return providersRefused(err)
	}
	return h.Done(c, providerPath(found.ID), "All providers with this NPI and name are merged into "+providerName(found.Name)+", and new ones will be.")
}

func (h *Providers) PostProviderGroupEnd(c echo.Context) error {
	found, err := h.providerParam(c, "provider")
	if err != nil {
		return err
	}
	if err := h.review.EndGroup(session.User(c), found.ID); err != nil {
		return providersRefused(err)
	}
	return h.Done(c, providerPath(found.ID), "New providers with this NPI and name are listed separately.")
}
