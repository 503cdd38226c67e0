package intake

import (
	"errors"
	"slices"

	"github.com/google/uuid"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
	"birthregistry/store"
)

// Entry is a record as a person wrote it into the form.
type Entry struct {
	// Draft has its sources stamped already: the form's mapping compares it with
	// what it was filled from.
	Draft  birth.Draft
	Custom map[string]string // the practice's own fields by key; nil leaves them
	// UUID names the record to amend and BaseVersion the version that the form was
	// filled from; both are empty for a new record.
	UUID        string
	BaseVersion int
	// Fresh is the one-time token of a new record's form and becomes its id, so
	// that a form sent twice makes one record.
	Fresh string
}

// Saved says what became of a record.
type Saved struct {
	UUID, Chart string
	Version     int
	State       birth.State
	Suspected   bool
	// Unchanged says that nothing was written, since nothing differs.
	Unchanged bool
}

// What a person can be told instead.
var (
	// ErrChanged: somebody else has changed the record since it was opened.
	ErrChanged = errors.New("intake: the record has changed since you opened it")
	// ErrChartTaken: a new record would overwrite one on file.
	ErrChartTaken = errors.New("intake: a record with this chart number is on file; open it to amend it")
	// ErrSavedAlready: the form was sent before and says something else now, or
	// its record does. What is returned with it is that record.
	ErrSavedAlready = errors.New("intake: the form has been saved already, with other content")
	// ErrWouldDuplicate: the record would come to look like another one.
	ErrWouldDuplicate = errors.New("intake: with these changes the record would duplicate another one")
	// ErrState: a voided record is amended, or one that stands restored.
	ErrState = errors.New("intake: the record is in another state than you saw")
)

// Save writes a record that a person typed or checked: a new one, or the next
// version of the one on file. It obeys the same validation, lifecycle,
// fingerprint and masking as every other source. It returns
// auth.ErrForbidden, store.ErrNotFound or one of the errors above.
func (s *Service) Save(who auth.User, e Entry) (Saved, error) {
	if e.UUID == "" {
		return s.create(who, e)
	}
	if err := who.Must(auth.RecordAmend); err != nil {
		return Saved{}, err
	}
	sub := s.entered(who, e)
	sub.record = e.UUID
	return s.change(who, &sub, "record.amend", func(tx *store.Tx, r store.Record) error {
		if r.State == birth.Voided {
			return ErrState
		}
		return s.asOpened(r, e.BaseVersion)
	})
}

func (s *Service) create(who auth.User, e Entry) (Saved, error) {
	if err := who.Must(auth.RecordCreate); err != nil {
		return Saved{}, err
	}
	sub := s.entered(who, e)
	if id, err := uuid.Parse(e.Fresh); err == nil {
		sub.uuid = id.String()
	}
	if sub.problem != nil {
		return Saved{}, sub.problem
	}
	if err := s.vault.Ready(); err != nil {
		return Saved{}, err
	}
	var saved Saved
	err := s.db.Update(func(tx *store.Tx) error {
		r, err := tx.RecordByUUID(who.Practice.ID, sub.uuid)
		if err == nil { // the form was sent twice
			saved = savedOf(r)
			return s.resent(tx, who.Practice.ID, r, &sub)
		}
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if sub.chart != "" {
			taken, err := tx.RecordsByChart(who.Practice.ID, []string{sub.chart})
			if err != nil {
				return err
			}
			if len(taken) > 0 {
				return ErrChartTaken
			}
		}
		saved, err = s.write(tx, who, &sub, "record.create")
		return err
	})
	return saved, err
}

// entered makes a submission of what a person wrote.
func (s *Service) entered(who auth.User, e Entry) submission {
	sub := s.prepare(who.Practice.ID, birth.Manual, mapping.Item{Draft: &e.Draft, Custom: e.Custom}, 0)
	if slices.ContainsFunc(slices.Concat(append(e.Draft.Children, e.Draft.Mother, e.Draft.Care)...), fromEHR) {
		sub.source = birth.EHRPull
	}
	sub.user = who.ID
	return sub
}

func fromEHR(s birth.Stated) bool { return s.Value.Source == birth.EHRPull }

// Void takes a record out of lists and statistics; its history stays. reason is
// kept sealed. baseVersion is the version that was looked at.
func (s *Service) Void(who auth.User, uuid, reason string, baseVersion int) (Saved, error) {
	if err := who.Must(auth.RecordVoid); err != nil {
		return Saved{}, err
	}
	sub := submission{source: birth.Manual, record: uuid, retraction: true, user: who.ID, note: birth.Plain(reason)}
	return s.change(who, &sub, "record.void", func(_ *store.Tx, r store.Record) error {
		if r.State != birth.Active {
			return ErrState
		}
		return s.asOpened(r, baseVersion)
	})
}

// Restore brings a voided record back as it was before, as a further version.
func (s *Service) Restore(who auth.User, uuid, reason string) (Saved, error) {
	if err := who.Must(auth.RecordVoid); err != nil {
		return Saved{}, err
	}
	sub := submission{source: birth.Manual, record: uuid, restore: true, user: who.ID, note: birth.Plain(reason)}
	return s.change(who, &sub, "record.restore", func(_ *store.Tx, r store.Record) error {
		if r.State != birth.Voided {
			return ErrState
		}
		return nil
	})
}

func (s *Service) asOpened(r store.Record, baseVersion int) error {
	if r.Version != baseVersion {
		return ErrChanged
	}
	return nil
}

// change writes the next version of a record on file, if check allows it.
func (s *Service) change(who auth.User, sub *submission, action string, check func(*store.Tx, store.Record) error) (Saved, error) {
	if sub.problem != nil {
		return Saved{}, sub.problem
	}
	if err := s.vault.Ready(); err != nil {
		return Saved{}, err
	}
	var saved Saved
	err := s.db.Update(func(tx *store.Tx) error {
		r, err := tx.RecordByUUID(who.Practice.ID, sub.record)
		if err != nil {
			return err
		}
		if err := check(tx, r); err != nil {
			return err
		}
		if sub.course.Draft().Children != nil {
			same, err := s.unchanged(&tx.View, who.Practice.ID, r, sub)
			if err != nil {
				return err
			}
			if same {
				saved = savedOf(r)
				saved.Unchanged = true
				return nil
			}
		}
		saved, err = s.write(tx, who, sub, action)
		return err
	})
	return saved, err
}

// write puts one submission on file, with its row in the audit trail.
func (s *Service) write(tx *store.Tx, who auth.User, sub *submission, action string) (Saved, error) {
	if sub.problem != nil {
		return Saved{}, sub.problem
	}
	p := who.Practice.ID
	sub.saved = tx.Now
	subs := []submission{*sub}
	b, err := s.newBoard(tx, p, subs)
	if err != nil {
		return Saved{}, err
	}
	_, problem, err := b.apply(&subs[0], 0)
	if err != nil {
		return Saved{}, err
	}
	if problem == fhir.WouldDuplicate {
		return Saved{}, ErrWouldDuplicate
	}
	if problem != nil {
		return Saved{}, problem
	}
	if err := b.write(); err != nil {
		return Saved{}, err
	}
	saved := savedOf(b.touched[0].Record)
	return saved, s.auth.Note(tx, who, action, saved.UUID)
}

func savedOf(r store.Record) Saved {
	return Saved{UUID: r.UUID, Chart: r.Chart, Version: r.Version, State: r.State, Suspected: r.Suspected}
}
