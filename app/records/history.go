package records

import (
	"context"
	"fmt"

	"birthregistry/store"
)

// Event describes one version of a record: what happened, and who or what caused it.
type Event struct {
	store.Event
	Note string // the reason for a void or a restore, or "" if not revealed
}

// What returns in a few words what happened, such as "Amended".
func (e Event) What() string {
	if e.Decision != "" {
		return e.decided()
	}
	switch e.Change {
	case "create":
		return "Recorded"
	case "amend":
		if e.Event.Content != e.Version {
			return fmt.Sprintf("Brought back the content of version %d", e.Event.Content)
		}
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

// decided returns in a few words what a reviewer's decision about duplicates did, such as "Merged
// into record 2026-0147".
func (e Event) decided() string {
	other := "a record without a chart number"
	if e.OtherChart != "" {
		other = "record " + e.OtherChart
	}
	switch {
	case e.Decision == store.VoidOne && e.Undoes:
		return "Restored"
	case e.Decision == store.VoidOne:
		return "Voided as a duplicate of " + other
	case e.Undoes:
		return "Merge with " + other + " undone"
	case e.Change == "void":
		return "Merged into " + other
	}
	return "Merged with " + other
}

// Who returns the name of the user or the API key that caused the version, or else "a submission"
// or "the operator".
func (e Event) Who() string {
	switch {
	case e.User != "":
		return e.User
	case e.Key != "":
		return "key " + e.Key
	case e.Ingestion != "" && e.Kind != "csv": // without a user, the operator has imported a spreadsheet
		return "a submission"
	}
	return "the operator"
}

// HistorySize is how many versions one page of a record's history shows.
const HistorySize = 100

// History returns up to HistorySize versions of a record, newest first. If before isn't 0, it
// returns only versions with numbers below it. more reports whether there are further, older
// versions. History returns ErrNotFound if there is no such record.
func (r *Records) History(ctx context.Context, p store.PracticeID, id string, before int) (head store.Record, events []Event, more bool, err error) {
	err = r.db.View(ctx, func(v *store.View) (err error) {
		if head, err = v.Shown(p, id); err != nil {
			return err
		}
		events, err = r.events(v, p, head, before, HistorySize+1)
		return err
	})
	more = len(events) > HistorySize
	return head, events[:min(len(events), HistorySize)], more, store.Translate(err, store.ErrNotFound, ErrNotFound)
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
		note, err := r.vault.Open(NotePlace(p, head.UUID, e.Version), e.Note)
		if err != nil {
			return nil, err
		}
		events[i].Note = string(note)
	}
	return events, nil
}

// event returns the event that describes one version of a record, or ErrNotFound.
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
