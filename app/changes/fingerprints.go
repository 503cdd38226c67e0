package changes

import (
	"context"
	"errors"

	"birthregistry/app/birth"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// refingerprinted is how many records get new fingerprints in one transaction.
const refingerprinted = 100

// RenewFingerprints computes the fingerprints of an earlier form (birth.Fingerprints)
// anew, as after an upgrade, and reports its progress. The installation does not open
// before it is done, so that no birth is compared with a fingerprint of another form.
// Each transaction keeps its progress: after an interruption it resumes there.
//
// A pair that a person marked as no duplicate stays marked. Pairs that only now share a
// fingerprint wait for a review.
func (w *Writer) RenewFingerprints(ctx context.Context, progress func(done, total int)) error {
	total, err := store.Read(ctx, w.db, (*store.View).CountUnfingerprinted)
	if err != nil || total == 0 {
		return err
	}
	done, after := 0, int64(0)
	for progress(done, total); ; progress(done, total) {
		n, last, err := w.renewSome(ctx, after)
		if err != nil || n == 0 {
			return err
		}
		done, after = done+n, last
	}
}

// renewSome renews the fingerprints of the next records after an id.
func (w *Writer) renewSome(ctx context.Context, after int64) (n int, last int64, err error) {
	some, err := store.Read(ctx, w.db, func(v *store.View) ([]store.Unfingerprinted, error) { return v.Unfingerprinted(after, refingerprinted) })
	if err != nil || len(some) == 0 {
		return 0, after, err
	}
	anew := make([][]birth.Fingerprint, len(some))
	unreadable := make([]bool, len(some))
	for i, u := range some {
		anew[i], err = w.fingerprintsOf(u)
		if unreadable[i] = errors.Is(err, seal.ErrSealed); err != nil && !unreadable[i] {
			return 0, after, err
		}
	}
	err = w.db.Update(func(tx *store.Tx) error {
		for i, u := range some {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			if unreadable[i] { // check reports it; a record that nobody can read is compared with nothing
				err = tx.KeepFingerprints(u.Practice, u.Record)
			} else {
				err = tx.Refingerprint(u.Practice, u.Record, u.Version, anew[i])
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return len(some), some[len(some)-1].Record, err
}

func (w *Writer) fingerprintsOf(u store.Unfingerprinted) ([]birth.Fingerprint, error) {
	course, err := w.restored(u.Practice, u.UUID, u.Content)
	if err != nil {
		return nil, err
	}
	return w.fingerprints(u.Practice)(course), nil
}
