// Package migrations holds the schema: numbered, forward-only SQL files, each
// applied in its own transaction and recorded by goose.
package migrations

import "embed"

// Files holds the migrations.
//
//go:embed *.sql
var Files embed.FS
