package records

import (
	"context"

	"birthregistry/store"
)

// Neighbors returns the ids of the records before and after a record in a list, "" at
// its ends. The record itself need not be in the list.
func (r *Records) Neighbors(ctx context.Context, p store.PracticeID, f store.Filter, rec Record) (newer, older string, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		from := store.Behind(rec.head)
		if older, err = next(v, p, f, from); err != nil {
			return err
		}
		from.Back = true
		newer, err = next(v, p, f, from)
		return err
	})
	return newer, older, err
}

// next returns the id of the first record from a position on.
func next(v *store.View, p store.PracticeID, f store.Filter, from store.From) (string, error) {
	found, err := v.List(p, f, from, 1)
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0].UUID, nil
}
