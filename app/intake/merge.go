package intake

import (
	"errors"
	"maps"
	"strings"
	"time"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/mapping"
	"birthregistry/store"
)

// Merge merges the record that goes into the one that stays. take names the
// parts that are taken from the one that goes (birth.Parts, and birth.CustomPart with the
// key of an own field); all else is as the one that stays says it. Both get a
// version, so that both histories tell of it.
//
// It returns *ImpossibleError where the two together would say what cannot be,
// unless one of them says so by itself. A merge never conflicts with a third
// record: that pair comes up for review in its turn.
func (s *Service) Merge(who auth.User, of Pairing, reason string, take map[string]bool) (review int64, err error) {
	return s.reviewing(who, of, store.MergeOne, func(two *pair, id int64) error {
		stays, err := s.baseVersion(two.view, two.practice, two.stays.Record, two.stays.Version)
		if err != nil {
			return err
		}
		goes, err := s.baseVersion(two.view, two.practice, two.goes.Record, two.goes.Version)
		if err != nil {
			return err
		}
		two.goes.MergedInto = two.stays.ID
		if err := two.leave(birth.Merged, id, reason); err != nil {
			return err
		}
		merged := birth.Combine(stays.Draft, goes.Draft, take)
		if err := impossible(merged, stays.Draft, goes.Draft); err != nil {
			return err
		}
		sub := s.prepare(two.practice, birth.Manual, mapping.Item{Draft: &merged, Custom: combineOwn(stays.Custom, goes.Custom, take)}, 0)
		if sub.problem != nil {
			return sub.problem
		}
		var identities [][]byte
		for _, named := range sub.providers {
			identities = append(identities, named.row.Identity)
		}
		if err := two.lookAtPeople(identities); err != nil {
			return err
		}
		sub.note = birth.Plain(reason)
		if err := two.receive(&sub, id, stays); err != nil {
			return err
		}
		return two.write()
	})
}

// receive gives the record that stays its merged content, or a version that only
// says so where that is what it says already.
func (two *pair) receive(sub *submission, review int64, on BaseVersion) error {
	e := two.stays
	e.Version++
	e.Replaced = 0 // a person has looked at it
	if sub.says(on) {
		return two.step(e, "amend", review, &submission{note: sub.note})
	}
	d := birth.Decision{Action: birth.Amend, Version: e.Version, State: birth.Active, Suspected: two.match(e, sub).Any}
	version := store.Version{Change: d.Action.String(), Review: review}
	if err := two.enter(e, sub, d, &version); err != nil {
		return err
	}
	return two.enterStep(e, version, sub)
}

// impossible finds what a merge would make wrong.
func impossible(merged birth.Draft, before ...birth.Draft) error {
	known := map[string]bool{}
	now := time.Now()
	for _, d := range before {
		for _, f := range birth.Check(d, now) {
			known[f.ID()] = true
		}
	}
	var found []birth.Finding
	for _, f := range birth.Check(birth.Mask(merged).Draft(), now) {
		if f.Blocks && !known[f.ID()] {
			found = append(found, f)
		}
	}
	if len(found) > 0 {
		return &ImpossibleError{found}
	}
	return nil
}

// combineOwn is birth.Combine for the practice's own fields; nil leaves them.
func combineOwn(stays, goes map[string]string, take map[string]bool) map[string]string {
	own, changed := maps.Clone(stays), false
	for key, taken := range take {
		name, is := strings.CutPrefix(key, birth.CustomPart)
		if !taken || !is || stays[name] == goes[name] {
			continue
		}
		own[name], changed = goes[name], true
	}
	if !changed {
		return nil
	}
	return own
}

// Undone says what an undoing left.
type Undone struct {
	Review      store.Review
	Stays, Goes Saved
	// Kept says that the record that stays has been changed since the merge, and
	// so keeps what it says now.
	Kept bool
}

