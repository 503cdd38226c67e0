package changes

import (
	"errors"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/store"
)

// Reinstate undoes a push that replaced what a person had entered, and that may be older than the
// person's change (replaced.go). It adds a version with the person's content, in which every value
// keeps its source. If the person had voided the record, Reinstate voids it again. baseVersion is
// the version that the user saw.
//
// Reinstate returns ErrState if the record isn't waiting for this decision, and ErrChanged if the
// record has changed since the user saw it.
func (w *Writer) Reinstate(who auth.User, uuid string, baseVersion int) (saved Saved, err error) {
	err = w.deciding(who, uuid, baseVersion, func(tx *store.Tx, r store.Record) error {
		p := who.Practice.ID
		was, err := tx.VersionOf(p, r.ID, r.Replaced)
		if err != nil {
			return err
		}
		set, err := w.Open(tx, p, uuid)
		if err != nil {
			return err
		}
		t, change := set.Target(uuid), "amend"
		t.Version, t.Replaced = t.Version+1, 0
		if was.State == birth.Voided {
			t.State, change = birth.Voided, "void"
		}
		if err := w.restate(set, t, was.Content); err != nil {
			return err
		}
		if err := set.step(t, store.Version{Change: change}, By{User: who.ID}, nil); err != nil {
			return err
		}
		if err := set.Write(); err != nil {
			return err
		}
		saved = SavedAs(t.Record)
		return w.auth.Note(tx, who, "record.reinstate", uuid)
	})
	return saved, err
}

// LeaveReplaced leaves a record as a push has changed it, and removes it from the list of records
// to review. It returns the same errors as Reinstate.
func (w *Writer) LeaveReplaced(who auth.User, uuid string, baseVersion int) error {
	return w.deciding(who, uuid, baseVersion, func(tx *store.Tx, r store.Record) error {
		return errors.Join(tx.LeaveReplaced(who.Practice.ID, r.ID), w.auth.Note(tx, who, "record.leave", uuid))
	})
}

// deciding calls do with a record that waits for Reinstate or LeaveReplaced. It returns ErrState if
// the record isn't waiting, and ErrChanged if its version is no longer baseVersion, which is the
// version that the user saw.
func (w *Writer) deciding(who auth.User, uuid string, baseVersion int, do func(*store.Tx, store.Record) error) error {
	for _, needed := range []auth.Permission{auth.RecordAmend, auth.RecordVoid} {
		if err := who.Must(needed); err != nil {
			return err
		}
	}
	if err := w.vault.Ready(); err != nil {
		return err
	}
	return w.auth.Act(who, func(tx *store.Tx) error {
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
