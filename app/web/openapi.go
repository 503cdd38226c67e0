package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/assets"
)

// getOpenAPI answers the OpenAPI 3.1 description of the push endpoints, the
// authoritative contract.
func getOpenAPI(c echo.Context) error {
	return c.Blob(http.StatusOK, plainJSON, assets.OpenAPI)
}
