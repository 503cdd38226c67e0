package changes

import (
	"context"
	"errors"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// renewedAtOnce is the number of records that one transaction of renew updates.
const renewedAtOnce = 100

// renew recomputes data that is derived from the content of records, such as fingerprints. It runs
// after an upgrade from an earlier version of this program, and calls progress as it proceeds. If
// it is interrupted, the next call continues with the records that are left.
//
// The function count returns how many records are left. The function next returns up to limit of
// these records, with IDs greater than after. The function derive computes the new data of one
// record, and returns a function that stores the data. readable is false for a record that can't be
// decrypted.
func (w *Writer) renew(
	ctx context.Context,
	progress func(done, total int),
	count func(*store.View) (int, error),
	next func(v *store.View, after int64, limit int) ([]store.Outdated, error),
	derive func(o store.Outdated, course birth.Course, readable bool) func(*store.Tx) error,
) error {
	total, err := store.Read(ctx, w.db, count)
	if err != nil || total == 0 {
		return err
	}
	done, after := 0, int64(0)
	for progress(done, total); ; progress(done, total) {
		some, err := store.Read(ctx, w.db, func(v *store.View) ([]store.Outdated, error) { return next(v, after, renewedAtOnce) })
		if err != nil || len(some) == 0 {
			return err
		}
		writes := make([]func(*store.Tx) error, len(some))
		for i, o := range some {
			course, err := w.restored(o.Practice, o.UUID, o.Content)
			if err != nil && !errors.Is(err, seal.ErrSealed) {
				return err
			}
			writes[i] = derive(o, course, err == nil)
		}
		err = w.db.Update(func(tx *store.Tx) error {
			for _, write := range writes {
				if err := errors.Join(ctx.Err(), write(tx)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		done, after = done+len(some), some[len(some)-1].Record
	}
}

// restored returns the content of one version of a record. It returns seal.ErrSealed if the content
// can't be decrypted or read.
func (w *Writer) restored(p store.PracticeID, uuid string, c store.Content) (birth.Course, error) {
	patient, err := w.vault.Open(records.PatientPlace(p, uuid, c.Version), c.Patient)
	if err != nil {
		return birth.Course{}, err
	}
	course, err := birth.Restore(c.Clinical, patient)
	if err != nil {
		return birth.Course{}, seal.ErrSealed // it can be decrypted, but isn't the content of a record
	}
	return course, nil
}
