// Package migrations holds the database schema: numbered SQL files, forward only. Goose applies
// each one in its own transaction and records it. A released migration never changes. A test
// upgrades a database of every earlier schema, with rows in it.
package migrations

import "embed"

// Files holds the migrations.
//
//go:embed *.sql
var Files embed.FS
