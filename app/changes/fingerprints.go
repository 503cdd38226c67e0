package changes

import (
	"context"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// RenewFingerprints recomputes fingerprints that an earlier version of the program computed in
// another way. It runs after an upgrade, and calls progress as it proceeds. Until it is done, the
// installation stays closed, so that only fingerprints of the same kind are compared.
//
// Pairs that a person marked as not duplicates stay marked. Pairs that didn't share a fingerprint
// before, but do now, wait for a review.
func (w *Writer) RenewFingerprints(ctx context.Context, progress func(done, total int)) error {
	return w.renew(ctx, progress, (*store.View).CountUnfingerprinted, (*store.View).Unfingerprinted,
		func(o store.Outdated, course birth.Course, readable bool) func(*store.Tx) error {
			if !readable { // the command check reports the record; a record that nobody can read isn't compared with others
				return func(tx *store.Tx) error { return tx.KeepFingerprints(o.Practice, o.Record) }
			}
			all := course.Fingerprints(w.fingerprintKey, int64(o.Practice))
			return func(tx *store.Tx) error { return tx.Refingerprint(o.Practice, o.Record, o.Version, all) }
		})
}
