package review

import (
	"errors"
	"maps"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/store"
)

// Undone describes the two records after a decision was undone.
type Undone struct {
	Review      store.Review
	Stays, Goes changes.Saved
	// ChangedSince is set if the record that stays has changed since the merge. It then keeps its
	// present content.
	ChangedSince bool
}

// Undo undoes a decision. If the two records still look like one birth, they wait for a review
// again. A voided or merged record becomes active again, with its present content, unless it was
// retracted after the merge. The record that stays gets back its content from before the merge,
// unless it has changed since then. Undo returns changes.ErrState if the decision was already
// undone. It returns changes.ErrChanged if the voided record has changed since then, or if the
// merged record is no longer merged into the record that stays.
func (s *Service) Undo(who auth.User, review int64) (out Undone, err error) {
	if err := who.Must(auth.DuplicateResolve); err != nil {
		return out, err
	}
	if err := s.vault.Ready(); err != nil {
		return out, err
	}
	err = s.auth.Act(who, func(tx *store.Tx) error {
		w, err := tx.Review(who.Practice.ID, review)
		if err != nil {
			return err
		}
		if w.UndoneAt != nil {
			return changes.ErrState
		}
		ids, err := tx.RecordsByID(who.Practice.ID, []int64{w.Stays, w.Goes})
		if err != nil {
			return err
		}
		uuid := map[int64]string{}
		for _, r := range ids {
			uuid[r.ID] = r.UUID
		}
		two, err := s.open(tx, who, uuid[w.Stays], uuid[w.Goes])
		if err != nil {
			return err
		}
		out = Undone{Review: w}
		switch w.Decision {
		case store.KeepBoth:
			err = two.reopen()
		case store.VoidOne:
			err = two.unvoid(w)
		case store.MergeOne:
			out.ChangedSince, err = s.unmerge(two, w)
		}
		if err != nil {
			return err
		}
		if err := tx.UndoReview(who.Practice.ID, w.ID, who.ID); err != nil {
			return err
		}
		out.Stays, out.Goes = changes.SavedAs(two.stays.Record), changes.SavedAs(two.goes.Record)
		return s.noteBoth(two, "duplicate.undo")
	})
	return out, err
}

// LeaveMerged confirms a merge whose records are both inactive, because the record that stays was
// voided or merged later. It returns changes.ErrState if the merge isn't waiting for a review.
func (s *Service) LeaveMerged(who auth.User, review int64) error {
	return s.auth.ActIf(who, auth.DuplicateResolve, func(tx *store.Tx) error {
		w, err := tx.Review(who.Practice.ID, review)
		if err != nil {
			return err
		}
		if err := store.Translate(tx.CloseMerge(who.Practice.ID, review), store.ErrNotFound, changes.ErrState); err != nil {
			return err
		}
		both, err := tx.RecordsByID(who.Practice.ID, []int64{w.Stays, w.Goes})
		for _, r := range both {
			err = errors.Join(err, s.auth.Note(tx, who, "duplicate.leave", r.UUID))
		}
		return err
	})
}

func (two *pair) reopen() error {
	if err := two.tx.UnmarkNotDuplicatePair(two.practice, two.stays.ID, two.goes.ID); err != nil {
		return err
	}
	if two.stays.State != birth.Active || two.goes.State != birth.Active || !two.stays.SharesFingerprint(two.goes) {
		return nil
	}
	return two.tx.Suspect(two.practice, max(two.stays.ID, two.goes.ID))
}

func (two *pair) unvoid(w store.Review) error {
	if two.goes.State != birth.Voided || two.goes.Version != w.GoesVersion {
		return changes.ErrChanged
	}
	if err := two.ComeBack(two.goes, two.by(w.ID, "")); err != nil {
		return err
	}
	return two.Write()
}

// unmerge undoes a merge. If the merged record was retracted after the merge, it stays voided.
// changedSince is Undone.ChangedSince.
func (s *Service) unmerge(two *pair, w store.Review) (changedSince bool, err error) {
	if two.goes.MergedInto != two.stays.ID {
		return false, changes.ErrChanged
	}
	if changedSince = two.stays.Version != w.StaysVersion; !changedSince { // gets the content from before the merge
		custom, err := s.customBefore(two, w)
		if err != nil {
			return false, err
		}
		if err := s.changes.GiveBack(two.Set, two.stays, w.StaysVersion-1, custom, two.by(w.ID, "")); err != nil {
			return false, err
		}
	}
	two.goes.MergedInto = 0
	if two.goes.State == birth.Voided {
		two.Touch(two.goes)
	} else if err := two.ComeBack(two.goes, two.by(w.ID, "")); err != nil {
		return false, err
	}
	return changedSince, two.Write()
}

// customBefore returns the custom fields that the record that stays had before a merge. It returns
// nil if the merge didn't change them.
func (s *Service) customBefore(two *pair, w store.Review) (map[string]string, error) {
	now, err := s.changes.Custom(&two.tx.View, two.practice, two.stays.UUID, two.stays.ID, w.StaysVersion)
	if err != nil {
		return nil, err
	}
	before, err := s.changes.Custom(&two.tx.View, two.practice, two.stays.UUID, two.stays.ID, w.StaysVersion-1)
	if err != nil || maps.Equal(now, before) {
		return nil, err
	}
	return before, nil
}
