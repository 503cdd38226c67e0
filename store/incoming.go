package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A practice that moves here from another installation (app/archive) is written in many
// transactions. Until the last of them, the practice is incoming: its row in the table incoming
// isn't finished, and Practice and Practices don't return it.

// ErrIncoming means that another process is importing a practice.
var ErrIncoming = errors.New("store: another process is importing a practice; try again when it has ended")

// LockIncoming makes this process the only one that may import practices, until the returned file
// is closed or the process ends. If another process holds this lock, LockIncoming waits for a few
// seconds, because SweepIncoming holds it only for a moment. After that, it returns ErrIncoming.
func (db *DB) LockIncoming() (*LockFile, error) {
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		f, err := db.tryLockIncoming()
		if !errors.Is(err, ErrIncoming) || time.Since(began) > incomingPatience {
			return f, err
		}
	}
}

// incomingPatience is how long LockIncoming waits for the lock.
const incomingPatience = 5 * time.Second

func (db *DB) tryLockIncoming() (*LockFile, error) {
	f, err := lockFile(db.path + ".incoming")
	return f, Translate(err, ErrServed, ErrIncoming)
}

// Incoming describes a practice that moves here from another installation.
type Incoming struct {
	Practice Practice // the practice; BeginIncoming assigns its ID
	Digest   []byte   // the SHA-256 hash of the archive's manifest
	// Users lists the practice's users. If a user's address already has an account here, the user
	// gets that account.
	Users []User
	// Spans maps each table to the lowest and the highest row number that the archive has for it.
	Spans map[string]Span
}

// Span is a range of row numbers, from First to To. It includes both.
type Span struct{ First, To int64 }

// IncomingIDs holds the numbers that this installation assigns to an incoming practice and its
// rows.
type IncomingIDs struct {
	Practice PracticeID
	// Users maps the numbers of users in the archive to accounts. Shift maps each table to the
	// number that must be added to the row numbers in the archive.
	Users map[int64]int64
	Shift map[string]int64
	// Accounts says, for each of these accounts, whether it existed before the import.
	Accounts map[int64]bool
}

// BeginIncoming begins the import of a practice. It creates the practice, which stays invisible,
// and its users, and reserves numbers for its rows. It returns ErrConflict if the same archive was
// imported before.
func (tx *Tx) BeginIncoming(a Incoming) (ids IncomingIDs, err error) {
	before, err := only[bool](&tx.View, `select exists (select 1 from incoming where digest = ?)`, a.Digest)
	if err != nil {
		return ids, err
	}
	if before {
		return ids, ErrConflict
	}
	last, err := only[int64](&tx.View, `select coalesce(max(id), 0) from users`)
	if err != nil {
		return ids, err
	}
	ids = IncomingIDs{Users: map[int64]int64{}, Shift: map[string]int64{}, Accounts: map[int64]bool{}}
	highest := last
	for _, u := range a.Users {
		id, err := only[int64](&tx.View, `select id from users where email = ?`, u.Email)
		if errors.Is(err, ErrNotFound) {
			id, err = tx.AddUser(u.Email, u.Name)
			highest = max(highest, id)
		}
		if err != nil {
			return ids, err
		}
		ids.Users[u.ID], ids.Accounts[id] = id, id <= last
	}
	if ids.Practice, err = tx.AddPractice(a.Practice.Name, a.Practice.Sandbox, a.Practice.EHRBeta); err != nil {
		return ids, err
	}
	err = tx.do(`update practices set time_zone = ?, created_at = ? where id = ?`, a.Practice.TimeZone, millis(a.Practice.CreatedAt), ids.Practice)
	if err != nil {
		return ids, err
	}
	for table, span := range a.Spans {
		if ids.Shift[table], err = tx.reserve(table, span); err != nil {
			return ids, err
		}
	}
	err = tx.do(`insert into incoming (practice, digest, users_from, users_to, begun_at) values (?, ?, ?, ?, ?)`,
		ids.Practice, a.Digest, last+1, highest, millis(tx.Now))
	return ids, err
}

