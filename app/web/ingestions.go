package web

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/fhir"
	"birthregistry/store"
)

// getIngestion answers a receipt (spec, GET …/ingestions/{ingestion}). An id
// that is unknown, malformed or another practice's gets the same 404.
func (s *API) getIngestion(c echo.Context) error {
	receipt, err := s.intake.ReceiptFor(c.Request().Context(), caller(c), c.Param("ingestion"))
	if errors.Is(err, store.ErrNotFound) {
		return fhir.NoSuchIngestion
	}
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, plainJSON, receipt)
}
