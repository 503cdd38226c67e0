package changes

import (
	"context"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
)

// writeNames writes the codes of the mothers' names for the records that were changed, unless the
// codes are already on file. The search finds records by these codes. It also finds voided and
// merged records, so their codes are written, too.
func (s *Set) writeNames() error {
	var names []store.RecordNames
	var before []int64
	for _, t := range s.touched {
		if t.renamed {
			names = append(names, store.RecordNames{Record: t.ID, All: t.names, Fresh: t.fresh})
			if !t.fresh {
				before = append(before, t.ID)
			}
		}
	}
	if len(before) > 0 {
		filed, err := s.view.NamesOf(s.practice, before)
		if err != nil {
			return err
		}
		names = slices.DeleteFunc(names, func(n store.RecordNames) bool {
			return !n.Fresh && slices.Equal(filed[n.Record], n.All)
		})
	}
	return s.tx.SetNames(s.practice, names...)
}

// IndexNames computes the codes of the mothers' names for records that have none yet. The search
// finds records by these codes. IndexNames runs after an upgrade, and calls progress as it
// proceeds.
func (w *Writer) IndexNames(ctx context.Context, progress func(done, total int)) error {
	return w.renew(ctx, progress, (*store.View).CountUnnamed, (*store.View).Unnamed,
		func(o store.Outdated, course birth.Course, readable bool) func(*store.Tx) error {
			var names []birth.NameWord // stays empty for a record that nobody can read; the command check reports it
			if readable {
				names = course.NameWords(w.nameKey, int64(o.Practice))
			}
			return func(tx *store.Tx) error { return tx.IndexNames(o.Practice, o.Record, o.Version, names) }
		})
}

// CheckVersion checks that a version of a record can be decrypted, and returns seal.ErrSealed if it
// can't. If the version holds its record's present content, named reports whether the search index
// holds the mother's name from that content, and no other name. For any other version, named is
// true.
func (w *Writer) CheckVersion(s store.SealedVersion) (named bool, err error) {
	patient, err := w.vault.Open(records.PatientPlace(s.Practice, s.UUID, s.Version), s.Patient)
	if err != nil || !s.Present {
		return err == nil, err
	}
	course, err := birth.Restore(s.Clinical, patient)
	if err != nil { // the check of signatures reports this error
		return true, nil
	}
	return slices.Equal(course.NameWords(w.nameKey, int64(s.Practice)), s.Names), nil
}
