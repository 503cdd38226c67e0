package changes

import (
	"context"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/store"
)

// Preview decides changes as Apply would, with the same queries and birth.Decide, but writes
// nothing. Each decision takes into account what the changes before it would have written.
type Preview struct {
	writer   *Writer
	practice store.PracticeID
	within   Permissions

	lastID int64 // the last ID given to a record that isn't on file; such IDs are negative
	// live maps fingerprints to the records that would be active after the changes so far. An entry
	// is read from the database when a change first needs it.
	live map[birth.Fingerprint]candidates
	// doubtful holds, by hashed provider key, whether an attendant is doubtful (Result.Doubtful).
	// added holds the attendants whom the changes would add, keyed by the words of their names.
	doubtful map[string]bool
	added    map[string][]store.Provider
}

// NewPreview returns a Preview of changes in a practice. within holds what the changes may do to
// records on file.
func (w *Writer) NewPreview(p store.PracticeID, within Permissions) *Preview {
	return &Preview{writer: w, practice: p, within: within, live: map[birth.Fingerprint]candidates{}, doubtful: map[string]bool{}, added: map[string][]store.Provider{}}
}

// Decide returns the results that Apply would return for the changes. It uses one snapshot of the
// database for all of them, and writes nothing.
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
			if err := p.findDoubtful(v, &results[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return results, err
}

// findDoubtful sets r.Doubtful if it isn't certain which provider the change means as its
// attendant. Like Apply, it matches names with the function meant.
func (p *Preview) findDoubtful(v *store.View, r *Result) error {
	if r.Problem != nil || r.Unchanged {
		return nil
	}
	for _, named := range r.Change.providers {
		if !named.attending || !birth.IsTyped(named.named.Key) {
			continue
		}
		identity := string(named.row.Identity)
		doubtful, read := p.doubtful[identity]
		if !read {
			same, err := v.ProvidersNamed(p.practice, named.row.Name, mostNamesakes)
			if err != nil {
				return err
			}
			words := birth.NameKey(named.row.Name)
			same = append(same, p.added[words]...)
			onFile := slices.ContainsFunc(same, func(k store.Provider) bool { return string(k.Identity) == identity })
			_, found := meant(named.named, slices.Clone(same))
			doubtful = len(same) > 0 && !onFile && !found
			p.doubtful[identity] = doubtful
			if !onFile && !found {
				p.added[words] = append(p.added[words], named.row)
			}
		}
		if doubtful {
			r.Doubtful = named.named
		}
	}
	return nil
}

// decide decides one change, and remembers the effect for later changes.
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
