package records

import (
	"context"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// Around holds what the page of a record shows in addition to the record.
type Around struct {
	// Duplicates lists up to similarShown other active records that share a fingerprint with this
	// one. It leaves out records that a person marked as not duplicates. It is empty if this record
	// isn't active.
	Duplicates []store.Record
	// Survivor is the record into which this one was merged, or the zero value if it wasn't merged.
	Survivor store.Record
	// Merges lists the merges of this record into others, and of others into this one. It leaves
	// out merges that were undone.
	Merges []Resolution
	// Missing lists the key fields that the record doesn't state (birth.Missing).
	Missing []birth.Path
	// Attended is the number of active births that the record's attendant has attended. It isn't
	// counted beyond store.CountedTo.
	Attended int
}

// Around returns what the page of a record shows in addition to the record.
func (r *Records) Around(ctx context.Context, p store.PracticeID, rec Record) (out Around, err error) {
	out.Missing = birth.Missing(rec.stated())
	err = r.db.View(ctx, func(v *store.View) error {
		if out.Merges, err = r.merges(v, p, rec.head); err != nil {
			return err
		}
		if by := rec.Attendant(); by.ID != 0 {
			if out.Attended, err = v.CountAttended(p, by.ID); err != nil {
				return err
			}
		}
		if rec.head.State == birth.Merged {
			out.Survivor, err = v.Survivor(p, rec.head.ID)
			return err
		}
		if rec.head.State == birth.Active { // the search ignores the flag of a possible duplicate, because only the newer of two similar records has it
			out.Duplicates, err = similar(v, p, rec.head.ID)
		}
		return err
	})
	return out, err
}

// similarShown is how many duplicates the page of a record lists, and how many decisions VoidedFor
// reads. The page Review lists all duplicates.
const similarShown = 25

func similar(v *store.View, p store.PracticeID, record int64) ([]store.Record, error) {
	fingerprints, err := v.FingerprintsOf(p, []int64{record})
	if err != nil {
		return nil, err
	}
	kept, err := v.NotDuplicates(p, []int64{record})
	if err != nil {
		return nil, err
	}
	live, err := v.ActiveByFingerprint(p, fingerprints[record], similarShown+len(kept[record])+1)
	if err != nil {
		return nil, err
	}
	seen := map[int64]bool{record: true}
	var ids []int64
	for _, print := range fingerprints[record] {
		for _, id := range live[print] {
			if !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	ids = slices.DeleteFunc(ids, func(id int64) bool { return slices.Contains(kept[record], id) })
	return v.RecordsByID(p, ids[:min(len(ids), similarShown)])
}

// VoidedFor returns the records that a review voided as duplicates of a record. It reads only the
// newest similarShown decisions about the record, and leaves out those that were undone. It returns
// store.ErrNotFound if there is no such record.
func (r *Records) VoidedFor(ctx context.Context, p store.PracticeID, uuid string) (voided []store.Record, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		head, err := v.RecordByUUID(p, uuid)
		if err != nil {
			return err
		}
		reviews, err := v.ReviewsOf(p, head.ID, store.VoidOne, similarShown)
		if err != nil {
			return err
		}
		var ids []int64
		for _, w := range reviews {
			if w.Stays == head.ID {
				ids = append(ids, w.Goes)
			}
		}
		if len(ids) == 0 {
			return nil
		}
		voided, err = v.RecordsByID(p, ids)
		return err
	})
	return voided, err
}
