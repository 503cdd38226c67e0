package changes

import (
	"errors"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
)

// A push without a stamp cannot be judged: it is applied, even over what a person
// saved (decision 20). Where it replaces something that the person stated, or brings
// back what they had voided, the record waits for the practice to look: Reinstate or
// LeaveReplaced.
//
// It also leaves the list when a person writes the record anew, and when a push
// comes that is certainly newer than what the person stated: that one would have
// amended it anyway. Further pushes without a stamp change nothing: what the
// person stated stays what can be reinstated.

// personsWord is what a person stated of a record that a push is about to change.
type personsWord struct {
	version int
	voided  bool // by a person
	content *birth.Draft
	pushed  *birth.Draft // what had been pushed until then
}

// personsWord opens what a person stated of a record, where a push is not known to be
// newer; nil when it replaces nothing that a person stated.
func (s *Set) personsWord(t *Target, d birth.Decision) (*personsWord, error) {
	if !d.Unjudged {
		return nil, nil
	}
	word := &personsWord{version: t.Version}
	if t.State == birth.Voided {
		at, err := s.view.VersionOf(s.practice, t.ID, t.Version)
		if err != nil && !errors.Is(err, store.ErrNotFound) { // a retraction of the same chunk is not there yet
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

// contentOf opens what a version of a record states, with the providers as pages show
// them.
func (s *Set) contentOf(t *Target, version int) (birth.Draft, error) {
	at, err := s.view.VersionOf(s.practice, t.ID, version)
	if err != nil {
		return birth.Draft{}, err
	}
	course, err := s.courseAt(t, at)
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

// courseAt opens the content of a version.
func (s *Set) courseAt(t *Target, at store.StoredVersion) (birth.Course, error) {
	patient, err := s.vault.Open(records.PatientPlace(s.practice, t.UUID, at.Content), at.Patient)
	if err != nil {
		return birth.Course{}, err
	}
	return birth.Restore(at.Clinical, patient)
}

// replaces reports whether a change that has been applied replaces what a person
// stated.
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

// markReplaced marks whether the record waits for somebody to look, once a change has
// been applied. word is what a person had stated, nil where nothing was in question.
func (s *Set) markReplaced(t *Target, c *Change, d birth.Decision, word *personsWord) error {
	switch {
	case d.Unjudged:
		if word != nil && t.Replaced == 0 && s.replaces(word, t, c) {
			t.Replaced = word.version
		}
	case c.byPerson() && c.restore && t.Replaced != 0: // what was voided and what was replaced are two things
		at, err := s.view.VersionOf(s.practice, t.ID, t.Replaced)
		if err != nil {
			return err
		}
		if at.State == birth.Voided {
			t.Replaced = 0
		}
	case c.byPerson(), d.Action != birth.Void: // a retraction decides nothing of what a person stated
		t.Replaced = 0
	}
	return nil
}
