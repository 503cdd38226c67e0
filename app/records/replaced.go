package records

import (
	"context"

	"birthregistry/store"
)

// Replacement describes a record in which a push has replaced what a person entered, although the
// push isn't known to be newer (decision 20). Before is the person's version, After is the present
// version, and Rows holds the differences between the two.
type Replacement struct{ Comparison }

// Revived reports whether the person had voided the record, so that the push revived it.
func (r Replacement) Revived() bool { return r.Before.Change == "void" }

// Replaced returns up to limit records in which a push has replaced a person's entries, and which
// nobody has reviewed yet. The oldest come first.
func (r *Records) Replaced(ctx context.Context, p store.PracticeID, limit int) (all []Replacement, err error) {
	waiting, err := store.Read(ctx, r.db, func(v *store.View) ([]store.Record, error) { return v.ReplacedRecords(p, limit) })
	for _, head := range waiting {
		if err != nil {
			return nil, err
		}
		var one Replacement
		one, err = r.Replacement(ctx, p, head)
		all = append(all, one)
	}
	return all, err
}

// Replacement returns the differences between what a person entered and the push that replaced it.
// head must be a record that waits for a review.
func (r *Records) Replacement(ctx context.Context, p store.PracticeID, head store.Record) (Replacement, error) {
	found, err := r.Compare(ctx, p, head.UUID, head.Replaced, head.Version)
	return Replacement{found}, err
}
