package store

import (
	"database/sql"
	"time"
)

// Undo is the undo of an import. Its zero value means that nobody has requested one.
type Undo struct {
	Import   int64
	Practice PracticeID
	User     int64  // the user who requested it, or 0 for the operator
	By       string // that user's name
	// Next is the import's first item that the undo has not processed yet.
	Next int
	UndoCounts
	StartedAt time.Time
	EndedAt   time.Time // zero while the undo is in progress
}

// UndoCounts counts records by what an undo does to them.
type UndoCounts struct {
	Voided   int // the undo voids these
	Restored int // these get back their content from before the import
	Kept     int // these stay as they are
}

// These are the reasons why an undo leaves a record as it is.
const (
	KeptChanged    = "changed"    // somebody or something has changed it since
	KeptReviewed   = "reviewed"   // a person has decided about it in a review of duplicates
	KeptUnreadable = "unreadable" // its content is damaged
)

// StartUndo starts to undo an import. Calling it again changes nothing.
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

// UndoStep is what one transaction of an undo has done.
type UndoStep struct {
	From, Next int // the step's first item, and the item after its last
	UndoCounts
	Kept  []KeptRecord
	Ended bool
}

// StepUndo stores one step of an undo and its results. It returns ErrNotFound if the undo's
// next item isn't the step's first item, and ErrForgotten if the practice is being forgotten or
// is gone.
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

// UnfinishedUndos returns up to limit undos that are in progress, in all practices.
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

// ImportedRecord is a record that an import has written, and its present state.
type ImportedRecord struct {
	Item    int // the first item that wrote it
	ID      int64
	UUID    string
	Version int // at present
	// First is the first version of the record that the import made. An undo restores the
	// version before it; there is none if First is 1.
	First int
	// Keep says why an undo leaves the record as it is, or is "" if it may be undone.
	Keep string
}

// importedRecords selects the records that an import of a practice has written, from an item on. A
// record can be undone if it still has the content that the import gave it, if nobody else changed
// it between the import's own changes, and if no review has decided about it since. If a later
// import has changed the record and has been undone, the record has that content again.
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
// import's items, starting at the item from.
func (v *View) ImportedRecords(p PracticeID, id int64, from, limit int) ([]ImportedRecord, error) {
	return all(v, importedRecords+` order by f.item limit ?`, func(r *ImportedRecord, rows *sql.Rows) error {
		return rows.Scan(&r.Item, &r.ID, &r.UUID, &r.Version, &r.First, &r.Keep)
	}, from, id, p, limit)
}

// CountUndo counts what the undo of an import would do now. If the import had revived a voided
// record, the undo would void the record again, and Voided includes it.
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

// RecordKept is a record that an undo left unchanged, in its present state.
type RecordKept struct {
	UUID, Chart, Reason string
	UpdatedAt           time.Time
}

// KeptByUndo lists the records that an undo left unchanged.
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
