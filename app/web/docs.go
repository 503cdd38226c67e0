package web

import (
	"net/http"
	"path"

	"github.com/labstack/echo/v4"

	"birthregistry/app/guide"
	"birthregistry/assets"
	"birthregistry/views"
)

func (s *Server) docRoutes() []route {
	return []route{
		{http.MethodGet, "/docs", s.public, s.getDoc},
		{http.MethodGet, "/docs/:page", s.public, s.getDoc},
		{http.MethodGet, "/docs/samples/:sample", open, getSample},
	}
}

// newGuide renders the integrator's guide with this installation's address and
// limits.
func (s *Server) newGuide() *guide.Guide {
	return guide.Must(guide.Facts{
		Base: s.settings.BaseURL, RateLimit: s.settings.RateLimit, AnonymousRateLimit: s.settings.AnonymousRateLimit,
		MaxBodyBytes: s.settings.MaxBody, BufferFor: s.intake.BufferFor(), Reading: s.intake.Reading(),
	})
}

// getDoc answers a page of the guide; nobody need be signed in.
func (s *Server) getDoc(c echo.Context) error {
	guide := s.guide()
	doc := guide.Page(c.Param("page"))
	if doc == nil {
		return noPage
	}
	var nav []views.NavItem
	for _, p := range guide.Pages {
		nav = append(nav, views.NavItem{Href: p.Path(), Label: p.Title, Current: p.Name == doc.Name})
	}
	return s.page(c, http.StatusOK, doc.Title, views.Doc(views.DocPage{Title: doc.Title, HTML: doc.HTML, Nav: nav}))
}

// getSample answers a sample Bundle.
func getSample(c echo.Context) error {
	body, err := assets.Samples.ReadFile("samples/" + path.Base(c.Param("sample")))
	if err != nil {
		return noPage
	}
	return c.Blob(http.StatusOK, fhirJSON, body)
}
