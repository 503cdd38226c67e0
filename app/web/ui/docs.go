package ui

import (
	"net/http"
	"path"

	"github.com/labstack/echo/v4"

	"birthregistry/app/guide"
	"birthregistry/app/web/pages"
	"birthregistry/app/web/request"
	"birthregistry/assets"
	"birthregistry/views"
)

type Docs struct {
	*pages.Pages
	guide func() *guide.Guide
}

// GetDoc serves a guide. Nobody has to sign in to read it.
func (h *Docs) GetDoc(c echo.Context) error {
	guide := h.guide()
	doc := guide.Page(c.Param("page"))
	if doc == nil {
		return pages.ErrNotFound
	}
	page := views.DocPage{Title: doc.Title, HTML: doc.HTML}
	for _, p := range guide.Pages {
		if n := len(page.Parts); n == 0 || page.Parts[n-1].Title != p.Part {
			page.Parts = append(page.Parts, views.DocPart{Title: p.Part})
		}
		part := &page.Parts[len(page.Parts)-1]
		part.Pages = append(part.Pages, views.NavItem{Href: p.Path(), Label: p.Title, Current: p.Name == doc.Name})
	}
	return h.Render(c, http.StatusOK, doc.Title, views.Doc(page))
}

func GetSample(c echo.Context) error {
	body, err := assets.Samples.ReadFile("samples/" + path.Base(c.Param("sample")))
	if err != nil {
		return pages.ErrNotFound
	}
	return c.Blob(http.StatusOK, request.FHIRJSON, body)
}
