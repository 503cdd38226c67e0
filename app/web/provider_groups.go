package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/intake"
	"birthregistry/views"
)

// getProviderGroup asks for confirmation before the group of a provider is merged.
func (s *Server) getProviderGroup(c echo.Context) error {
	found, err := s.providerParam(c, "provider")
	if err != nil {
		return err
	}
	if found.Identity.Survivor != 0 {
		return providersChanged
	}
	return s.page(c, http.StatusOK, "Merge a group of providers", views.MergeGroup(views.ProviderGroupPage{
		Name: providerName(found.Name), Others: found.Alike, Path: providerPath(found.ID) + "/group", Back: providerPath(found.ID),
	}))
}

func (s *Server) postProviderGroup(c echo.Context) error {
	found, err := s.providerParam(c, "provider")
	if err != nil {
		return err
	}
	err = s.intake.MergeGroup(person(c), found.ID)
	if errors.Is(err, intake.ErrMergedInto) || errors.Is(err, intake.ErrSamePerson) {
		return providersChanged
	}
	if err != nil {
		return err
	}
	s.flash(c, "All providers with this NPI and name are merged into "+providerName(found.Name)+", and new ones will be.")
	return c.Redirect(http.StatusSeeOther, providerPath(found.ID))
}

func (s *Server) postProviderGroupEnd(c echo.Context) error {
	found, err := s.providerParam(c, "provider")
	if err != nil {
		return err
	}
	err = s.intake.EndGroup(person(c), found.ID)
	if errors.Is(err, intake.ErrNotMerged) {
		return notMerged
	}
	if err != nil {
		return err
	}
	s.flash(c, "New providers with this NPI and name are listed separately.")
	return c.Redirect(http.StatusSeeOther, providerPath(found.ID))
}
