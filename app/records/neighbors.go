package records

import (
	"context"

	"birthregistry/store"
)

// Neighbors are what is around a record in a list: the IDs of the records before and after
// it, or "" at the list's ends and where the next one is too far away to search for; its
// place, counted from 1, and how many records the list has, or 0 where that isn't known (see
// store.PlaceWithin).
type Neighbors struct {
	Newer, Older string
	Place, All   int
}

// mostPlaced limits the lists in which a record has a place. A longer one would have to be
// counted up to the record on each page.
const mostPlaced = 250

// Neighbors returns what is around a record in a list. The record itself need not be in the
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

// next returns the ID of the first record from a position on.
func next(v *store.View, p store.PracticeID, f store.Filter, from store.From) (string, error) {
	found, _, err := v.ListWithin(p, f, from, 1)
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0].UUID, nil
}
