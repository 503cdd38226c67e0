package web

import (
	"net/http"
	"path"

	"github.com/labstack/echo/v4"

	"birthregistry/assets"
	"birthregistry/views"
)

// getDoc answers a page of the guide; nobody need be signed in.
func (h *Docs) getDoc(c echo.Context) error {
	guide := h.guide()
	doc := guide.Page(c.Param("page"))
	if doc == nil {
		return noPage
	}
	var nav []views.NavItem
	for _, p := range guide.Pages {
		nav = append(nav, views.NavItem{Href: p.Path(), Label: p.Title, Current: p.Name == doc.Name})
	}
	return h.render(c, http.StatusOK, doc.Title, views.Doc(views.DocPage{Title: doc.Title, HTML: doc.HTML, Nav: nav}))
}

// getSample answers a sample Bundle.
func getSample(c echo.Context) error {
	body, err := assets.Samples.ReadFile("samples/" + path.Base(c.Param("sample")))
	if err != nil {
		return noPage
	}
	return c.Blob(http.StatusOK, fhirJSON, body)
}
