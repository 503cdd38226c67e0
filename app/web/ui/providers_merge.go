package ui

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/auth"
	"birthregistry/app/records"
	"birthregistry/app/review"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/session"
	"birthregistry/views"
)

// mergeOf returns the two providers in the path. goes is to be merged into stays. mergeOf returns
// providersChanged if they are the same provider, or if one of them is already merged into another
// provider.
func (h *Providers) mergeOf(c echo.Context) (goes, stays records.Profile, err error) {
	if goes, err = h.providerParam(c, "provider"); err != nil {
		return goes, stays, err
	}
	if stays, err = h.providerParam(c, "into"); err != nil {
		return goes, stays, err
	}
	if goes.ID == stays.ID || goes.Identity.Survivor != 0 || stays.Identity.Survivor != 0 {
		return goes, stays, providersChanged
	}
	return goes, stays, nil
}

var providersChanged = pages.NewError(
	http.StatusConflict, "These two cannot be merged",
	"One of them is already merged. Nothing was changed. Review them again first.", pages.ProvidersPath, "Go to the providers",
)

func (h *Providers) GetProviderMerge(c echo.Context) error {
	goes, stays, err := h.mergeOf(c)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, "Merge providers", views.MergeProviders(views.ProviderMergePage{
		Path: mergePath(goes.ID, stays.ID), Swap: mergePath(stays.ID, goes.ID),
		Goes: providerRow(goes.Identity, session.Zone(c)), Stays: providerRow(stays.Identity, session.Zone(c)),
		Back: providerPath(stays.ID), Moves: goes.Births, Unlike: records.Likeness(goes.Identity, stays.Identity) == "",
	}))
}

func (h *Providers) PostProviderMerge(c echo.Context) error {
	goes, stays, err := h.mergeOf(c)
	if err != nil {
		return err
	}
	if err := h.review.MergeProvider(session.User(c), goes.ID, stays.ID); err != nil {
		return providersRefused(err)
	}
	return h.Done(c, providerPath(stays.ID), providerName(goes.Name)+" is merged into "+providerName(stays.Name)+".")
}

var notMerged = pages.NewError(
	http.StatusConflict, "This provider is not merged into another",
	"Somebody may have undone the merge already. Nothing was changed.", pages.ProvidersPath, "Go to the providers",
)

// providersRefused returns the page which states why two providers can't be merged, or why a merge
// can't be undone.
func providersRefused(err error) error {
	switch {
	case errors.Is(err, review.ErrMergedInto), errors.Is(err, review.ErrSameProvider):
		return providersChanged
	case errors.Is(err, review.ErrNotMerged):
		return notMerged
	}
	return err
}

func (h *Providers) GetUnmerge(c echo.Context) error {
	found, err := h.providerParam(c, "provider")
	if err != nil {
		return err
	}
	if found.Identity.MergedInto == 0 {
		return notMerged
	}
	births := 0
	for _, i := range found.Identities {
		births += i.Births
	}
	return h.Render(c, http.StatusOK, "Undo a merge", views.MergeProviders(views.ProviderMergePage{
		Path: providerPath(found.ID) + "/unmerge", Unmerge: true, Moves: births,
		Goes: providerRow(found.Identity, session.Zone(c)), Stays: providerRow(found.Survivor, session.Zone(c)), Back: providerPath(found.Survivor.ID),
	}))
}

func (h *Providers) PostUnmerge(c echo.Context) error {
	return h.act(c, h.review.UnmergeProvider, func(name string) string { return "The merge of " + name + " is undone." })
}

// act handles a button on the page of a provider. It calls the parameter act with the provider in
// the path. Then it shows the message that done returns for the provider's name.
func (h *Providers) act(c echo.Context, act func(auth.User, int64) error, done func(name string) string) error {
	found, err := h.providerParam(c, "provider")
	if err != nil {
		return err
	}
	if err := act(session.User(c), found.ID); err != nil {
		return providersRefused(err)
	}
	return h.Done(c, providerPath(found.ID), done(providerName(found.Name)))
}

// GetProviderGroup asks for confirmation before all providers with the same NPI and name are
// merged.
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
	return h.act(c, h.review.MergeGroup, func(name string) string {
		return "All providers with this NPI and name are merged into " + name + ", and new ones will be."
	})
}

func (h *Providers) PostProviderGroupEnd(c echo.Context) error {
	return h.act(c, h.review.EndGroup, func(string) string { return "New providers with this NPI and name are listed separately." })
}
