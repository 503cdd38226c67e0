package intake

import (
	"errors"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
)

// A push without a stamp cannot be judged: it is applied, even over what a person
// saved (decision 20). Where it took the place of something that the person said,
// or brought back what they had voided, the record waits for the practice to look:
//
//	Reinstate      brings back what the person said, as a further version
//	LeaveReplaced  leaves the record as it is
//
// It also leaves the list when a person writes the record anew, and when a push
// comes that is certainly newer than what the person said: that one would have
// amended it anyway. Further pushes without a stamp change nothing: what the
// person said stays what can be brought back.

// said is what a person said of a record that a push is about to change.
type said struct {
	version int
	voided  bool // by a person
	content *birth.Draft
	before  *birth.Draft // what had been pushed until then
}

// saidBy opens what a person said of a record, where a push is not known to be
// newer; nil when it takes the place of nothing that a person said.
func (b *board) saidBy(e *entry, d birth.Decision) (*said, error) {
	if !d.Unjudged {
		return nil, nil
	}
	s := &said{version: e.Version}
	if e.State == birth.Voided {
		at, err := b.view.VersionOf(b.practice, e.ID, e.Version)
		if err != nil && !errors.Is(err, store.ErrNotFound) { // a retraction of the same chunk is not there yet
			return nil, err
		}
		s.voided = err == nil && at.Source != birth.FHIRPush
	}
	if e.Source == birth.FHIRPush {
		if s.voided {
			return s, nil
		}
		return nil, nil
	}
	content, err := b.contentOf(e, e.Content)
	if err != nil {
		return nil, err
	}
	s.content = &content
	pushed, err := b.view.PushedBefore(b.practice, e.ID, e.Content)
	if errors.Is(err, store.ErrNotFound) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	before, err := b.contentOf(e, pushed)
	s.before = &before
	return s, err
}

// contentOf opens what a version of a record says, with the people as they are
// shown.
func (b *board) contentOf(e *entry, version int) (birth.Draft, error) {
	at, err := b.view.VersionOf(b.practice, e.ID, version)
	if err != nil {
		return birth.Draft{}, err
	}
	course, err := b.restored(e, at)
	if err != nil {
		return birth.Draft{}, err
	}
	d := course.Draft()
	people, err := b.view.ProvidersOf(b.practice, e.ID, at.Content)
	for _, n := range people {
		d.Providers = append(d.Providers, birth.Provider{Name: n.Name, Credentials: n.Credentials, Role: n.Role, Attending: n.Attending})
	}
	return d, err
}

// restored opens the content of a version.
func (b *board) restored(e *entry, at store.StoredVersion) (birth.Course, error) {
	patient, err := b.vault.Open(records.PatientPlace(b.practice, e.UUID, at.Content), at.Patient)
	if err != nil {
		return birth.Course{}, err
	}
	return birth.Restore(at.Clinical, patient)
}

// replaces reports whether a submission that has been entered takes the place of
// what a person said.
func (b *board) replaces(s *said, e *entry, sub *submission) bool {
	if s.voided || s.content == nil {
		return s.voided
	}
	now := sub.course.Draft()
	now.Providers = nil
	for _, named := range sub.providers {
		known := b.known[string(named.row.Identity)]
		now.Providers = append(now.Providers, birth.Provider{
			Name: known.Name, Credentials: known.Credentials, Role: b.roles[e.ID][known.ID], Attending: named.attending,
		})
	}
	return len(birth.Replaced(*s.content, s.before, now)) > 0
}

// noteReplaced says whether the record waits for somebody to look, once a submission has
// been entered. was is what a person had said, nil where nothing was in question.
func (b *board) noteReplaced(e *entry, sub *submission, d birth.Decision, was *said) error {
	person := !sub.saved.IsZero()
	switch {
	case d.Unjudged:
		if was != nil && e.Replaced == 0 && b.replaces(was, e, sub) {
			e.Replaced = was.version
		}
	case person && sub.restore && e.Replaced != 0: // what was voided and what was replaced are two things
		at, err := b.view.VersionOf(b.practice, e.ID, e.Replaced)
		if err != nil {
			return err
		}
		if at.State == birth.Voided {
			e.Replaced = 0
		}
	case person, d.Action != birth.Void: // a retraction decides nothing of what was said
		e.Replaced = 0
	}
	return nil
}

