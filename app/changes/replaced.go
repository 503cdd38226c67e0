package changes

import (
	"errors"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
)

// The stamp of a push states when the source system last changed the course of care. If a push has
// no stamp, or a stamp that may mean the same time as a person's change, it isn't known which of
// the two is newer. The push is then applied anyway (decision 20). If it replaces values that the
// person stated, or revives a record that they had voided, the record waits until somebody in the
// practice chooses Reinstate or LeaveReplaced.
//
// The record also stops waiting when a person saves it again, or when it gets a push that is
// certainly newer than the person's version: that push would have amended the record anyway.
// Further pushes that aren't certainly newer don't change which version can be reinstated.

// personsWord is what a person stated about a record before a push changed it: either its content,
// or that the record is void.
type personsWord struct {
	version int
	voided  bool // set if a person voided the record
	content *birth.Draft
	pushed  *birth.Draft // the content of the last push before version
}

// personsWord returns what a person stated about a record, if the decision applies a push that
// isn't known to be newer. It returns nil for any other decision, and if no person stated anything
// about the record.
func (s *Set) personsWord(t *Target, d birth.Decision) (*personsWord, error) {
	if !d.Unjudged {
		return nil, nil
	}
	word := &personsWord{version: t.Version}
	if t.State == birth.Voided {
		at, err := s.view.VersionOf(s.practice, t.ID, t.Version)
		if err != nil && !errors.Is(err, store.ErrNotFound) { // a retraction that was decided in the same transaction isn't on file yet
			return nil, err
		}
		word.voided = err == nil && at.Source != birth.FHIRPush
	}
	if t.Source == birth.FHIRPush {
		if word.voided {
			return word, nil
		}
		return nil, nil
	}
	content, err := s.contentOf(t, t.Content)
	if err != nil {
		return nil, err
	}
	word.content = &content
	pushed, err := s.view.PushedBefore(s.practice, t.ID, t.Content)
	if errors.Is(err, store.ErrNotFound) {
		return word, nil
	}
	if err != nil {
		return nil, err
	}
	before, err := s.contentOf(t, pushed)
	word.pushed = &before
	return word, err
}

// contentOf returns the content of a version of a record. The providers have the names that pages
// show.
func (s *Set) contentOf(t *Target, version int) (birth.Draft, error) {
	at, err := s.view.VersionOf(s.practice, t.ID, version)
	if err != nil {
		return birth.Draft{}, err
	}
	course, err := records.OpenContent(s.vault, s.practice, t.UUID, at.Held())
	if err != nil {
		return birth.Draft{}, err
	}
	d := course.Draft()
	providers, err := s.view.ProvidersOf(s.practice, t.ID, at.Content)
	for _, n := range providers {
		d.Providers = append(d.Providers, birth.Provider{Name: n.Name, Credentials: n.Credentials, Role: n.Role, Attending: n.Attending})
	}
	return d, err
}

// replaces reports whether a change that was applied has replaced what a person stated.
func (s *Set) replaces(word *personsWord, t *Target, c *Change) bool {
	if word.voided || word.content == nil {
		return word.voided
	}
	now := c.course.Draft()
	now.Providers = nil
	for _, named := range c.providers {
		known := s.known[string(named.row.Identity)]
		now.Providers = append(now.Providers, birth.Provider{
			Name: known.Name, Credentials: known.Credentials, Role: s.roles[t.ID][known.ID], Attending: named.attending,
		})
	}
	return len(birth.Replaced(*word.content, word.pushed, now)) > 0
}

// markReplaced records, after a change was applied, whether the record has to wait for Reinstate or
// LeaveReplaced. word is what a person had stated before the change. It is nil if the change can't
// have replaced anything that a person stated.
func (s *Set) markReplaced(t *Target, c *Change, d birth.Decision, word *personsWord) error {
	switch {
	case d.Unjudged:
		if word != nil && t.Replaced == 0 && s.replaces(word, t, c) {
			t.Replaced = word.version
		}
	case c.byPerson() && c.restore && t.Replaced != 0: // restoring a voided record doesn't settle what happens to replaced content
		at, err := s.view.VersionOf(s.practice, t.ID, t.Replaced)
		if err != nil {
			return err
		}
		if at.State == birth.Voided {
			t.Replaced = 0
		}
	case c.byPerson(), d.Action != birth.Void: // a pushed retraction doesn't replace content that a person stated
		t.Replaced = 0
	}
	return nil
}
