package records

import (
	"context"

	"birthregistry/store"
)

// Neighbors describes the position of a record in a list. Newer and Older are the IDs of the
// records before and after it. Each is "" if there is no such record, or if that record is too far
// away to be found. Place is the record's position, counted from 1, and All is the length of the
// list. Both are 0 if they aren't known (store.View.PlaceWithin).
type Neighbors struct {
	Newer, Older string
	Place, All   int
}

// mostPlaced is the length up to which Neighbors finds a record's position in a list. In a longer
// list, too many records would have to be counted for each page.
const mostPlaced = 250

// Neighbors returns the position of a record in a list. It also works for a record that the filter
// doesn't select.
func (r *Records) Neighbors(ctx context.Context, p store.PracticeID, f store.Filter, rec Record) (near Neighbors, err error) {
	err = r.db.View(ctx, func(v *store.View) error {
		from := store.Behind(rec.head)
		if near.Older, err = next(v, p, f, from); err != nil {
			return err
		}
		from.Back = true
		if near.Newer, err = next(v, p, f, from); err != nil {
			return err
		}
		near.Place, near.All, err = v.PlaceWithin(p, f, rec.head, mostPlaced)
		return err
	})
	return near, err
}

// next returns the ID of the first record after a position in a list, or "" if there is none.
func next(v *store.View, p store.PracticeID, f store.Filter, from store.From) (string, error) {
	found, _, err := v.ListWithin(p, f, from, 1)
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0].UUID, nil
}
