package records

import (
	"context"

	"birthregistry/store"
)

// Replacement is a record in which a push that isn't known to be newer has replaced a person's
// entries (decision 20). Before is the person's version, After is the present one, and Rows are the
// differences between them.
type Replacement struct{ Comparison }

// Revived reports whether the person had voided the record.
func (r Replacement) Revived() bool { return r.Before.Change == "void" }

// Replaced returns up to limit of the records whose replacement nobody has reviewed
// yet, oldest first.
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

// Replacement returns, for a waiting record, the differences between a person's
// entries and the push that replaced them.
func (r *Records) Replacement(ctx context.Context, p store.PracticeID, head store.Record) (Replacement, error) {
	found, err := r.Compare(ctx, p, head.UUID, head.Replaced, head.Version)
	return Replacement{found}, err
}
