package store

import (
	"database/sql/driver"

	"modernc.org/sqlite"

	"birthregistry/app/birth"
)

// name_key makes birth.NameKey available in SQL. The migration that indexes existing providers
// and the check of that index use it. No table or index of the schema depends on it, so that
// other SQLite tools can read the file.
func init() {
	sqlite.MustRegisterDeterministicScalarFunction("name_key", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		name, _ := args[0].(string)
		return birth.NameKey(name), nil
	})
}
