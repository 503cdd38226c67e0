package changes

import (
	"slices"

	"birthregistry/app/birth"
)

// This file keeps track of possible duplicates among the records of a change set: which active
// records share a fingerprint, and which pairs a person has marked as not duplicates. A fingerprint
// is a keyed hash of the values that identify a birth.

// match compares a record's new fingerprints with those of other active records. Any is set if
// another record has one of them. Changed is set if the record itself didn't have the shared
// fingerprint before. If the record's fingerprints don't change, Any ignores records that a person
// marked as not its duplicates.
func (s *Set) match(t *Target, fingerprints []birth.Fingerprint) birth.Match {
	var m birth.Match
	same, other := sameFingerprints(t.fingerprints, fingerprints), s.notDuplicates[t.ID]
	for _, f := range fingerprints {
		live := s.live[f]
		if !live.any(func(id int64) bool { return id != t.ID }) {
			continue
		}
		m.Any = m.Any || !same || live.any(func(id int64) bool { return id != t.ID && !other[id] })
		m.Changed = m.Changed || !slices.Contains(t.fingerprints, f)
	}
	return m
}

// SharesFingerprint reports whether two records have a fingerprint in common, so that they may be
// the same birth.
func (t *Target) SharesFingerprint(other *Target) bool {
	return slices.ContainsFunc(t.fingerprints, func(f birth.Fingerprint) bool { return slices.Contains(other.fingerprints, f) })
}

// setFingerprints gives a record its new fingerprints. It also updates s.live, which maps each
// fingerprint to the active records that have it: the record is removed from the entries of its
// former fingerprints and, if it is active, added to the entries of the new ones.
func (s *Set) setFingerprints(t *Target, fingerprints []birth.Fingerprint, state birth.State) {
	for _, f := range t.fingerprints {
		live := s.live[f]
		live.drop(t.ID)
		s.live[f] = live
		if !slices.Contains(fingerprints, f) || state != birth.Active {
			s.left(f, live)
		}
	}
	if !t.fresh && !sameFingerprints(t.fingerprints, fingerprints) {
		s.lapse(t.ID)
	}
	t.fingerprints = fingerprints
	if state != birth.Active {
		return
	}
	for _, f := range fingerprints {
		live := s.live[f]
		live.add(t.ID)
		s.live[f] = live
	}
}

// left is called when a record has lost the fingerprint f, or is no longer active. remain holds the
// other active records with f. If only one remains, it may no longer look like any other record, so
// left adds it to s.alone. If several remain, they still look alike, unless a person marked them as
// not duplicates. left then adds f to s.crowded, and liftSuspicion finds the marked records later.
func (s *Set) left(f birth.Fingerprint, remain candidates) {
	switch {
	case remain.more || remain.size() > 1:
		s.crowded = append(s.crowded, f)
	case remain.size() == 1:
		s.alone = append(s.alone, remain.one)
	}
}

// lapse removes the marks on all pairs with this record that a person marked as not duplicates. The
// record's fingerprints have changed, so it now describes a different birth.
func (s *Set) lapse(id int64) {
	s.lapsed = append(s.lapsed, id)
	for other := range s.notDuplicates[id] {
		delete(s.notDuplicates[other], id)
	}
	delete(s.notDuplicates, id)
}

// mayLiftSuspicion reports whether writing the set may clear the flag that marks a record as a
// possible duplicate. If so, the next batch must read the flags from the database again. That is
// rare: it happens only if one of several similar births is voided or changed.
func (s *Set) mayLiftSuspicion() bool { return len(s.alone)+len(s.crowded) > 0 }

// liftSuspicion clears the flag of every record that no longer looks like another record.
func (s *Set) liftSuspicion() error {
	alone := s.alone
	if len(s.crowded) > 0 {
		marked, err := s.tx.NotDuplicatesUnder(s.practice, unique(s.crowded))
		if err != nil {
			return err
		}
		alone = append(alone, marked...)
	}
	if len(alone) == 0 {
		return nil
	}
	return s.tx.Unsuspect(s.practice, unique(alone))
}

// sameFingerprints reports whether two sets of fingerprints are the same.
func sameFingerprints(a, b []birth.Fingerprint) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(f birth.Fingerprint) bool { return !slices.Contains(b, f) })
}
