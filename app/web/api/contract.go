package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/web/request"
	"birthregistry/assets"
)

// GetContract serves the authoritative contract: the OpenAPI 3.1 description of the push endpoints.
func GetContract(c echo.Context) error {
	return c.Blob(http.StatusOK, request.JSON, assets.OpenAPI)
}
