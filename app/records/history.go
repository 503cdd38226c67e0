package records

import (
	"errors"

	"birthregistry/app/birth"
	"birthregistry/app/intake"
	"birthregistry/store"
)

// Event is one version of a record: what happened, and who or what brought it.
type Event struct {
	store.Event
	Note string // the reason of a void or a restore, "" when not revealed
}

// What says in a word what happened.
func (e Event) What() string {
	switch e.Change {
	case "create":
		return "Recorded"
	case "amend":
		return "Amended"
	case "void":
		if e.Ingestion != "" {
			return "Retracted"
		}
		return "Voided"
	case "revive":
		if e.Event.Content != e.Version {
			return "Restored"
		}
		return "Sent again after it was voided"
	}
	return e.Change
}

// Who names who or what brought the version.
func (e Event) Who() string {
	switch {
	case e.User != "":
		return e.User
	case e.Key != "":
		return "key " + e.Key
	case e.Kind == "csv":
		return "a CSV import"
	case e.Ingestion != "":
		return "a submission"
	}
	return "the operator"
}

// HistorySize is how many versions a page of the history shows.
const HistorySize = 100

// History returns a record's versions before a version (0 for all), newest
// first, and whether there are older ones still. ErrNotFound without the record.
func (r *Records) History(p store.PracticeID, id string, before int) (head store.Record, events []Event, more bool, err error) {
	err = r.db.View(func(v *store.View) (err error) {
		if head, err = v.RecordByUUID(p, id); err != nil {
			return err
		}
		events, err = r.events(v, p, head, before, HistorySize+1)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		err = ErrNotFound
	}
	more = len(events) > HistorySize
	return head, events[:min(len(events), HistorySize)], more, err
}

func (r *Records) events(v *store.View, p store.PracticeID, head store.Record, before, limit int) ([]Event, error) {
	found, err := v.History(p, head.ID, before, limit)
	if err != nil {
		return nil, err
	}
	events := make([]Event, len(found))
	for i, e := range found {
		events[i].Event = e
		if e.Note == nil {
			continue
		}
		note, err := r.vault.Open(intake.NotePlace(p, head.UUID, e.Version), e.Note)
		if err != nil {
			return nil, err
		}
		events[i].Note = string(note)
	}
	return events, nil
}

// event returns the event of one version.
func (r *Records) event(v *store.View, p store.PracticeID, head store.Record, version int) (Event, error) {
	events, err := r.events(v, p, head, version+1, 1)
	if err != nil {
		return Event{}, err
	}
	if len(events) == 0 || events[0].Version != version {
		return Event{}, ErrNotFound
	}
	return events[0], nil
}

// stepsBack is how many contents Trace looks at; a value that stands unchanged
// for longer was set in the last of them or before.
const (
	stepsBack = 400
	stride    = 50
)

// Trace fills in since when each value of a record stands as it does: the
// version that set it, found by walking back through the record's contents.
func (r *Records) Trace(p store.PracticeID, rec *Record) error {
	return r.db.View(func(v *store.View) error {
		open := rec.values()
		for _, value := range open {
			value.SetIn = &Event{Event: store.Event{Version: rec.content}}
		}
		before := rec.content
		for seen := 0; len(open) > 0 && seen < stepsBack; seen += stride {
			contents, err := v.ContentsBefore(p, rec.head.ID, before, stride)
			if err != nil {
				return err
			}
			for _, c := range contents {
				d, err := r.open(p, rec.ID, c)
				if err != nil {
					return err
				}
				if open = settle(open, d, c.Version); len(open) == 0 {
					break
				}
				before = c.Version
			}
			if len(contents) < stride {
				break
			}
		}
		return r.nameEvents(v, p, rec)
	})
}

// settle keeps the values that an older content states alike, as set there.
func settle(open []*Value, d birth.Draft, version int) (still []*Value) {
	for _, value := range open {
		before, stated := birth.Value{}, false
		switch of := value.of; {
		case of == ofMother:
			before, stated = d.Mother.Get(value.Field.Name)
		case of == ofCare:
			before, stated = d.Care.Get(value.Field.Name)
		case of < len(d.Children):
			before, stated = d.Children[of].Get(value.Field.Name)
		}
		if stated && before.Equal(value.Value) && before.Source == value.Value.Source {
			value.SetIn = &Event{Event: store.Event{Version: version}}
			still = append(still, value)
		}
	}
	return still
}

// nameEvents fills in who and when, a look-up a version.
func (r *Records) nameEvents(v *store.View, p store.PracticeID, rec *Record) error {
	known := map[int]*Event{}
	for _, value := range rec.values() {
		version := value.SetIn.Version
		if known[version] == nil {
			e, err := r.event(v, p, rec.head, version)
			if err != nil {
				return err
			}
			known[version] = &e
		}
		value.SetIn = known[version]
	}
	return nil
}