// bringBack lets a record say again what it said in an earlier version.
func (b *board) bringBack(e *entry, content int, prints func(birth.Course) []birth.Fingerprint) error {
	at, err := b.view.VersionOf(b.practice, e.ID, content)
	if err != nil {
		return err
	}
	course, err := b.restored(e, at)
	if err != nil {
		return err
	}
	e.Content, e.Source, e.IGVersion, e.Facts = content, at.Source, at.IGVersion, course.Facts()
	had := prints(course)
	if err := b.lookAlike(had); err != nil {
		return err
	}
	e.Suspected = e.State == birth.Active && b.match(e, &submission{prints: had}).Any
	b.setPrints(e, had, e.State)
	return nil
}

// Reinstate brings back what a person said of a record before a push that could
// not be judged took its place: a further version with the content of then, every
// value with its source. What the person had voided is voided again. baseVersion is the
// version that was looked at. It returns ErrState for a record that does not wait,
// ErrChanged for one that has changed since.
func (s *Service) Reinstate(who auth.User, uuid string, baseVersion int) (saved Saved, err error) {
	err = s.deciding(who, uuid, baseVersion, func(tx *store.Tx, r store.Record) error {
		p := who.Practice.ID
		was, err := tx.VersionOf(p, r.ID, r.Replaced)
		if err != nil {
			return err
		}
		b, err := s.newBoard(tx, p, []submission{{record: uuid}})
		if err != nil {
			return err
		}
		e, change := b.byUUID[uuid], "amend"
		e.Version, e.Replaced = e.Version+1, 0
		if was.State == birth.Voided {
			e.State, change = birth.Voided, "void"
		}
		if err := b.bringBack(e, was.Content, s.printsIn(p)); err != nil {
			return err
		}
		b.versions = append(b.versions, store.Version{
			Record: e.ID, Version: e.Version, Content: e.Content, Change: change, Source: birth.Manual, User: who.ID,
			Stamp: e.stamped(tx.Now, birth.Stamp{}),
		})
		b.touch(e)
		if err := b.write(); err != nil {
			return err
		}
		saved = savedOf(e.Record)
		return s.auth.Note(tx, who, "record.reinstate", uuid)
	})
	return saved, err
}

// LeaveReplaced leaves a record as a push has made it, and takes it off the list of
// those that wait. It returns what Reinstate does.
func (s *Service) LeaveReplaced(who auth.User, uuid string, baseVersion int) error {
	return s.deciding(who, uuid, baseVersion, func(tx *store.Tx, r store.Record) error {
		return errors.Join(tx.LeaveReplaced(who.Practice.ID, r.ID), s.auth.Note(tx, who, "record.leave", uuid))
	})
}

// deciding opens a record that waits, as it was looked at.
func (s *Service) deciding(who auth.User, uuid string, baseVersion int, do func(*store.Tx, store.Record) error) error {
	for _, needed := range []auth.Permission{auth.RecordAmend, auth.RecordVoid} {
		if err := who.Must(needed); err != nil {
			return err
		}
	}
	if err := s.vault.Ready(); err != nil {
		return err
	}
	return s.db.Update(func(tx *store.Tx) error {
		r, err := tx.RecordByUUID(who.Practice.ID, uuid)
		switch {
		case err != nil:
			return err
		case r.Replaced == 0 || r.State != birth.Active:
			return ErrState
		case r.Version != baseVersion:
			return ErrChanged
		}
		return do(tx, r)
	})
}

// printsIn returns what computes the fingerprints of a course in a practice.
func (s *Service) printsIn(p store.PracticeID) func(birth.Course) []birth.Fingerprint {
	return func(c birth.Course) []birth.Fingerprint { return c.Fingerprints(s.fingerprintKey, int64(p)) }
}
