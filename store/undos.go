package store

import (
	"database/sql"
	"time"
)

// Undo describes the undo of an import. The zero value means that nobody has asked to undo the
// import.
type Undo struct {
	Import   int64
	Practice PracticeID
	User     int64  // the user who asked for the undo, or 0 for the operator
	By       string // the name of this user
	// Next is the first item of the import that the undo hasn't processed yet.
	Next int
	UndoCounts
	StartedAt time.Time
	EndedAt   time.Time // zero while the undo is in progress
}

// UndoCounts holds the numbers of records by what an undo does to them.
type UndoCounts struct {
	Voided   int // the records that are voided
	Restored int // the records that get back their content from before the import
	Kept     int // the records that stay as they are
}

// The possible reasons why an undo doesn't change a record.
const (
	KeptChanged    = "changed"    // the record has changed since the import
	KeptReviewed   = "reviewed"   // a user has decided about the record in a review of duplicates
	KeptUnreadable = "unreadable" // the content of the record is damaged
)

// StartUndo begins to undo an import. If the undo has already begun, StartUndo changes nothing.
func (tx *Tx) StartUndo(p PracticeID, id, user int64) error {
	return tx.do(`
		insert into undos (import, practice, user, started_at)
		select id, practice, ?, ? from imports where id = ? and practice = ?
		on conflict do nothing`, nullable(user), millis(tx.Now), id, p)
}

// KeptRecord is a record that an undo leaves unchanged.
type KeptRecord struct {
	Item   int
	Record int64
	Reason string
}

// UndoStep describes what one transaction of an undo has done.
type UndoStep struct {
	From, Next int // the first item of the step, and the first item after it
	UndoCounts
	Kept  []KeptRecord
	Ended bool
}

// StepUndo stores one step of an undo and its results. It returns ErrNotFound if the step doesn't
// begin with the next item of the undo. It returns ErrForgotten if the practice is being forgotten
// or no longer exists.
func (tx *Tx) StepUndo(p PracticeID, id int64, s UndoStep) error {
	var ended any
	if s.Ended {
		ended = millis(tx.Now)
	}
	changed, err := tx.exec(`
		update undos
		set next = ?, voided = voided + ?, restored = restored + ?, kept = kept + ?, ended_at = ?
		where
			import = ? and practice = ? and next = ? and ended_at is null
			and practice not in (select practice from forgotten)`,
		s.Next, s.Voided, s.Restored, len(s.Kept), ended, id, p, s.From)
	if err := tx.foundOf(p, changed, err); err != nil {
		return err
	}
	values := make([]any, 0, 4*len(s.Kept))
	for _, k := range s.Kept {
		if err := tx.owns(recordRow, p, k.Record); err != nil {
			return err
		}
		values = append(values, id, k.Item, k.Record, k.Reason)
	}
	return tx.bulk(`undo_kept (import, item, record, reason)`, values)
}

// UnfinishedUndos returns up to limit undos, of all practices, that are in progress. It leaves out
// practices that are being forgotten.
func (v *View) UnfinishedUndos(limit int) ([]Undo, error) {
	return all(v, `
		select import, practice, coalesce(user, 0), next
		from undos
		where ended_at is null and practice not in (select practice from forgotten)
		order by import
		limit ?`, func(u *Undo, rows *sql.Rows) error {
		return rows.Scan(&u.Import, &u.Practice, &u.User, &u.Next)
	}, limit)
}

// ImportedRecord is a record that an import has written, in its present state.
type ImportedRecord struct {
	Item    int // the first item of the import that wrote the record
	ID      int64
	UUID    string
	Version int // the present version
	// First is the first version of the record that the import created. An undo restores the
	// version before it. If First is 1, there is none, and the undo voids the record.
	First int
	// Keep is the reason why an undo doesn't change the record, or "" if the undo changes it.
	Keep string
}

// importedRecords selects the records that an import of a practice has written, starting with an
// item. A record can be undone if it still has the content that the import gave it, if nobody else
// changed it between the import's own changes, and if no review has decided about it since then. If
// a later import changed the record and was undone, the record has that content again.
const importedRecords = `
	select
		f.item,
		r.id,
		r.uuid,
		r.version,
		f.version as first,
		case
			when exists (
				select 1 from reviews w indexed by reviews_stays
				where w.stays = r.id and w.stays_version >= f.version and w.undone_at is null
			) or exists (
				select 1 from reviews w indexed by reviews_goes
				where w.goes = r.id and w.goes_version >= f.version and w.undone_at is null
			) then 'reviewed'
			when r.state <> 'active' or r.content <> (
				select max(l.version) from versions l indexed by versions_record where l.record = r.id and l.ingestion = f.ingestion
			) or r.content - f.version + 1 <> (
				select count(*) from versions l indexed by versions_record where l.record = r.id and l.ingestion = f.ingestion
			) or r.version > r.content and exists (
				select 1 from custom_values c where c.record = r.id and c.version > r.content
			) then 'changed'
			else ''
		end as keep
	from imports i
	join versions f on f.ingestion = i.ingestion and f.item >= ?
	join records r on r.id = f.record
	where i.id = ? and i.practice = ? and not exists (
		select 1 from versions e indexed by versions_record
		where e.record = f.record and e.version < f.version and e.ingestion = f.ingestion
	)`

// ImportedRecords returns up to limit records that an import has written, in the order of the
// import's items. It starts with the item whose index is from.
func (v *View) ImportedRecords(p PracticeID, id int64, from, limit int) ([]ImportedRecord, error) {
	return all(v, importedRecords+` order by f.item limit ?`, func(r *ImportedRecord, rows *sql.Rows) error {
		return rows.Scan(&r.Item, &r.ID, &r.UUID, &r.Version, &r.First, &r.Keep)
	}, from, id, p, limit)
}

// CountUndo returns what the undo of an import would do at present. If the import has revived a
// voided record, the undo would void that record again, so it is included in Voided.
func (v *View) CountUndo(p PracticeID, id int64) (n UndoCounts, err error) {
	err = v.one(`
		select
			count(*) filter (where keep = '' and void),
			count(*) filter (where keep = '' and not void),
			count(*) filter (where keep <> '')
		from (
			select n.keep, n.first = 1 or (select v.change = 'revive' from versions v indexed by versions_record where v.record = n.id and v.version = n.first) as void
			from (`+importedRecords+`) n
		)`, []any{0, id, p}, &n.Voided, &n.Restored, &n.Kept)
	return n, err
}

// RecordKept is a record that an undo has left unchanged, in its present state.
type RecordKept struct {
	UUID, Chart, Reason string
	UpdatedAt           time.Time
}

// KeptByUndo returns up to limit records that an undo has left unchanged.
func (v *View) KeptByUndo(p PracticeID, id int64, limit int) ([]RecordKept, error) {
	return all(v, `
		select r.uuid, coalesce(r.chart, ''), k.reason, r.updated_at
		from undo_kept k
		join records r on r.id = k.record and r.practice = ?
		where k.import = ?
		order by k.item
		limit ?`, func(k *RecordKept, rows *sql.Rows) error {
		return rows.Scan(&k.UUID, &k.Chart, &k.Reason, asTime(&k.UpdatedAt))
	}, p, id, limit)
}
