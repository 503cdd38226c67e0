package ui

import (
	"io/fs"
	"net/http"
	"path"

	"github.com/labstack/echo/v4"

	"birthregistry/app/web/pages"
	"birthregistry/assets"
)

// ToHome redirects to the home page.
func ToHome(c echo.Context) error { return c.Redirect(http.StatusSeeOther, "/registry") }

// GetAsset serves the stylesheet, the scripts and the icon.
func (h *Home) GetAsset(c echo.Context) error {
	file := path.Base(c.Param("file"))
	content, err := fs.ReadFile(assets.Pages, file)
	if err != nil {
		return pages.ErrNotFound
	}
	h.Headers(c.Response().Header())
	c.Response().Header().Set("Cache-Control", "no-cache")
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	return c.Blob(http.StatusOK, kinds[path.Ext(file)], content)
}
