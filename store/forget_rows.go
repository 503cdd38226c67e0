package store

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

// The rows of a practice that is being forgotten are deleted stage by stage. Each stage takes
// many short transactions, so that nobody else waits long, and is repeated until it finds no
// more rows. A killed process therefore loses at most one transaction; the next process begins
// again at the first stage.

// forgetting is one transaction that deletes rows of a practice.
type forgetting struct {
	*Tx
	p       PracticeID
	deleted map[string]int64
	code    BlankCode
}

// BlankCode returns the code of an emptied entry of the audit trail. The code is computed from the
// entry's number, the code of the entry before it, and the entry's original code.
type BlankCode func(id int64, before, mac []byte) string

// forgetStage deletes some rows, or empties or detaches rows that stay. It does nothing once it
// finds no such rows.
type forgetStage func(f *forgetting) error

// ForgetStages is the number of stages of ForgetRows.
var ForgetStages = len(forgetStages)

// ForgetRows runs a stage once for a practice that is being forgotten: it deletes some of the rows
// that the stage covers. It reports whether it found any.
func (tx *Tx) ForgetRows(p PracticeID, stage int, code BlankCode) (more bool, err error) {
	f := &forgetting{tx, p, map[string]int64{}, code}
	if err := forgetStages[stage](f); err != nil {
		return false, err
	}
	if len(f.deleted) == 0 {
		return false, nil
	}
	was, err := tx.Forgotten(p)
	if err != nil {
		return false, err
	}
	for table, n := range f.deleted {
		if was.Deleted == nil {
			was.Deleted = map[string]int64{}
		}
		was.Deleted[table] += n
	}
	text, err := json.Marshal(was.Deleted, json.Deterministic(true))
	if err != nil {
		return false, err
	}
	return true, found(tx.exec(`update forgotten set deleted = ? where practice = ?`, string(text), p))
}

// run runs a statement of a stage. It adds the number of deleted rows to the count of the table
// that the statement names first. A statement that updates rows adds 0, so that the table has a
// count, which shows that the stage found rows.
func (f *forgetting) run(statement string, args ...any) (n int64, err error) {
	if n, err = f.exec(statement, args...); n > 0 {
		words := strings.Fields(statement)
		if words[0] == "delete" {
			f.deleted[words[2]] += n
		} else {
			f.deleted[words[1]] += 0
		}
	}
	return n, err
}

// These limits keep one transaction to about ten milliseconds. forgetRows is the greatest number of
// rows that one statement selects. forgetWeight is the greatest total weight of the rows that one
// transaction of forgetEach deletes. In that weight, forgetBytes bytes count like one row, because
// deleting them is as much work.
const (
	forgetRows   = 200
	forgetWeight = 1000
	forgetBytes  = 2 << 10
)

// forgetFrom returns the stage that deletes the rows of a table with a column practice, some at a
// time. key lists the columns of the primary key.
func forgetFrom(table, key string) forgetStage {
	statement := deleteSome(table, key)
	return func(f *forgetting) error {
		_, err := f.run(statement, f.p, forgetRows)
		return err
	}
}

// forgetEach returns a stage that deletes rows together with the rows that refer to them. The query
// selects the IDs of rows, each with its weight (weighs). The stage takes rows up to a total weight
// of forgetWeight, and runs the statements on them. A single row may weigh more than that. Then the
// stage only calls shrink, which deletes some of the rows that refer to it, until shrink finds no
// more.
func forgetEach(query string, shrink func(f *forgetting, id int64) (bool, error), statements ...string) forgetStage {
	return func(f *forgetting) error {
		var ids []int64
		var total int64
		err := f.each(query, func(rows *sql.Rows) error {
			var id, weight int64
			err := rows.Scan(&id, &weight)
			if total += weight; total <= forgetWeight || len(ids) == 0 {
				ids = append(ids, id)
			}
			if err == nil && total > forgetWeight {
				err = errEnough // weighing more rows would be work, too
			}
			return err
		}, f.p, forgetRows)
		if err != nil && !errors.Is(err, errEnough) || len(ids) == 0 {
			return err
		}
		if shrink != nil && total > forgetWeight && len(ids) == 1 {
			if shrunk, err := shrink(f, ids[0]); err != nil || shrunk {
				return err
			}
		}
		for _, statement := range statements {
			if _, err := f.run(statement, list(ids), f.p); err != nil {
				return err
			}
		}
		return nil
	}
}

