// Package review lets people decide which records describe the same birth (duplicates), and which
// entries are the same provider (spec, "Record lifecycle": "Resolution is a manual review step";
// "Practitioner rules" 6; decision 26).
//
// Two active records that look like one birth wait for a review:
//
//	MarkNotDuplicates  the records are two births, until a fingerprint of either changes
//	VoidOne            one record should not exist; it is voided
//	Merge              one record is merged into the other. The merged record keeps its history
//	                   and its chart number, and leaves the statistics. Later submissions with
//	                   that number amend the merged record, not the other one.
//
// Undo reverts a decision. Only package changes writes records. This package never decides anything
// without a person.
package review

import (
	"errors"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Service reviews duplicates and merges providers.
type Service struct {
	vault   *seal.Vault
	auth    *auth.Service
	changes *changes.Writer
}

// New makes a Service.
func New(vault *seal.Vault, users *auth.Service, writer *changes.Writer) *Service {
	return &Service{vault, users, writer}
}

// Pair identifies the two records of a review, and the versions that the user saw.
type Pair struct {
	// Stays and Goes are record IDs. If the pair is marked as not duplicates, it makes no
	// difference which is which.
	Stays, Goes               string
	StaysVersion, GoesVersion int
}

// ErrNotDuplicates means that two records don't look like one birth, so there is nothing to review.
// If a record has changed since the user saw it, the error is changes.ErrChanged or
// changes.ErrState instead.
var ErrNotDuplicates = errors.New("review: the two records do not look like one birth")

// ImpossibleError means that a merged record would contradict itself. The text of the error
// contains no values.
type ImpossibleError struct{ Findings []birth.CheckFinding }

func (e *ImpossibleError) Error() string { return "review: the merged record would contradict itself" }

// pair is a pair of records under review.
type pair struct {
	*changes.Set
	tx          *store.Tx
	practice    store.PracticeID
	who         auth.User
	stays, goes *changes.Target
}

// reviewing opens the two records, checks that they still wait for a review, and calls decide to
// change them. It returns an error if either record's version isn't the one that the user saw. It
// stores the decision, returns the decision's ID, and adds an entry to the audit trail for each of
// the two records.
func (s *Service) reviewing(who auth.User, of Pair, decision string, decide func(*pair, int64) error) (id int64, err error) {
	if err := who.Must(auth.DuplicateResolve); err != nil {
		return 0, err
	}
	if err := s.vault.Ready(); err != nil {
		return 0, err
	}
	err = s.auth.Act(who, func(tx *store.Tx) error {
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
		return nil, ErrNotDuplicates
	}
	set, err := s.changes.Open(tx, who.Practice.ID, stays, goes)
	if err != nil {
		return nil, err
	}
	return &pair{set, tx, who.Practice.ID, who, set.Target(stays), set.Target(goes)}, nil
}

func (s *Service) noteBoth(two *pair, action string) error {
	return errors.Join(s.auth.Note(two.tx, two.who, action, two.stays.UUID), s.auth.Note(two.tx, two.who, action, two.goes.UUID))
}

// waits returns an error unless the two records still wait for a review, and have the versions that
// the user saw.
func (two *pair) waits(of Pair) error {
	switch {
	case two.stays.State != birth.Active || two.goes.State != birth.Active:
		return changes.ErrState
	case two.stays.Version != of.StaysVersion || two.goes.Version != of.GoesVersion:
		return changes.ErrChanged
	case !two.stays.SharesFingerprint(two.goes):
		return ErrNotDuplicates
	}
	return nil
}

// by returns the reviewer, the ID of the decision and the reason, in the form that package changes
// needs.
func (two *pair) by(review int64, reason string) changes.By {
	return changes.By{User: two.who.ID, Review: review, Note: birth.Plain(reason)}
}

// MarkNotDuplicates records that the two records are two births. The pair isn't flagged again
// unless a fingerprint of either record changes.
func (s *Service) MarkNotDuplicates(who auth.User, of Pair) (review int64, err error) {
	return s.reviewing(who, of, store.KeepBoth, func(two *pair, id int64) error {
		if err := two.tx.MarkNotDuplicates(two.practice, two.stays.ID, two.goes.ID, id); err != nil {
			return err
		}
		return two.tx.Unsuspect(two.practice, []int64{two.stays.ID, two.goes.ID})
	})
}

// VoidOne voids the record Goes, for the given reason. The record Stays doesn't change.
func (s *Service) VoidOne(who auth.User, of Pair, reason string) (review int64, err error) {
	return s.reviewing(who, of, store.VoidOne, func(two *pair, id int64) error {
		if err := two.Leave(two.goes, birth.Voided, two.by(id, reason)); err != nil {
			return err
		}
		return two.Write()
	})
}
