package store

import (
	"database/sql/driver"

	"modernc.org/sqlite"

	"birthregistry/app/birth"
)

// This function makes birth.NameKey available in SQL as name_key. It is used by the migration that
// indexes existing providers, and by the check of that index. No table and no index of the schema
// depends on it, so other SQLite tools can read the file.
func init() {
	sqlite.MustRegisterDeterministicScalarFunction("name_key", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		name, _ := args[0].(string)
		return birth.NameKey(name), nil
	})
}
