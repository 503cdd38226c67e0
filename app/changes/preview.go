package changes

import (
	"context"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/store"
)

// Preview decides changes as Apply would, with the same queries and the same birth.Decide,
// but writes nothing. It remembers what the changes so far would have written.
type Preview struct {
	writer   *Writer
	practice store.PracticeID
	within   Permissions

	lastID int64 // IDs of records that are not on file are negative
	// live holds the records that would be active, by fingerprint. They start as the
	// records on file when a change first asks for them, and later changes update them.
	live map[birth.Fingerprint]candidates
}

// NewPreview makes a Preview of changes in a practice.
func (w *Writer) NewPreview(p store.PracticeID, within Permissions) *Preview {
	return &Preview{writer: w, practice: p, within: within, live: map[birth.Fingerprint]candidates{}}
}

// Decide decides changes on a snapshot.
func (p *Preview) Decide(ctx context.Context, changes []Change) (results []Result, err error) {
	err = p.writer.db.View(ctx, func(v *store.View) error {
		if err := p.writer.Rebase(v, p.practice, changes, p.within); err != nil {
			return err
		}
		s := &Set{view: v, practice: p.practice, live: p.live, erasedKey: p.writer.erasedKey}
		if err := s.readRecords([]Batch{{Changes: changes}}); err != nil {
			return err
		}
		results = make([]Result, len(changes))
		for i := range changes {
			results[i] = p.decide(s, &changes[i])
		}
		return nil
	})
	return results, err
}

// decide decides one change and remembers its effect.
func (p *Preview) decide(s *Set, c *Change) Result {
	r := Result{Change: c, Problem: c.Problem}
	if c.Problem != nil {
		return r
	}
	t := s.find(c)
	r.UUID, r.Unchanged = t.UUID, c.unchanged
	if c.unchanged {
		return r
	}
	if s.tombstone(t, c) != 0 {
		r.Problem = fhir.Erased
		return r
	}
	d := birth.Decide(t.current(), birth.Change{Chart: c.chart, Person: true}, s.match(t, c.fingerprints))
	switch d.Action {
	case birth.Create:
		p.lastID--
		t.ID = p.lastID
		if c.chart != "" {
			s.byChart[c.chart] = t
		}
	case birth.Amend, birth.Revive:
		r.Version = d.Version
	default:
		r.Problem = problems[d.Reason]
		return r
	}
	r.Action, r.Suspected = d.Action, d.Suspected
	s.setFingerprints(t, c.fingerprints, d.State)
	return r
}
