package store

import (
	"fmt"
	"strings"
	"sync"
)

// rowsPerInsert is the maximum number of rows in one insert statement. Inserting more than a few
// dozen rows isn't faster per row, and each number of rows needs its own prepared statement.
const rowsPerInsert = 32

// bulk inserts many rows into the same columns. into is "table (a, b, c)". values holds the values
// of all rows, one row after another.
func (tx *Tx) bulk(into string, values []any) error {
	columns := 1 + strings.Count(into, ",")
	for n := rowsPerInsert; len(values) > 0; values = values[n*columns:] {
		for n*columns > len(values) {
			n /= 2
		}
		if err := tx.do(insertSQL(into, columns, n), values[:n*columns]...); err != nil {
			return err
		}
	}
	return nil
}

// insert identifies an insert statement by its table and columns, and by its number of rows. It is
// the key of the map inserts, which caches the statements.
type insert struct {
	into string
	rows int
}

var inserts sync.Map // insert -> string

func insertSQL(into string, columns, rows int) string {
	if text, ok := inserts.Load(insert{into, rows}); ok {
		return text.(string)
	}
	row := "(" + strings.TrimSuffix(strings.Repeat("?, ", columns), ", ") + ")"
	text := fmt.Sprintf("insert into %s values %s", into, strings.TrimSuffix(strings.Repeat(row+", ", rows), ", "))
	inserts.Store(insert{into, rows}, text)
	return text
}
