// Package api has the handlers for requests from programs (spec, "Endpoints"). They accept Bundles,
// return receipts, report the health of the service and publish the contract.
//
// Before package web calls a handler that needs an API key, it checks the key, the key's scope and
// its rate limit. Package web also turns the errors that handlers return into OperationOutcomes. No
// answer repeats a submitted value, except that a receipt may refer to a birth by the id of the
// mother's Patient.
package api

import (
	"net/http"
	"time"

	"birthregistry/app/ingest"
)

// API has the handlers for requests from programs: the push endpoints, the health checks and the
// contract.
type API struct {
	ingest *ingest.Service
	limits Limits
}

// Limits holds the limits that the API enforces. It also holds facts about the installation that
// answers contain.
type Limits struct {
	// BaseURL is the address at which callers reach the service, without a slash at its end. Links
	// in answers begin with it, and never depend on the Host header.
	BaseURL string
	// MaxBody is the maximum size of a request body, in bytes.
	MaxBody int64
	// StaleAfter is how long the queue of submissions (the feed) may make no progress before the
	// health check fails.
	StaleAfter time.Duration
	Version    string
	// Backups returns the age of the newest scheduled backup, and a description of what is wrong
	// with the backups. The age is negative if there is no backup; the description is "" if nothing
	// is wrong. Backups is nil if no backups are scheduled.
	Backups func() (age time.Duration, problem string)
	// Unbelieved reports whether a request has forwarding headers although it doesn't come from a
	// trusted proxy.
	Unbelieved func(*http.Request) bool
}

// New makes the API.
func New(in *ingest.Service, limits Limits) *API { return &API{in, limits} }
