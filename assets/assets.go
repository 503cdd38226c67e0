// Package assets embeds the files that the program serves and prints: the OpenAPI
// contract, the guides, the changelog, samples, the published figures, the
// systemd units, and the style, script and icon of the pages.
package assets

import "embed"

// OpenAPI is the OpenAPI 3.1 description of the push endpoints. Tests compare it with the error
// catalog and with every response that they receive.
//
//go:embed openapi.json
var OpenAPI []byte

// Guides holds the pages of the guide. They are Markdown with placeholders, which app/guide fills
// in.
//
//go:embed guides/*.md
var Guides embed.FS

// Changelog is a page in Markdown. It lists the changes that users of the registry notice, newest
// first.
//
//go:embed changelog.md
var Changelog []byte

// Samples holds the sample Bundles. Their names are numbered in the order in which they change a
// record. The people in them are invented.
//
//go:embed samples/*.json
var Samples embed.FS

// SampleSpreadsheet is a CSV file of invented births for trying an import. One row has an error on
// purpose.
//
//go:embed sample.csv
var SampleSpreadsheet []byte

// Pages holds the stylesheet, the scripts and the icon of the pages, and the chart of the guide.
//
//go:embed app.css app.js passkeys.js growth.svg icon.svg
var Pages embed.FS

// References holds the published figures with which statistics are compared, each with its source.
//
//go:embed references.json
var References []byte

// Units holds the systemd units of the service and of Litestream, and the configuration of
// Litestream. The words PROGRAM, DATABASE and REPLICA in them must be replaced with paths.
//
//go:embed unit
var Units embed.FS