var errEnough = errors.New("store: enough rows for one transaction")

// weighs returns the SQL for the weight of a row, which is the number of rows that are deleted
// with it: itself, and those that refer to it by one of the columns, such as versions.record. The
// count stops when there are too many for one transaction.
func weighs(id string, columns ...string) string {
	weight := "1"
	for _, c := range columns {
		table, column, _ := strings.Cut(c, ".")
		weight += fmt.Sprintf(` + (select count(*) from (select 1 from %s x where x.%s = %s limit %d))`, table, column, id, forgetWeight+1)
	}
	return weight
}

// shrinkBy returns a function for forgetEach that deletes the rows that belong to a row (?1),
// some at a time.
func shrinkBy(statements ...string) func(*forgetting, int64) (bool, error) {
	return func(f *forgetting, id int64) (bool, error) {
		for _, statement := range statements {
			if n, err := f.run(statement, id); err != nil || n > 0 {
				return true, err
			}
		}
		return false, nil
	}
}

// some returns the SQL that deletes some of a table's rows that have the value ?1 in a column.
func some(table, key, column string) string {
	return fmt.Sprintf(`delete from %[1]s where (%[2]s) in (select %[2]s from %[1]s where %[3]s = ?1 limit %[4]d)`, table, key, column, forgetRows)
}

// blank empties some of the practice's entries in the audit trail.
func (f *forgetting) blank() error {
	return f.blankEach(`select id, mac from audit indexed by audit_practice where practice = ?1 order by id limit ?2`)
}

// blankAccounts empties some of the entries about the accounts that are deleted with the practice.
// It also looks for the accounts' email addresses, because an entry about a failed sign-in names an
// account only by its address if the account had no membership at the time.
func (f *forgetting) blankAccounts() error {
	return f.blankEach(`
		select * from (
			select a.id, a.mac
			from users u
			cross join audit a indexed by audit_user on a.user = u.id and a.practice is null
			where ` + leavesWith + `
			limit ?2
		)
		union
		select * from (
			select a.id, a.mac
			from users u
			cross join audit a indexed by audit_object on a.practice is null and a.object = u.email
			where ` + leavesWith + `
			limit ?2
		)`)
}

// blankEach empties the entries of the audit trail whose IDs and codes a query selects.
func (f *forgetting) blankEach(query string) error {
	type entry struct {
		id          int64
		mac, before []byte
	}
	entries, err := all(&f.View, `select a.id, a.mac, coalesce(b.mac, x'') from (`+query+`) a left join audit b on b.id = a.id - 1`,
		func(e *entry, rows *sql.Rows) error { return rows.Scan(&e.id, &e.mac, &e.before) }, f.p, forgetRows)
	if err != nil {
		return err
	}
	for _, e := range entries {
		err := f.do(`
			update audit
			set at = 0, practice = null, user = null, actor = '', action = 'erased', object = ?, address = ''
			where id = ?`, f.code(e.id, e.before, e.mac), e.id)
		if err != nil {
			return err
		}
		f.deleted["audit"]++
	}
	return nil
}

// ForgetPractice deletes the practice itself. If any of the practice's rows are left, it deletes
// nothing and returns false.
func (tx *Tx) ForgetPractice(p PracticeID) (gone bool, err error) {
	for _, table := range forgottenByPractice {
		some, err := only[bool](&tx.View, `select exists (select 1 from `+table+` where practice = ?)`, p)
		if err != nil || some {
			return false, err
		}
	}
	if err := tx.dropTallies(p); err != nil {
		return false, err
	}
	for _, statement := range []string{
		`delete from sums where practice = ?`,
		`delete from practices where id = ?`,
		// Launches, and charts that nobody has opened yet, don't state their practice, so those of
		// all practices are deleted.
		`delete from launches where ?`,
		`delete from prefills where owner is null and ?`,
	} {
		if err := tx.do(statement, p); err != nil {
			return false, err
		}
	}
	return true, found(tx.exec(`update forgotten set deleted_at = ? where practice = ? and deleted_at is null`, millis(tx.Now), p))
}