// reserve reserves as many row numbers in a table as the span has. It returns the number that must
// be added to the row numbers of the span.
func (tx *Tx) reserve(table string, span Span) (shift int64, err error) {
	last, err := tx.lastNumber(table)
	if err != nil {
		return 0, err
	}
	shift = last + 1 - span.First
	changed, err := tx.exec(`update sqlite_sequence set seq = ? where name = ?`, span.To+shift, table)
	if err == nil && changed == 0 {
		err = tx.do(`insert into sqlite_sequence (name, seq) values (?, ?)`, table, span.To+shift)
	}
	return shift, err
}

// lastNumber returns the highest row number that is used or reserved in a table.
func (tx *Tx) lastNumber(table string) (int64, error) {
	last, err := only[int64](&tx.View, `select seq from sqlite_sequence where name = ?`, table)
	return last, ignore(err, ErrNotFound)
}

// AddIncomingRows writes rows of an incoming practice. Each row holds the values of t.Columns,
// without Virtual columns, in the form in which the database stores them. The values of t.Derived
// follow.
func (tx *Tx) AddIncomingRows(p PracticeID, t *ArchiveTable, rows [][]any) error {
	var names []string
	for _, c := range t.Columns {
		if !c.Virtual {
			names = append(names, c.DatabaseColumn())
		}
	}
	names = append(names, t.Derived...)
	if t.ByPractice {
		names = append(names, "practice")
		for i := range rows {
			rows[i] = append(rows[i], p)
		}
	}
	return tx.bulk(t.Table+" ("+strings.Join(names, ", ")+")", slices.Concat(rows...))
}

// SetIncomingContent writes what is derived from a record's present content, such as the month of
// birth.
func (tx *Tx) SetIncomingContent(p PracticeID, r Record) error {
	return found(tx.exec(`
		update records set source = ?, birth_month = ?, attendant = ?, method = ?, missing = ?, outcome = ?
		where id = ? and practice = ?`,
		r.Source, nullable(r.Facts.BirthMonth), nullable(r.Facts.Attendant), nullable(r.Facts.Method), r.Facts.Missing, r.Facts.Outcome, r.ID, p))
}

// SetIncomingReferences writes those references of a row that may point to later rows
// (ArchiveColumn.Late). references maps a column's name to the number of the row to which it
// refers. All rows must have been written before.
func (tx *Tx) SetIncomingReferences(p PracticeID, t *ArchiveTable, id int64, references map[string]int64) error {
	for _, c := range t.Columns {
		if to, ok := references[c.Name]; ok && c.Late {
			if err := found(tx.exec(fmt.Sprintf(`update %s set %s = ? where id = ? and practice = ?`, t.Table, c.DatabaseColumn()), to, id, p)); err != nil {
				return err
			}
		}
	}
	return nil
}

// NameIncomingProvider stores a provider's name in the index by which providers are found.
func (tx *Tx) NameIncomingProvider(p PracticeID, id int64, name string) error {
	return tx.nameProvider(p, id, name)
}

// IsElsewhere reports whether a practice other than p has a row in the table with one of these
// public IDs.
func (v *View) IsElsewhere(p PracticeID, t *ArchiveTable, ids []string) (bool, error) {
	return only[bool](v, fmt.Sprintf(`
		select exists (
			select 1 from json_each(?) wanted cross join %s t on t.%s = wanted.value where t.practice <> ?
		)`, t.Table, t.PublicID), list(ids), p)
}

