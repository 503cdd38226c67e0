package records

import (
	"context"

	"birthregistry/store"
)

// Neighbors describes where a record is in a list. Newer and Older are the IDs of the records
// before and after the record; an ID is "" at the end of the list, or if the next record is too far
// away to search for. Place is the record's place, counted from 1, and All is the number of records
// in the list. Place and All are 0 if they aren't known (store.View.PlaceWithin).
type Neighbors struct {
	Newer, Older string
	Place, All   int
}

// mostPlaced is the greatest length of a list in which Neighbors states a record's place. In a
// longer list, each page would have to count many records to find the place.
const mostPlaced = 250

// Neighbors returns where a record is in a list. The record itself doesn't have to be in the
// list.
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

// next returns the ID of the first record after a position, or "".
func next(v *store.View, p store.PracticeID, f store.Filter, from store.From) (string, error) {
	found, _, err := v.ListWithin(p, f, from, 1)
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0].UUID, nil
}
