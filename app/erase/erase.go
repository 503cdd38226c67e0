// Package erase deletes one birth for good (Birth), because the mother has asked for that, or
// because the birth was recorded by mistake. The deleted data is overwritten in the database file
// and, within a minute, in its write-ahead log. Database pages that also hold other rows may keep
// fragments until the file is compacted. A backup made after the erasure holds none of the data.
// Earlier backups hold the data until they are deleted.
package erase

import (
	"context"
	"slices"

	"birthregistry/app/auth"
	"birthregistry/app/changes"
	"birthregistry/app/drafts"
	"birthregistry/app/imports"
	"birthregistry/app/ingest"
	"birthregistry/store"
)

// Service erases births from one database.
type Service struct {
	db      *store.DB
	auth    *auth.Service
	changes *changes.Writer
	queue   *ingest.Service
	imports *imports.Service

	// before is called before each transaction that rewrites receipts, except the last. It gets the
	// numbers of rows and bytes that the transaction will write. Tests use it to count the
	// transactions and to interrupt an erasure.
	before func(rows, bytes int) error
}

// New makes a Service.
func New(db *store.DB, users *auth.Service, writer *changes.Writer, queue *ingest.Service, files *imports.Service) *Service {
	return &Service{db: db, auth: users, changes: writer, queue: queue, imports: files}
}

// Affected returns the records that Birth would delete: the record and those that were merged into
// it. It returns changes.ErrMergedAway if the record was itself merged into another one.
func (s *Service) Affected(ctx context.Context, p store.PracticeID, uuid string) (changes.Erased, error) {
	return store.Read(ctx, s.db, func(v *store.View) (changes.Erased, error) { return changes.ToErase(v, p, uuid) })
}

// Birth erases a birth: the record with everything that belongs to it (changes.Erase), the drafts
// that amend it, what receipts and uploaded files say about it, and the texts for which the
// practice's users have searched. reason is store.ErasedOnRequest or store.ErasedByMistake. The
// user must have confirmed their password. Birth returns auth.ErrForbidden, store.ErrNotFound, or
// changes.ErrMergedAway. It returns imports.ErrRunning while a spreadsheet with the birth is being
// imported. It returns changes.ErrChanged if the record's version is no longer baseVersion, which
// is the version that the user saw.
//
// Thousands of receipts may name the birth. Birth therefore first changes uploaded files and
// receipts, in many transactions of limited size. The last transaction deletes the birth itself,
// and also changes receipts and files that began to name the birth in the meantime. No receipt ever
// refers to an erased birth. If Birth is interrupted, the birth is still there, and calling Birth
// again does the rest.
//
// The entries of the audit trail stay. They name the record by its random ID and hold no patient
// data. Receipts of rejected submissions stay, too, because nothing in them shows whose birth it
// was.
func (s *Service) Birth(ctx context.Context, who auth.User, uuid, reason string, baseVersion int) error {
	if err := who.Must(auth.RecordErase); err != nil {
		return err
	}
	p := who.Practice.ID
	affected, err := s.Affected(ctx, p, uuid)
	if err != nil {
		return err
	}
	if err := affected.Check(uuid, reason, baseVersion); err != nil {
		return err
	}
	defer s.queue.SetTruncationPending()
	// This entry is written first, so that it stays even if the session or the process ends before
	// the erasure is complete.
	if err := s.auth.NoteAlone(who, "record.erase-begin", uuid); err != nil {
		return err
	}
	written, err := store.Read(ctx, s.db, func(v *store.View) ([]string, error) { return v.IngestionsOf(p, affected.IDs) })
	if err != nil {
		return err
	}
	if err := s.dropFiles(who, written); err != nil {
		return err
	}
	redacted, err := s.queue.Redact(ctx, who, affected.UUIDs, s.before)
	if err != nil {
		return err
	}
	if err := s.dropFiles(who, redacted.Named); err != nil {
		return err
	}
	return s.auth.Act(who, func(tx *store.Tx) error {
		return s.last(tx, who, affected, redacted, written, func() (changes.Erased, error) { return s.changes.Erase(tx, who, uuid, reason, baseVersion) })
	})
}

// filesAtOnce is how many submissions' uploaded files one transaction deletes.
const filesAtOnce = 20

// dropFiles deletes the uploaded files of submissions. publicIDs holds the IDs of the submissions.
func (s *Service) dropFiles(who auth.User, publicIDs []string) error {
	for part := range slices.Chunk(publicIDs, filesAtOnce) {
		if err := s.auth.Act(who, func(tx *store.Tx) error { return s.imports.Redact(tx, who.Practice.ID, part) }); err != nil {
			return err
		}
	}
	return nil
}

// last is the last transaction of an erasure. It deletes the birth itself, the drafts that amend
// it, and the texts for which users have searched. It also redacts the receipts, and deletes the
// uploaded files, that have come to name the birth since Birth dealt with the others. It returns
// changes.ErrChanged if another record was merged into the birth meanwhile.
func (s *Service) last(tx *store.Tx, who auth.User, affected changes.Erased, redacted ingest.Redacted, dropped []string, erase func() (changes.Erased, error)) error {
	p := who.Practice.ID
	written, err := tx.IngestionsOf(p, affected.IDs)
	if err != nil {
		return err
	}
	late, err := s.queue.RedactLate(tx, p, affected.UUIDs, redacted)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for _, id := range dropped {
		done[id] = true
	}
	rest := slices.DeleteFunc(append(late, written...), func(id string) bool { return done[id] })
	if err := s.imports.Redact(tx, p, rest); err != nil {
		return err
	}
	erased, err := erase()
	if err != nil {
		return err
	}
	if !slices.Equal(erased.IDs, affected.IDs) {
		return changes.ErrChanged // another record was merged into this one meanwhile
	}
	if err := drafts.DropAmendments(tx, p, erased.UUIDs); err != nil {
		return err
	}
	return s.auth.DropSearches(tx, p)
}

// Tombstones returns up to limit tombstones of the practice. A tombstone holds the chart number of
// an erased birth, as a hash, and keeps this birth from being recorded again.
func (s *Service) Tombstones(ctx context.Context, p store.PracticeID, limit int) ([]store.Tombstone, error) {
	return store.Read(ctx, s.db, func(v *store.View) ([]store.Tombstone, error) { return v.Tombstones(p, limit) })
}

// Lift removes a tombstone, so that its chart number can be recorded again. It returns
// auth.ErrForbidden, or store.ErrNotFound if there is no such tombstone.
func (s *Service) Lift(who auth.User, tombstone int64) error {
	return s.decide(who, tombstone, (*store.Tx).LiftTombstone, "record.allow-again")
}

// Keep leaves a tombstone in force, and records that an admin has seen how many submissions it has
// rejected. It returns auth.ErrForbidden, or store.ErrNotFound if there is no such tombstone.
func (s *Service) Keep(who auth.User, tombstone int64) error {
	return s.decide(who, tombstone, (*store.Tx).KeepTombstone, "record.keep-out")
}

func (s *Service) decide(who auth.User, tombstone int64, write func(*store.Tx, store.PracticeID, int64) (uuid string, err error), action string) error {
	return s.auth.ActIf(who, auth.RecordErase, func(tx *store.Tx) error {
		uuid, err := write(tx, who.Practice.ID, tombstone)
		if err != nil {
			return err
		}
		return s.auth.Note(tx, who, action, uuid)
	})
}
