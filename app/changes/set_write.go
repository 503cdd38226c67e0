package changes

import (
	"cmp"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/store"
)

// decideAll decides the changes of a batch in order, and applies each decision to the set.
func (s *Set) decideAll(batch Batch) ([]Result, error) {
	results := make([]Result, len(batch.Changes))
	for i := range batch.Changes {
		c := &batch.Changes[i]
		results[i] = Result{Change: c, Problem: c.Problem}
		if c.Problem == nil {
			if err := s.decide(&results[i], c, batch.Ingestion); err != nil {
				return nil, err
			}
		}
		s.note(results[i], batch.Ingestion)
	}
	return results, nil
}

// decide decides one change, and applies the decision to the set. It sets r to the result.
func (s *Set) decide(r *Result, c *Change, ingestion int64) error {
	t := s.find(c)
	r.UUID, r.target = t.UUID, t
	if tombstone := s.tombstone(t, c); tombstone != 0 {
		s.refuse(tombstone)
		r.Problem = fhir.Erased
		return nil
	}
	if c.unchanged && t.Version == c.baseVersion {
		r.Unchanged = true
		return nil
	}
	if c.restore {
		c.fingerprints = t.fingerprints
	}
	stamp, err := s.stampOf(c)
	if err != nil {
		return err
	}
	d := birth.Decide(t.current(), birth.Change{
		Retraction: c.retraction, Chart: cmp.Or(c.chart, c.record), Stamp: stamp, Person: c.byPerson(),
	}, s.match(t, c.fingerprints))
	r.Action, r.Version, r.Suspected = d.Action, d.Version, d.Suspected
	switch d.Action {
	case birth.Reject:
		r.Problem = problems[d.Reason]
		return nil
	case birth.NoOp:
		return nil
	case birth.Create:
		r.UUID = c.uuid
		if err := s.create(t, c); err != nil {
			return err
		}
	}
	return s.apply(t, c, d, stamp, ingestion)
}

// find returns the record that a change concerns, or a new record. A chart number that the registry
// assigned matches a row of a spreadsheet, but never a pushed Bundle, because the Bundle's sender
// can't know such a number (decision 21).
func (s *Set) find(c *Change) *Target {
	if c.record != "" {
		return s.byUUID[c.record]
	}
	for _, chart := range append([]string{c.chart}, c.others...) {
		if t := s.byChart[chart]; t != nil && chart != "" {
			return t
		}
	}
	if t := s.byGiven[c.chart]; t != nil && c.partial != nil { // for example, an exported file is imported again
		return t
	}
	return &Target{fresh: true}
}

// current returns the record's state in the form that birth.Decide needs.
func (t *Target) current() birth.Current {
	return birth.Current{State: t.State, Version: t.Version, Stamp: t.Stamp, Saved: t.Saved, MergedAway: t.MergedInto != 0}
}

// byPerson reports whether a person made the change after seeing what is on file: in the form, or
// by confirming a file.
func (c *Change) byPerson() bool { return !c.Saved.IsZero() }

// apply carries out a decision on a record of the set.
func (s *Set) apply(t *Target, c *Change, d birth.Decision, stamp birth.Stamp, ingestion int64) error {
	before, err := s.personsWord(t, d)
	if err != nil {
		return err
	}
	t.State, t.Version = d.State, d.Version
	version := store.Version{
		Source: c.source, Ingestion: ingestion, Item: c.Index, Change: d.Action.String(), User: c.User,
		Stamp: t.stamped(c.Saved, stamp),
	}
	switch {
	case d.Action == birth.Void:
		s.setFingerprints(t, t.fingerprints, d.State)
	case c.restore: // the content stays, and the record is active or merged again, as before it was voided
		t.Suspected = d.Suspected
		s.setFingerprints(t, t.fingerprints, d.State)
	default:
		if err := s.setContent(t, c, d, &version); err != nil {
			return err
		}
	}
	if err := s.markReplaced(t, c, d, before); err != nil {
		return err
	}
	return s.add(t, version, attached{c.note, c.custom})
}

// add adds a version to those that the set will write. The version gets the record's present
// version number and content.
func (s *Set) add(t *Target, version store.Version, with attached) error {
	version.Record, version.Version, version.Content = t.ID, t.Version, t.Content
	if err := s.attach(t, with, &version); err != nil {
		return err
	}
	s.versions = append(s.versions, version)
	s.Touch(t)
	return nil
}

// Touch makes Write write the record.
func (s *Set) Touch(t *Target) {
	if !t.touched {
		t.touched = true
		s.touched = append(s.touched, t)
	}
}

// Write writes what the set has decided: the records, their versions, fingerprints, name codes and
// custom fields, and the providers who took part. It then updates what depends on these records,
// such as merges into them and the flags of possible duplicates.
func (s *Set) Write() error {
	var fresh []store.Record
	var fingerprints []store.RecordFingerprints
	for _, t := range s.touched {
		if t.fresh {
			fresh = append(fresh, t.Record)
		} else if err := s.tx.UpdateRecord(s.practice, t.Record); err != nil {
			return err
		}
		if changed, anew := t.changedFingerprints(); anew {
			fingerprints = append(fingerprints, changed)
		}
	}
	if err := s.tx.AddRecords(s.practice, fresh); err != nil {
		return err
	}
	if err := s.tx.AddVersions(s.practice, s.versions); err != nil {
		return err
	}
	if err := s.tx.SetFingerprints(s.practice, fingerprints...); err != nil {
		return err
	}
	if err := s.writeNames(); err != nil {
		return err
	}
	if err := s.tx.SetCustomValues(s.practice, s.customs); err != nil {
		return err
	}
	if err := s.tx.AddAttributions(s.practice, s.attributions); err != nil {
		return err
	}
	if len(s.lapsed) > 0 {
		if err := s.tx.UnmarkNotDuplicates(s.practice, s.lapsed); err != nil {
			return err
		}
	}
	if err := s.tx.CountRefused(s.practice, s.refused); err != nil {
		return err
	}
	if err := s.writeRejects(); err != nil {
		return err
	}
	if err := s.reopenMerges(); err != nil {
		return err
	}
	return s.liftSuspicion()
}

// changedFingerprints returns the fingerprints to write for a record. It returns false if the same
// fingerprints are already on file.
func (t *Target) changedFingerprints() (store.RecordFingerprints, bool) {
	live := t.State == birth.Active
	same := !t.fresh && sameFingerprints(t.filed, t.fingerprints) && (t.was == birth.Active) == live
	return store.RecordFingerprints{Record: t.ID, All: t.fingerprints, Live: live, Fresh: t.fresh}, !same
}

// reopenMerges updates earlier merges if the record that stayed has changed its state. If this
// record is no longer active, the merges into it wait for a review again. If it has become active
// again, they stop waiting (decision 26).
func (s *Set) reopenMerges() error {
	var left, back []int64
	for _, t := range s.touched {
		switch {
		case t.fresh || t.was == t.State:
		case t.was == birth.Active:
			left = append(left, t.ID)
		case t.State == birth.Active:
			back = append(back, t.ID)
		}
	}
	if len(left)+len(back) == 0 {
		return nil
	}
	return s.tx.ReopenMerges(s.practice, left, back)
}
