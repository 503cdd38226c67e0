package changes

import (
	"context"
	"errors"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// writeNames writes the words by which the records are found, where they differ from
// those on file. They follow the content, not the state: voided and merged records are
// found as well.
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

// namedAtOnce is how many records one transaction indexes.
const namedAtOnce = 100

// IndexNames computes the words by which the records of an earlier version of this
// program are found, and reports its progress. Each transaction keeps its progress: after
// an interruption it resumes there.
func (w *Writer) IndexNames(ctx context.Context, progress func(done, total int)) error {
	total := 0
	err := w.db.View(ctx, func(v *store.View) (err error) {
		total, err = v.CountUnnamed()
		return err
	})
	if err != nil || total == 0 {
		return err
	}
	for done := 0; ; {
		progress(done, total)
		n, err := w.indexSome(ctx)
		if err != nil || n == 0 {
			return err
		}
		done += n
	}
}

// indexSome indexes the next records.
func (w *Writer) indexSome(ctx context.Context) (int, error) {
	var some []store.Unnamed
	err := w.db.View(ctx, func(v *store.View) (err error) {
		some, err = v.Unnamed(namedAtOnce)
		return err
	})
	if err != nil || len(some) == 0 {
		return 0, err
	}
	names := make([][]birth.NameWord, len(some))
	for i, u := range some {
		// Nobody finds a record that nobody can read; check reports it.
		if names[i], err = w.namesOf(u); err != nil && !errors.Is(err, seal.ErrSealed) {
			return 0, err
		}
	}
	return len(some), w.db.Update(func(tx *store.Tx) error {
		for i, u := range some {
			if err := errors.Join(ctx.Err(), tx.IndexNames(u.Practice, u.Record, u.Version, names[i])); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *Writer) namesOf(u store.Unnamed) ([]birth.NameWord, error) {
	course, err := w.restored(u.Practice, u.UUID, u.Content)
	if err != nil {
		return nil, err
	}
	return course.NameWords(w.nameKey, int64(u.Practice)), nil
}

// restored opens a content of a record.
func (w *Writer) restored(p store.PracticeID, uuid string, c store.Content) (birth.Course, error) {
	patient, err := w.vault.Open(records.PatientPlace(p, uuid, c.Version), c.Patient)
	if err != nil {
		return birth.Course{}, err
	}
	course, err := birth.Restore(c.Clinical, patient)
	if err != nil {
		return birth.Course{}, seal.ErrSealed // it opens, but is not the content of a record
	}
	return course, nil
}

// CheckVersion opens a version, and reports whether the index finds its record by the
// name that its present content states, and by no other. It returns seal.ErrSealed for a
// version that does not open.
func (w *Writer) CheckVersion(s store.SealedVersion) (named bool, err error) {
	patient, err := w.vault.Open(records.PatientPlace(s.Practice, s.UUID, s.Version), s.Patient)
	if err != nil || !s.Present {
		return err == nil, err
	}
	course, err := birth.Restore(s.Clinical, patient)
	if err != nil { // the check of signatures reports it
		return true, nil
	}
	return slices.Equal(course.NameWords(w.nameKey, int64(s.Practice)), s.Names), nil
}
