// Package migrations holds the database schema as numbered SQL files. There are no down migrations.
// Goose applies each file in its own transaction and records that. A released migration never
// changes. A test upgrades databases of every earlier schema, with rows in them.
package migrations

import "embed"

// Files holds the migrations.
//
//go:embed *.sql
var Files embed.FS
