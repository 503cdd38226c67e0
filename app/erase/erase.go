// Package erase deletes one birth for good (Birth), because the client has asked for that, or
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

// Service erases data from one database.
type Service struct {
	db      *store.DB
	auth    *auth.Service
	changes *changes.Writer
	queue   *ingest.Service
	imports *imports.Service

	// before runs ahead of each transaction that rewrites receipts, except the last. Its arguments
	// are the numbers of rows and bytes that the transaction will write. Tests use before to count
	// the transactions and to interrupt an erasure.
	before func(rows, bytes int) error
}

// New makes a Service.
func New(db *store.DB, users *auth.Service, writer *changes.Writer, queue *ingest.Service, files *imports.Service) *Service {
	return &Service{db: db, auth: users, changes: writer, queue: queue, imports: files}
}

// Affected returns the records that Birth would delete: the record and those merged into
// it. It returns changes.ErrMergedAway for a record that was merged into another one.
func (s *Service) Affected(ctx context.Context, p store.PracticeID, uuid string) (changes.Erased, error) {
	return store.Read(ctx, s.db, func(v *store.View) (changes.Erased, error) { return changes.ToErase(v, p, uuid) })
}

// Birth erases a birth: the record with everything that belongs to it (changes.Erase), the drafts
// that amend it, what receipts and uploaded files say about it, and the texts that people of the
// practice have searched for. reason is store.ErasedOnRequest or store.ErasedByMistake. The user
// must have confirmed their password. Birth returns auth.ErrForbidden, store.ErrNotFound,
// changes.ErrMergedAway, imports.ErrRunning if a spreadsheet that has the birth is being imported,
// or changes.ErrChanged if the record no longer has the version that the user saw.
//
// A practice may have thousands of receipts that name the birth. So Birth first changes uploaded
// files and receipts, in many transactions of bounded size. The last transaction deletes the birth
// itself, together with what receipts and files have said about it since then. So no receipt ever
// refers to an erased birth. If Birth is interrupted, the birth is still there, and erasing it
// again does the rest.
//
// The entries of the audit trail stay: they name the record by its random ID and hold no
// patient data. Receipts of rejected submissions stay, too, because nothing in them says whose
// they were.
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
	// This entry is written first, so that it stays even if the session or the process ends
	// before the rest is done.
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

// filesAtOnce is the number of submissions whose uploaded files one transaction deletes.
const filesAtOnce = 20

// dropFiles deletes the uploaded files of these submissions.
func (s *Service) dropFiles(who auth.User, publicIDs []string) error {
	for part := range slices.Chunk(publicIDs, filesAtOnce) {
		if err := s.auth.Act(who, func(tx *store.Tx) error { return s.imports.Redact(tx, who.Practice.ID, part) }); err != nil {
			return err
		}
	}
	return nil
}

// last erases the birth itself, the drafts that amend it, and the texts that people have searched
// for. It also redacts the receipts and deletes the files that have come to name the birth since
// Birth dealt with the others. It returns changes.ErrChanged if another record was merged into the
// birth since then.
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
		return changes.ErrChanged // another record was merged into this one in the meantime
	}
	if err := drafts.DropAmendments(tx, p, erased.UUIDs); err != nil {
		return err
	}
	return s.auth.DropSearches(tx, p)
}

// Tombstones lists up to limit of the practice's tombstones. A tombstone keeps the chart number of
// an erased birth from being recorded again.
func (s *Service) Tombstones(ctx context.Context, p store.PracticeID, limit int) ([]store.Tombstone, error) {
	return store.Read(ctx, s.db, func(v *store.View) ([]store.Tombstone, error) { return v.Tombstones(p, limit) })
}

// Lift allows the chart number of an erased birth to be recorded again. It returns
// auth.ErrForbidden, or store.ErrNotFound if there is no such tombstone.
func (s *Service) Lift(who auth.User, tombstone int64) error {
	return s.decide(who, tombstone, (*store.Tx).LiftTombstone, "record.allow-again")
}

// Keep leaves a tombstone in force. It records that an admin has seen how often the tombstone
// rejected submissions. It returns auth.ErrForbidden, or store.ErrNotFound if there is no such
// tombstone.
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
