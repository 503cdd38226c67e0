package intake

import (
	"errors"
	"slices"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/store"
)

// Duplicate review: what a person decides about two active records that look
// like one birth (spec, "Record lifecycle": "Resolution is a manual review step";
// decision 26). Records are changed by the board here as well, which is the one
// thing that writes them.
//
//	keep    the two are two births; remembered until a fingerprint of either changes
//	void    one of them should not be; it is voided
//	merge   one goes into the other: it keeps its history and its chart number,
//	        leaves the figures, and whatever is sent to that number later amends it there
//
// Each can be undone, whenever.

// Pairing names the two records of a review and the versions that were looked at.
type Pairing struct {
	// Stays and Goes are record ids. Of a pair that is kept the order makes no
	// difference.
	Stays, Goes           string
	StaysBasis, GoesBasis int
}

// What a review can be refused for, besides ErrChanged and ErrState.
var ErrNotAlike = errors.New("intake: the two records do not look like one birth")

// ImpossibleError says that a merge would make a record say what cannot be, in
// words that name no value.
type ImpossibleError struct{ Findings []birth.Finding }

func (e *ImpossibleError) Error() string { return "intake: the merged record would say what cannot be" }

// pair is a review under way.
type pair struct {
	*board
	who         auth.User
	stays, goes *entry
}

// reviewing opens the two records, sees to it that they still wait for a review
// as they were looked at, and has decide write what becomes of them. The decision
// goes into the log of reviews, and into the audit trail for both records.
func (s *Service) reviewing(who auth.User, of Pairing, decision string, decide func(*pair, int64) error) (id int64, err error) {
	if err := who.Must(auth.DuplicateResolve); err != nil {
		return 0, err
	}
	if err := s.vault.Ready(); err != nil {
		return 0, err
	}
	err = s.db.Update(func(tx *store.Tx) error {
		two, err := s.open(tx, who, of.Stays, of.Goes)
		if err != nil {
			return err
		}
		if err := two.waits(of); err != nil {
			return err
		}
		w := store.Review{Decision: decision, Stays: two.stays.ID, Goes: two.goes.ID, User: who.ID}
		w.StaysVersion, w.GoesVersion = two.stays.Version, two.goes.Version
		switch decision {
		case store.MergeOne:
			w.StaysVersion, w.GoesVersion = w.StaysVersion+1, w.GoesVersion+1
		case store.VoidOne:
			w.GoesVersion++
		}
		if id, err = tx.AddReview(who.Practice.ID, w); err != nil {
			return err
		}
		if err := decide(two, id); err != nil {
			return err
		}
		return s.noteBoth(two, "duplicate."+decision)
	})
	return id, err
}

func (s *Service) open(tx *store.Tx, who auth.User, stays, goes string) (*pair, error) {
	if stays == goes {
		return nil, ErrNotAlike
	}
	b, err := s.newBoard(tx, who.Practice.ID, []submission{{record: stays}, {record: goes}})
	if err != nil {
		return nil, err
	}
	return &pair{board: b, who: who, stays: b.byUUID[stays], goes: b.byUUID[goes]}, nil
}

func (s *Service) noteBoth(two *pair, action string) error {
	return errors.Join(s.auth.Note(two.tx, two.who, action, two.stays.UUID), s.auth.Note(two.tx, two.who, action, two.goes.UUID))
}

// waits reports whether the two still wait for a review, as they were looked at.
func (two *pair) waits(of Pairing) error {
	switch {
	case two.stays.State != birth.Active || two.goes.State != birth.Active:
		return ErrState
	case two.stays.Version != of.StaysBasis || two.goes.Version != of.GoesBasis:
		return ErrChanged
	case !two.alike():
		return ErrNotAlike
	}
	return nil
}

// alike reports whether the two share a fingerprint.
func (two *pair) alike() bool {
	return slices.ContainsFunc(two.stays.prints, func(p birth.Fingerprint) bool { return slices.Contains(two.goes.prints, p) })
}

// KeepBoth says that two records are two births. The pair is not flagged again
// unless a fingerprint of either changes.
func (s *Service) KeepBoth(who auth.User, of Pairing) (review int64, err error) {
	return s.reviewing(who, of, store.KeepBoth, func(two *pair, id int64) error {
		if err := two.tx.Keep(two.practice, two.stays.ID, two.goes.ID, id); err != nil {
			return err
		}
		return two.tx.Unsuspect(two.practice, []int64{two.stays.ID, two.goes.ID})
	})
}

// VoidOne voids the record that goes, with a reason; the other one stays as it is.
func (s *Service) VoidOne(who auth.User, of Pairing, reason string) (review int64, err error) {
	return s.reviewing(who, of, store.VoidOne, func(two *pair, id int64) error {
		if err := two.leave(birth.Voided, id, reason); err != nil {
			return err
		}
		return two.write()
	})
}

// leave takes the record that goes out of the figures.
func (two *pair) leave(state birth.State, review int64, reason string) error {
	e := two.goes
	if e.State, e.Version = state, e.Version+1; state == birth.Voided {
		e.Replaced = 0 // a person has looked at it
	}
	two.setPrints(e, e.prints, state)
	return two.step(e, "void", review, &submission{note: birth.Plain(reason)})
}

// step enters a version that a review made without new content.
func (two *pair) step(e *entry, change string, review int64, sub *submission) error {
	return two.enterStep(e, store.Version{Change: change, Review: review}, sub)
}

func (two *pair) enterStep(e *entry, v store.Version, sub *submission) error {
	v.Record, v.Version, v.Content, v.Source, v.User = e.ID, e.Version, e.Content, birth.Manual, two.who.ID
	if v.Change != "void" || e.State != birth.Merged { // what is sent to one that was merged away amends it there (decision 26)
		v.Stamp = e.stamped(two.tx.Now, birth.Stamp{})
	}
	if err := two.annotate(e, sub, &v); err != nil {
		return err
	}
	two.versions = append(two.versions, v)
	two.touch(e)
	return nil
}
