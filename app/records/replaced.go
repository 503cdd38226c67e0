package records

import (
	"context"

	"birthregistry/store"
)

// Replacement is a record in which a push that nothing showed to be newer has taken
// the place of what a person said (decision 20). Before is what the person left,
// After what stands there now; the rows are what differs.
type Replacement struct{ Comparison }

// Revived says that the person had voided the record.
func (r Replacement) Revived() bool { return r.Before.Change == "void" }

// Replaced returns the first records that wait for somebody to see that, oldest
// first, up to limit.
func (r *Records) Replaced(ctx context.Context, p store.PracticeID, limit int) (all []Replacement, err error) {
	var waiting []store.Record
	err = r.db.View(ctx, func(v *store.View) (err error) {
		waiting, err = v.ReplacedRecords(p, limit)
		return err
	})
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

// Replacement tells what a push has put in the place of what a person said of a
// record that waits.
func (r *Records) Replacement(ctx context.Context, p store.PracticeID, head store.Record) (Replacement, error) {
	found, err := r.Compare(ctx, p, head.UUID, head.Replaced, head.Version)
	return Replacement{found}, err
}
