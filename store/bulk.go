package store

import (
	"fmt"
	"strings"
)

// rowsPerInsert is how many rows one insert statement takes. More than a few dozen
// gain nothing, and every size is another statement to prepare.
const rowsPerInsert = 32

// bulk inserts many rows of the same columns. into is "table (a, b, c)".
func (tx *Tx) bulk(into string, rows [][]any) error {
	for len(rows) > 0 {
		n := rowsPerInsert
		for n > len(rows) {
			n /= 2
		}
		args := make([]any, 0, n*len(rows[0]))
		for _, row := range rows[:n] {
			args = append(args, row...)
		}
		if _, err := tx.exec(insertSQL(into, len(rows[0]), n), args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

func insertSQL(into string, columns, rows int) string {
	row := "(" + strings.TrimSuffix(strings.Repeat("?, ", columns), ", ") + ")"
	return fmt.Sprintf("insert into %s values %s", into, strings.TrimSuffix(strings.Repeat(row+", ", rows), ", "))
}
