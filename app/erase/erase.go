// Package erase deletes data for good because its subject or its owner asked for it: one birth
// (Birth). The deleted data is gone from the database file, and within a minute from its
// write-ahead log; earlier backups still hold it until they age out.
package erase

import (
	"context"
	"slices"
	"time"

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
}

// New makes a Service.
func New(db *store.DB, users *auth.Service, writer *changes.Writer, queue *ingest.Service, files *imports.Service) *Service {
	return &Service{db, users, writer, queue, files}
}

// Affected returns the records that Birth would delete: the record and those merged into
// it. It returns changes.ErrMergedAway for a record that was merged into another one.
func (s *Service) Affected(ctx context.Context, p store.PracticeID, uuid string) (changes.Erased, error) {
	return store.Read(ctx, s.db, func(v *store.View) (changes.Erased, error) { return changes.ToErase(v, p, uuid) })
}

// Birth erases a birth in one transaction: the record with everything that belongs to it
// (changes.Erase), the drafts that amend it, what receipts and kept files say about it, and the texts that people of the
// practice have searched for. reason is store.ErasedOnRequest or store.ErasedByMistake. The
// user has confirmed their password. Birth returns auth.ErrForbidden, store.ErrNotFound,
// changes.ErrMergedAway, imports.ErrRunning if a spreadsheet that has the birth is being
// imported, or changes.ErrChanged if the record no longer has the version that the user saw.
//
// The entries of the audit trail stay: they name the record by its random ID and hold no
// patient data. Receipts of rejected submissions stay, too, because nothing in them says whose
// they were.
func (s *Service) Birth(ctx context.Context, who auth.User, uuid, reason string, baseVersion int) error {
	if err := who.Must(auth.RecordErase); err != nil {
		return err
	}
	p, began := who.Practice.ID, time.Now().Add(-time.Minute) // a clock may be set back in the meantime
	affected, err := s.Affected(ctx, p, uuid)
	if err != nil {
		return err
	}
	naming, err := s.queue.ReceiptsNaming(ctx, p, affected.UUIDs)
	if err != nil {
		return err
	}
	err = s.db.Update(func(tx *store.Tx) error {
		written, err := tx.IngestionsOf(p, affected.IDs)
		if err != nil {
			return err
		}
		late, err := s.queue.ReceiptsNamingSince(&tx.View, p, affected.UUIDs, began)
		if err != nil {
			return err
		}
		erased, err := s.changes.Erase(tx, who, uuid, reason, baseVersion)
		if err != nil {
			return err
		}
		if len(erased.IDs) != len(affected.IDs) {
			return changes.ErrChanged // another record was merged into it in the meantime
		}
		if err := drafts.DropAmendments(tx, p, erased.UUIDs); err != nil {
			return err
		}
		if err := s.auth.DropSearches(tx, p); err != nil {
			return err
		}
		all := slices.Concat(naming, written, late)
		slices.Sort(all)
		all = slices.Compact(all)
		if err := s.imports.Redact(tx, p, all); err != nil {
			return err
		}
		return s.queue.Redact(tx, p, all, erased.UUIDs)
	})
	if err == nil {
		s.queue.SetTruncationPending()
	}
	return err
}

// Tombstones lists the practice's tombstones, at most limit.
func (s *Service) Tombstones(ctx context.Context, p store.PracticeID, limit int) ([]store.Tombstone, error) {
	return store.Read(ctx, s.db, func(v *store.View) ([]store.Tombstone, error) { return v.Tombstones(p, limit) })
}

// Lift allows the chart number of an erased birth to be recorded again. It returns
// auth.ErrForbidden, or store.ErrNotFound if there is no such tombstone.
func (s *Service) Lift(who auth.User, tombstone int64) error {
	if err := who.Must(auth.RecordErase); err != nil {
		return err
	}
	return s.db.Update(func(tx *store.Tx) error {
		uuid, err := tx.LiftTombstone(who.Practice.ID, tombstone)
		if err != nil {
			return err
		}
		return s.auth.Note(tx, who, "record.allow-again", uuid)
	})
}

// Keep records that an admin has seen what was rejected and wants it to stay so. It returns
// auth.ErrForbidden, or store.ErrNotFound if there is no such tombstone.
func (s *Service) Keep(who auth.User, tombstone int64) error {
	if err := who.Must(auth.RecordErase); err != nil {
		return err
	}
	return s.db.Update(func(tx *store.Tx) error { return tx.KeepTombstone(who.Practice.ID, tombstone) })
}
