package store

import (
	"database/sql/driver"

	"modernc.org/sqlite"

	"birthregistry/app/birth"
)

// name_key is birth.NameKey in SQL, for the migration that indexes the providers on file
// and for the check of that index. No table or index of the schema depends on it, so that
// every other tool for SQLite reads the file.
func init() {
	sqlite.MustRegisterDeterministicScalarFunction("name_key", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		name, _ := args[0].(string)
		return birth.NameKey(name), nil
	})
}
