package changes

import (
	"birthregistry/app/birth"
	"birthregistry/store"
)

// These functions carry out people's decisions about records on file (app/review, Reinstate,
// TakeBack). A record leaves the statistics or returns to them, or gets the content of a merge or
// of an earlier version.

// By holds the user who made a decision, and the reason.
type By struct {
	User   int64
	Review int64  // the ID of the decision in the table of reviews, or 0
	Note   string // the reason, or ""
}

// Open reads the records about which a person has decided. It returns store.ErrNotFound if one of
// them is missing. Nothing is written until [Set.Write] is called.
func (w *Writer) Open(tx *store.Tx, p store.PracticeID, uuids ...string) (*Set, error) {
	about := make([]Change, len(uuids))
	for i, uuid := range uuids {
		about[i].record = uuid
	}
	return w.read(tx, p, []Batch{{Changes: about}})
}

// Target returns a record that Open has read, or nil.
func (s *Set) Target(uuid string) *Target { return s.byUUID[uuid] }

// Leave removes a record from lists and statistics. state is birth.Voided or birth.Merged.
func (s *Set) Leave(t *Target, state birth.State, by By) error {
	if t.State, t.Version = state, t.Version+1; state == birth.Voided {
		t.Replaced = 0 // a person has seen the record, so it no longer needs a review
	}
	s.setFingerprints(t, t.fingerprints, state)
	return s.step(t, store.Version{Change: "void"}, by, nil)
}

// ComeBack makes a voided or merged record active again, with its present content.
func (s *Set) ComeBack(t *Target, by By) error {
	t.State, t.Version = birth.Active, t.Version+1
	t.Suspected = s.match(t, t.fingerprints).Any
	s.setFingerprints(t, t.fingerprints, birth.Active)
	return s.step(t, store.Version{Change: "revive"}, by, nil)
}

// Amend gives a record the content of a change. If the record already has this content, Amend only
// adds a version that records the decision. on is the record's content before the change.
func (s *Set) Amend(t *Target, c *Change, on BaseVersion, by By) error {
	var identities [][]byte
	for _, named := range c.providers {
		identities = append(identities, named.row.Identity)
	}
	if err := s.readProviders(identities); err != nil {
		return err
	}
	t.Version++
	t.Replaced = 0 // a person has seen the record, so it no longer needs a review
	version := store.Version{Change: birth.Amend.String()}
	if c.states(on) {
		return s.step(t, version, by, nil)
	}
	d := birth.Decision{Action: birth.Amend, Version: t.Version, State: birth.Active, Suspected: s.match(t, c.fingerprints).Any}
	if err := s.setContent(t, c, d, &version); err != nil {
		return err
	}
	return s.step(t, version, by, c.custom)
}

// GiveBack adds a version with the content that a record had in an earlier version. custom holds
// the record's new custom fields by key; nil leaves all of them unchanged.
func (w *Writer) GiveBack(s *Set, t *Target, earlier int, custom map[string]string, by By) error {
	before, err := s.view.VersionOf(s.practice, t.ID, earlier)
	if err != nil {
		return err
	}
	t.Version++
	if before.Content != t.Content {
		if err := w.restate(s, t, before.Content); err != nil {
			return err
		}
	}
	return s.step(t, store.Version{Change: birth.Amend.String()}, by, custom)
}

// earlier is a version of a record with its decrypted content, and with the hashes that are derived
// from that content.
type earlier struct {
	at     store.StoredVersion
	course birth.Course
	Derived
}

// earlierOf decrypts the content of an earlier version of a record, and derives the fingerprints
// and the codes of the mother's name from that content.
func (w *Writer) earlierOf(v *store.View, p store.PracticeID, record int64, uuid string, content int) (e earlier, err error) {
	if e.at, err = v.VersionOf(p, record, content); err != nil {
		return e, err
	}
	if e.course, err = w.restored(p, uuid, e.at.Held()); err != nil {
		return e, err
	}
	e.Derived = w.Derive(p, e.course)
	return e, nil
}

// restate gives a record the content that it had in an earlier version.
func (w *Writer) restate(s *Set, t *Target, content int) error {
	e, err := w.earlierOf(s.view, s.practice, t.ID, t.UUID, content)
	if err != nil {
		return err
	}
	return s.giveBack(t, e)
}

// giveBack gives a record the content of e, but doesn't change the record's state. If the record is
// active, giveBack compares it with the other records, and flags it if it may be a duplicate.
func (s *Set) giveBack(t *Target, e earlier) error {
	t.Content, t.Source, t.IGVersion, t.Facts = e.at.Content, e.at.Source, e.at.IGVersion, e.course.Facts()
	if err := s.readLive(e.Fingerprints); err != nil {
		return err
	}
	t.Suspected = t.State == birth.Active && s.match(t, e.Fingerprints).Any
	s.setFingerprints(t, e.Fingerprints, t.State)
	t.names, t.renamed = e.Names, true
	return nil
}

// step adds the version that records a person's decision. The version is stamped with the present
// time, so that older pushes don't override the decision. A version that merges the record into
// another one gets no stamp. Every later submission with the record's chart number therefore still
// amends the record.
func (s *Set) step(t *Target, version store.Version, by By, custom map[string]string) error {
	version.Source, version.User, version.Review = birth.Manual, by.User, by.Review
	if version.Change != "void" || t.State != birth.Merged {
		version.Stamp = t.stamped(s.tx.Now, birth.Stamp{})
	}
	return s.add(t, version, attached{by.Note, custom})
}
