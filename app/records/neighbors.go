package records

import (
	"context"

	"birthregistry/store"
)

// Neighbors returns the IDs of the records before and after a record in a list, or "" at the
// list's ends and where the next one is too far away to search for. The record itself need
// not be in the list.
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

// next returns the ID of the first record from a position on.
func next(v *store.View, p store.PracticeID, f store.Filter, from store.From) (string, error) {
	found, _, err := v.ListWithin(p, f, from, 1)
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0].UUID, nil
}
