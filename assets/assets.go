// Package assets holds what the binary serves and prints: the contract and the
// sample Bundles.
package assets

import "embed"

// OpenAPI is the OpenAPI 3.1 description of the push endpoints. Tests hold it
// against the error catalogue and against every response they see.
//
//go:embed openapi.json
var OpenAPI []byte

// Samples holds the sample Bundles, numbered in the order in which they tell
// the life of a record. The people in them are invented.
//
//go:embed samples/*.json
var Samples embed.FS
