package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"birthregistry/app/web/request"
)

// FHIRRoot is the path of the FHIR endpoints.
const FHIRRoot = "/api/registry/fhir"

// capabilities is a CapabilityStatement (FHIR R4). Clients such as HAPI read it before they send
// anything.
type capabilities struct {
	ResourceType   string             `json:"resourceType"`
	Status         string             `json:"status"`
	Date           string             `json:"date"` // when the content of the statement last changed
	Kind           string             `json:"kind"`
	Software       softwareUsed       `json:"software"`
	Implementation implementationHere `json:"implementation"`
	FHIRVersion    string             `json:"fhirVersion"`
	Format         []string           `json:"format"`
	Rest           []restCapabilities `json:"rest"`
}

type softwareUsed struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type implementationHere struct {
	Description string `json:"description"`
	URL         string `json:"url"`
}

type restCapabilities struct {
	Mode          string                 `json:"mode"`
	Documentation string                 `json:"documentation"`
	Security      securityCapabilities   `json:"security"`
	Resource      []resourceCapabilities `json:"resource"`
}

type securityCapabilities struct {
	Description string `json:"description"`
}

type resourceCapabilities struct {
	Type        string        `json:"type"`
	Interaction []interaction `json:"interaction"`
}

type interaction struct {
	Code          string `json:"code"`
	Documentation string `json:"documentation"`
}

// GetMetadata serves the CapabilityStatement of the FHIR endpoints. It states that a Bundle can be
// created, and nothing else. The answer is the same for every caller, so the request needs no key.
func (s *API) GetMetadata(c echo.Context) error {
	return request.WriteJSON(c, http.StatusOK, request.FHIRJSON, capabilities{
		ResourceType:   "CapabilityStatement",
		Status:         "active",
		Date:           "2026-11-23",
		Kind:           "instance",
		Software:       softwareUsed{"birthregistry", s.limits.Version},
		Implementation: implementationHere{"Birth registry: takes birth records and gives receipts", s.limits.BaseURL + FHIRRoot},
		FHIRVersion:    "4.0.1",
		Format:         []string{request.FHIRJSON},
		Rest: []restCapabilities{{
			Mode: "server",
			Documentation: "POST a Bundle to /Bundle. The answer is 202; its Content-Location is the address of a receipt. " +
				"Poll that address until the receipt’s status is completed or failed. " + s.limits.BaseURL + "/openapi.json has the whole contract.",
			Security: securityCapabilities{"An API key of the practice as a bearer token: Authorization: Bearer rgk_…"},
			Resource: []resourceCapabilities{{"Bundle", []interaction{{
				"create", "A birth, several births (a Bundle of Bundles), or the retraction of births. The Bundle cannot be read again.",
			}}}},
		}},
	})
}