// incomingRules lists problems that the data of an incoming practice must not have. Each has a
// query that counts the rows with the problem.
var incomingRules = []invariant{
	{"a record lacks a version", `
		select count(*) from records r indexed by records_practice
		where r.practice = ?1 and (
			r.version <> (select count(*) from versions v where v.record = r.id)
			or r.version <> (select max(v.version) from versions v where v.record = r.id)
			or not exists (
				select 1 from versions v
				where v.record = r.id and v.version = r.content and v.clinical is not null and v.patient is not null
			)
		)`},
	{"a version refers to a content that is not there", `
		select count(*) from records r indexed by records_practice
		cross join versions v on v.record = r.id
		where r.practice = ?1 and not exists (
			select 1 from versions c where c.record = v.record and c.version = v.content and c.version <= v.version and c.clinical is not null
		)`},
	{"a merged record does not name another record, or an active record does", `
		select count(*) from records r indexed by records_practice
		where r.practice = ?1 and (
			r.state = 'merged' and (r.merged_into is null or r.merged_into = r.id)
			or r.state = 'active' and r.merged_into is not null
		)`},
	{"a record's state and its last version disagree on whether it is voided", `
		select count(*) from records r indexed by records_practice
		cross join versions v on v.record = r.id and v.version = r.version
		where r.practice = ?1 and (r.state = 'voided') <> (v.change = 'void') and r.state <> 'merged'`},
	{"two records are marked as not duplicates in one direction only", `
		select count(*) from records r indexed by records_practice
		cross join kept k on k.record = r.id
		where r.practice = ?1 and not exists (select 1 from kept back where back.record = k.other and back.other = k.record)`},
	{"a merged provider has no survivor", `
		select count(*) from providers l left join providers s on s.id = l.survivor
		where l.practice = ?1 and ((l.merged_into is null) <> (l.survivor is null) or s.merged_into is not null)`},
}

// IncomingProblem returns a description of the first problem (incomingRules) in the data of an
// incoming practice, or "" if there is none.
func (v *View) IncomingProblem(p PracticeID) (wrong string, err error) {
	for _, rule := range incomingRules {
		if broken, err := only[int](v, rule.query, p); err != nil || broken > 0 {
			return rule.rule, err
		}
	}
	return "", nil
}

// IncomingTallies holds the numbers of births that an incoming practice adds to the statistics
// across practices.
type IncomingTallies struct{ months monthly }

// TallyIncoming counts the births of an incoming practice. It needs no write transaction, because
// nobody else can change the practice.
func (v *View) TallyIncoming(p PracticeID) (t IncomingTallies, err error) {
	t.months, err = v.recount(p)
	return t, err
}

// FinishIncoming ends the import of a practice. The practice becomes visible, and statistics across
// practices include its births. The time that this takes doesn't depend on the number of births.
func (tx *Tx) FinishIncoming(p PracticeID, t IncomingTallies) error {
	tx.tallies = map[PracticeID]monthly{p: t.months}
	return found(tx.exec(`update incoming set finished_at = ? where practice = ? and finished_at is null`, millis(tx.Now), p))
}

// SweepIncoming deletes practices whose import was interrupted. It deletes nothing while a process
// is importing a practice. deleted reports whether it deleted any.
//
// It doesn't hold LockIncoming while it deletes, so that another import can begin. The number of a
// deleted practice isn't assigned again.
func (db *DB) SweepIncoming() (deleted bool, err error) {
	return db.dropEach(db.interruptedIncoming)
}

// interruptedIncoming returns a practice whose import was interrupted, or 0 if there is none or if
// a process is importing a practice.
func (db *DB) interruptedIncoming() (PracticeID, error) {
	if p, err := db.unfinishedIncoming(); err != nil || p == 0 {
		return 0, err
	}
	lock, err := db.tryLockIncoming()
	if errors.Is(err, ErrIncoming) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer lock.Close() //nolint:errcheck // closing releases it, and nothing was written

	return db.unfinishedIncoming() // the import may have ended before the lock
}

// unfinishedIncoming returns a practice whose import has not ended, or 0 if there is none.
func (db *DB) unfinishedIncoming() (PracticeID, error) {
	return Read(background, db, func(v *View) (PracticeID, error) {
		p, err := only[PracticeID](v, `select practice from incoming where finished_at is null limit 1`)
		return p, ignore(err, ErrNotFound)
	})
}

// DropIncoming deletes practices whose import was interrupted. deleted reports whether there were
// any. The caller must hold LockIncoming, and must truncate the WAL afterwards.
func (db *DB) DropIncoming() (deleted bool, err error) {
	return db.dropEach(db.unfinishedIncoming)
}