// Undo takes a decision back: the pair waits for a review again. What was voided
// or merged away counts again, as it is now. The record that stays gets back what
// it said before the merge, unless it has been changed since. It returns
// ErrState for a decision that was undone already, and ErrChanged when the record
// that goes has been restored, voided or revived since.
func (s *Service) Undo(who auth.User, review int64) (out Undone, err error) {
	if err := who.Must(auth.DuplicateResolve); err != nil {
		return out, err
	}
	if err := s.vault.Ready(); err != nil {
		return out, err
	}
	err = s.db.Update(func(tx *store.Tx) error {
		w, err := tx.Review(who.Practice.ID, review)
		if err != nil {
			return err
		}
		if w.UndoneAt != nil {
			return ErrState
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
			err = two.unkeep()
		case store.VoidOne:
			err = two.unvoid(w)
		case store.MergeOne:
			out.Kept, err = s.unmerge(two, w)
		}
		if err != nil {
			return err
		}
		if err := tx.UndoReview(who.Practice.ID, w.ID, who.ID); err != nil {
			return err
		}
		out.Stays, out.Goes = savedOf(two.stays.Record), savedOf(two.goes.Record)
		return s.noteBoth(two, "duplicate.undo")
	})
	return out, err
}

// LeaveMerged says that it is right so: the record that stays of a merge counts no
// longer, and so neither of the two does. It returns ErrState for a merge that
// waits for nobody.
func (s *Service) LeaveMerged(who auth.User, review int64) error {
	if err := who.Must(auth.DuplicateResolve); err != nil {
		return err
	}
	return s.db.Update(func(tx *store.Tx) error {
		w, err := tx.Review(who.Practice.ID, review)
		if err != nil {
			return err
		}
		err = tx.CloseMerge(who.Practice.ID, review)
		if errors.Is(err, store.ErrNotFound) {
			return ErrState
		}
		if err != nil {
			return err
		}
		both, err := tx.RecordsByID(who.Practice.ID, []int64{w.Stays, w.Goes})
		for _, r := range both {
			err = errors.Join(err, s.auth.Note(tx, who, "duplicate.leave", r.UUID))
		}
		return err
	})
}

func (two *pair) unkeep() error {
	if err := two.tx.UnkeepPair(two.practice, two.stays.ID, two.goes.ID); err != nil {
		return err
	}
	if two.stays.State != birth.Active || two.goes.State != birth.Active || !two.alike() {
		return nil
	}
	return two.tx.Suspect(two.practice, max(two.stays.ID, two.goes.ID))
}

func (two *pair) unvoid(w store.Review) error {
	if two.goes.State != birth.Voided || two.goes.Version != w.GoesVersion {
		return ErrChanged
	}
	if err := two.comeBack(w.ID); err != nil {
		return err
	}
	return two.write()
}

// comeBack brings the record that went back among the active ones, as it is.
func (two *pair) comeBack(review int64) error {
	e := two.goes
	e.State, e.Version = birth.Active, e.Version+1
	e.Suspected = two.match(e, &submission{prints: e.prints}).Any
	two.setPrints(e, e.prints, birth.Active)
	return two.step(e, "revive", review, &submission{})
}

// unmerge undoes a merge. A record that was retracted while it was merged away
// stays voided.
func (s *Service) unmerge(two *pair, w store.Review) (kept bool, err error) {
	if two.goes.MergedInto != two.stays.ID {
		return false, ErrChanged
	}
	if kept = two.stays.Version != w.StaysVersion; !kept {
		if err := s.giveBackContent(two, w); err != nil {
			return false, err
		}
	}
	two.goes.MergedInto = 0
	if two.goes.State == birth.Voided {
		two.touch(two.goes)
	} else if err := two.comeBack(w.ID); err != nil {
		return false, err
	}
	return kept, two.write()
}

// giveBackContent lets the record that stays say again what it said before a merge.
func (s *Service) giveBackContent(two *pair, w store.Review) error {
	e := two.stays
	before, err := two.view.VersionOf(two.practice, e.ID, w.StaysVersion-1)
	if err != nil {
		return err
	}
	sub := &submission{}
	if sub.custom, err = s.ownBefore(two, w); err != nil {
		return err
	}
	e.Version++
	if before.Content == e.Content {
		return two.step(e, "amend", w.ID, sub)
	}
	if err := two.bringBack(e, before.Content, s.printsIn(two.practice)); err != nil {
		return err
	}
	return two.step(e, "amend", w.ID, sub)
}

// ownBefore is what the record that stays said in the practice's own fields
// before a merge that changed them; nil when it did not.
func (s *Service) ownBefore(two *pair, w store.Review) (map[string]string, error) {
	now, err := s.Custom(two.view, two.practice, two.stays.UUID, two.stays.ID, w.StaysVersion)
	if err != nil {
		return nil, err
	}
	before, err := s.Custom(two.view, two.practice, two.stays.UUID, two.stays.ID, w.StaysVersion-1)
	if err != nil || maps.Equal(now, before) {
		return nil, err
	}
	return before, nil
}
