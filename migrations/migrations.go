// Package migrations holds the database schema: numbered SQL files, forward only. Goose
// applies each one in its own transaction and records it. A migration that was
// released never changes; a test upgrades a database of every earlier schema, with
// rows.
package migrations

import "embed"

// Files holds the migrations.
//
//go:embed *.sql
var Files embed.FS