// dropEach deletes the practices that next returns, one after the other, until it returns 0. deleted
// reports whether there were any.
func (db *DB) dropEach(next func() (PracticeID, error)) (deleted bool, err error) {
	for {
		p, err := next()
		if err != nil || p == 0 {
			return deleted, err
		}
		deleted = true
		if err := db.dropIncoming(p); err != nil {
			return deleted, err
		}
	}
}

// droppedAtOnce is the maximum number of rows of an interrupted import that one transaction
// deletes.
const droppedAtOnce = 200

// dropped lists the statements that delete the rows of an incoming practice, in order. ?1 is the
// practice, and ?2 is the maximum number of rows that one execution deletes. Each statement is
// repeated until it changes no row.
var dropped = []string{
	`update records set merged_into = null where id in (
		select id from records indexed by records_practice where practice = ?1 and merged_into is not null limit ?2)`,
	dropOf("kept", "record, other"), dropOf("versions", "id"), dropOf("attributions", "record, version, provider"),
	dropOf("custom_values", "record, version"),
	deleteSome("names", "practice, word, record"), deleteSome("fingerprints", "practice, live, print, record"),
	`delete from undo_kept where (import, item) in (
		select k.import, k.item from undos u cross join undo_kept k on k.import = u.import where u.practice = ?1 limit ?2)`,
	deleteSome("undos", "import"), deleteSome("imports", "id"), deleteSome("reviews", "id"), deleteSome("records", "id"), deleteSome("ingestions", "id"),
	deleteSome("provider_groups", "practice, npi, name"), deleteSome("provider_names", "practice, name, provider"),
	`delete from provider_log where id in (
		select l.id from providers s cross join provider_log l on l.provider = s.id where s.practice = ?1 limit ?2)`,
	unmergeProviders,
	deleteSome("providers", "id"), deleteSome("custom_fields", "id"), deleteSome("drafts", "id"),
	deleteSome("former_audit", "practice, id"), deleteSome("matches", "practice"), deleteSome("memberships", "user, practice"),
	// users who came with the practice, unless they have a password or another practice now
	`delete from users where id in (
		select u.id from incoming i cross join users u on u.id between i.users_from and i.users_to
		where i.practice = ?1 and u.password is null and not exists (select 1 from memberships m where m.user = u.id)
		limit ?2)`,
}

// unmergeProviders undoes the merges of some of a practice's providers, so that they can be
// deleted. ?1 is the practice, and ?2 is the maximum number of rows.
const unmergeProviders = `
	update providers set merged_into = null, survivor = null
	where id in (
		select id from providers where practice = ?1 and (merged_into is not null or survivor is not null) limit ?2
	)`

// deleteSome returns a statement that deletes up to ?2 rows of practice ?1 from a table. The table
// must have a column named practice. key lists the columns of its primary key.
func deleteSome(table, key string) string {
	return fmt.Sprintf(`delete from %[1]s where (%[2]s) in (select %[2]s from %[1]s where practice = ?1 limit ?2)`, table, key)
}

// dropOf returns a statement that deletes up to ?2 rows of a table that belong to records of
// practice ?1. The table must have a column named record. key lists the columns of its primary key.
func dropOf(table, key string) string {
	return fmt.Sprintf(`delete from %[1]s where (%[2]s) in (
		select %[3]s from records r indexed by records_practice cross join %[1]s t on t.record = r.id where r.practice = ?1 limit ?2)`,
		table, key, "t."+strings.ReplaceAll(key, ", ", ", t."))
}

// dropIncoming deletes an incoming practice in short transactions, so that nobody else has to wait
// long.
func (db *DB) dropIncoming(p PracticeID) error {
	for _, statement := range dropped {
		for {
			var changed int64
			err := db.UpdateChunk(droppedAtOnce, func(tx *Tx) (err error) {
				changed, err = tx.exec(statement, p, droppedAtOnce)
				return err
			})
			if err != nil {
				return err
			}
			if changed == 0 {
				break
			}
		}
	}
	return db.Update(func(tx *Tx) error {
		return errors.Join(tx.do(`delete from incoming where practice = ?`, p), tx.do(`delete from practices where id = ?`, p))
	})
}
