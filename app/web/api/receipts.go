package api

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/fhir"
	"birthregistry/app/ingest"
	"birthregistry/app/web/request"
	"birthregistry/store"
)

// GetReceipt returns a receipt (spec, GET …/ingestions/{ingestion}). It answers with the same 404
// whether an ID is unknown, malformed, or belongs to another practice.
func (s *API) GetReceipt(c echo.Context) error {
	err := s.ingest.ReceiptFor(c.Request().Context(), request.Caller(c), c.Param("ingestion"), func(r ingest.Receipt) error {
		return request.WriteJSON(c, http.StatusOK, request.JSON, r)
	})
	if errors.Is(err, store.ErrNotFound) {
		return fhir.NoSuchIngestion
	}
	return err
}
