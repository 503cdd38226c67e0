package store

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

// The rows of a practice that is being forgotten are deleted in stages. Each stage uses many short
// transactions, so that nobody else waits long, and is repeated until it finds no more rows. If the
// process is killed, at most one transaction is lost, and the next process starts again with the
// first stage.

// forgetting is one transaction that deletes rows of a practice. deleted counts the deleted rows by
// table.
type forgetting struct {
	*Tx
	p       PracticeID
	deleted map[string]int64
	code    BlankCode
}

// BlankCode returns the keyed hash that an emptied entry of the audit trail contains. It is
// computed from the entry's number, the hash of the previous entry (before), and the hash that the
// entry had (mac).
type BlankCode func(id int64, before, mac []byte) string

// forgetStage deletes some rows, or empties rows that must stay, or clears their references. It
// does nothing if there are no such rows left.
type forgetStage func(f *forgetting) error

// ForgetStages is the number of stages of ForgetRows.
var ForgetStages = len(forgetStages)

// ForgetRows runs one stage for a practice that is being forgotten. stage is the stage's index. It
// deletes only some of the stage's rows. more is true if it found any.
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

// run runs a statement of a stage, and returns the number of changed rows. For a delete, it adds
// this number to the count of the table. For an update, it adds 0: the entry in deleted then shows
// that the stage found rows.
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

// These limits keep one transaction to about ten milliseconds. forgetRows is the maximum number of
// rows that one statement selects. forgetWeight is the maximum total weight of the rows that one
// transaction of forgetEach deletes. The weight of a row is the number of rows that are deleted
// with it, including the row itself (weighs). A row that can hold much data weighs 1 more for every
// forgetBytes bytes.
const (
	forgetRows   = 200
	forgetWeight = 1000
	forgetBytes  = 2 << 10
)

// forgetFrom returns a stage that deletes the rows of a table with a column named practice. key
// lists the columns of the table's primary key.
func forgetFrom(table, key string) forgetStage {
	statement := deleteSome(table, key)
	return func(f *forgetting) error {
		_, err := f.run(statement, f.p, forgetRows)
		return err
	}
}

// forgetEach returns a stage that deletes rows together with the rows that refer to them. query
// selects the IDs of rows with their weights (weighs). The stage takes rows up to a total weight of
// forgetWeight, and runs the statements on them. A single row may weigh more than that. The stage
// then only calls shrink, which deletes some of the rows that refer to it, until shrink finds no
// more of them.
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
				err = errEnough // finding out the weight of more rows would take time, too
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

// weighs returns SQL for the weight of a row: the number of rows that are deleted with it,
// including itself. columns lists the columns that refer to the row, such as versions.record.
// Counting stops when there are too many rows for one transaction.
func weighs(id string, columns ...string) string {
	weight := "1"
	for _, c := range columns {
		table, column, _ := strings.Cut(c, ".")
		weight += fmt.Sprintf(` + (select count(*) from (select 1 from %s x where x.%s = %s limit %d))`, table, column, id, forgetWeight+1)
	}
	return weight
}

// shrinkBy returns a function that forgetEach can call as shrink. The function deletes some of the
// rows that belong to a row. The statements refer to the ID of that row as ?1.
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

// some returns SQL that deletes some of a table's rows. In these rows, the column has the value ?1.
func some(table, key, column string) string {
	return fmt.Sprintf(`delete from %[1]s where (%[2]s) in (select %[2]s from %[1]s where %[3]s = ?1 limit %[4]d)`, table, key, column, forgetRows)
}

// blank empties some of the practice's entries in the audit trail.
func (f *forgetting) blank() error {
	return f.blankEach(`select id, mac from audit indexed by audit_practice where practice = ?1 order by id limit ?2`)
}

// blankAccounts empties some of the audit entries about the accounts that are deleted with the
// practice. It also looks for the accounts' email addresses. If an account had no membership when a
// sign-in failed, the entry names the account only by its address.
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

// blankEach empties the audit entries that a query selects. The query returns their IDs and MACs.
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

// ForgetPractice deletes the practice itself. If the practice still has rows, ForgetPractice
// deletes nothing and returns false.
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
		// The rows of launches, and of charts that nobody has opened yet, don't name a practice, so
		// these rows are deleted for all practices.
		`delete from launches where ?`,
		`delete from prefills where owner is null and ?`,
	} {
		if err := tx.do(statement, p); err != nil {
			return false, err
		}
	}
	return true, found(tx.exec(`update forgotten set deleted_at = ? where practice = ? and deleted_at is null`, millis(tx.Now), p))
}
