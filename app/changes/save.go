package changes

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

// Form is a record as a person entered it in the web form.
type Form struct {
	// Draft is the content of the form. Its values already have their sources. The form's mapping
	// determined them by comparing the content with the values from which the form was filled in.
	Draft  birth.Draft
	Custom map[string]string // custom fields by key; nil leaves all of them unchanged
	// UUID is the ID of the record to amend. BaseVersion is the version from which the form was
	// filled in. They are "" and 0 for a new record.
	UUID        string
	BaseVersion int
	// Fresh is the one-time token of a form for a new record. It becomes the record's UUID, so a
	// form that is sent twice creates only one record.
	Fresh string
	// Token is the token of the draft that stored the form, or "". The transaction that writes the
	// record deletes this draft, even if the form changes nothing.
	Token string
}

// The reasons why a record isn't saved.
var (
	// ErrChanged means that somebody else has changed the record since the user opened it.
	ErrChanged = errors.New("changes: the record has changed since you opened it")
	// ErrChartTaken means that a record on file already has the new record's chart number.
	ErrChartTaken = errors.New("changes: a record with this chart number is on file; open it to amend it")
	// ErrErased means that the practice has erased a birth with the new record's chart number.
	ErrErased = errors.New("changes: the practice has erased the birth with this chart number; an admin can allow it to be recorded again")
	// ErrSavedAlready means that the form was sent before, and that the form or its record has
	// changed since then. Save returns the record together with this error.
	ErrSavedAlready = errors.New("changes: the form has been saved already, with other content")
	// ErrWouldDuplicate means that the change would make the record look like another record.
	ErrWouldDuplicate = errors.New("changes: with these changes the record would duplicate another one")
	// ErrState means that the record's state doesn't allow the action. A voided record can't be
	// amended, for example, and only a voided record can be restored.
	ErrState = errors.New("changes: the record's state has changed since you opened it")
)

// Save writes a record that a person typed or checked, either as a new record or as the next
// version of a record on file. The same validation, lifecycle, fingerprints and masking apply as
// for every other source. Save returns auth.ErrForbidden, store.ErrNotFound, a *fhir.Problem, or
// ErrChanged, ErrChartTaken, ErrErased, ErrSavedAlready, ErrWouldDuplicate or ErrState.
func (w *Writer) Save(who auth.User, f Form) (Saved, error) {
	if f.UUID == "" {
		return w.create(who, f)
	}
	if err := who.Must(auth.RecordAmend); err != nil {
		return Saved{}, err
	}
	c := w.entered(who, f)
	c.record, c.draft = f.UUID, f.Token
	return w.change(who, &c, "record.amend", func(tx *store.Tx, r store.Record) error {
		if r.State == birth.Voided {
			return ErrState
		}
		return asOpened(r, f.BaseVersion)
	})
}

func (w *Writer) create(who auth.User, f Form) (Saved, error) {
	if err := who.Must(auth.RecordCreate); err != nil {
		return Saved{}, err
	}
	c := w.entered(who, f)
	if id, err := uuid.Parse(f.Fresh); err == nil {
		c.uuid = id.String()
	}
	if c.Problem != nil {
		return Saved{}, c.Problem
	}
	if err := w.vault.Ready(); err != nil {
		return Saved{}, err
	}
	var saved Saved
	err := w.auth.Act(who, func(tx *store.Tx) error {
		r, err := tx.RecordByUUID(who.Practice.ID, c.uuid)
		if err == nil { // the form was sent twice
			saved = SavedAs(r)
			if err := w.resent(tx, who.Practice.ID, r, &c); err != nil {
				return err
			}
			return dropDraft(tx, who, f.Token)
		}
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if c.chart != "" {
			taken, err := tx.RecordsByChart(who.Practice.ID, []string{c.chart})
			if err != nil {
				return err
			}
			if len(taken) > 0 {
				return ErrChartTaken
			}
		}
		if saved, err = w.write(tx, who, &c, "record.create"); err != nil {
			return err
		}
		return dropDraft(tx, who, f.Token)
	})
	return saved, err
}

// dropDraft deletes the draft of a form that was saved, if there is one and the user may open it.
func dropDraft(tx *store.Tx, who auth.User, token string) error {
	if token == "" {
		return nil
	}
	d, err := tx.Draft(who.Practice.ID, token)
	if errors.Is(err, store.ErrNotFound) || err == nil && d.Author != who.ID && !who.May(auth.RecordRead) {
		return nil
	}
	if err != nil {
		return err
	}
	return tx.DropDraft(who.Practice.ID, token)
}

// entered makes a Change from a form that a person filled in.
func (w *Writer) entered(who auth.User, f Form) Change {
	c := w.Prepare(who.Practice.ID, birth.Manual, mapping.Item{Draft: &f.Draft, Custom: f.Custom}, 0)
	if slices.ContainsFunc(slices.Concat(append(f.Draft.Children, f.Draft.Mother, f.Draft.Care)...), fromEHR) {
		c.source = birth.EHRPull
	}
	c.User = who.ID
	return c
}

func fromEHR(s birth.Stated) bool { return s.Value.Source == birth.EHRPull }

// Void removes a record from lists and statistics but keeps its history. It seals the reason.
// baseVersion is the version that the user saw. Void returns auth.ErrForbidden, store.ErrNotFound,
// ErrState if the record isn't active, or ErrChanged.
func (w *Writer) Void(who auth.User, uuid, reason string, baseVersion int) (Saved, error) {
	if err := who.Must(auth.RecordVoid); err != nil {
		return Saved{}, err
	}
	c := Change{source: birth.Manual, record: uuid, retraction: true, User: who.ID, note: birth.Plain(reason)}
	return w.change(who, &c, "record.void", func(_ *store.Tx, r store.Record) error {
		if r.State != birth.Active {
			return ErrState
		}
		return asOpened(r, baseVersion)
	})
}

// Restore makes a voided record what it was before it was voided, as a new version. It returns
// auth.ErrForbidden, store.ErrNotFound, or ErrState if the record isn't voided.
func (w *Writer) Restore(who auth.User, uuid, reason string) (Saved, error) {
	if err := who.Must(auth.RecordVoid); err != nil {
		return Saved{}, err
	}
	c := Change{source: birth.Manual, record: uuid, restore: true, User: who.ID, note: birth.Plain(reason)}
	return w.change(who, &c, "record.restore", func(_ *store.Tx, r store.Record) error {
		if r.State != birth.Voided {
			return ErrState
		}
		return nil
	})
}

func asOpened(r store.Record, baseVersion int) error {
	if r.Version != baseVersion {
		return ErrChanged
	}
	return nil
}

// change writes the next version of a record on file, unless check returns an error. It writes
// nothing if the change has the same content as the record.
func (w *Writer) change(who auth.User, c *Change, action string, check func(*store.Tx, store.Record) error) (Saved, error) {
	if c.Problem != nil {
		return Saved{}, c.Problem
	}
	if err := w.vault.Ready(); err != nil {
		return Saved{}, err
	}
	var saved Saved
	err := w.auth.Act(who, func(tx *store.Tx) error {
		r, err := tx.RecordByUUID(who.Practice.ID, c.record)
		if err != nil {
			return err
		}
		if err := check(tx, r); err != nil {
			return err
		}
		if c.course.Draft().Children != nil {
			on, err := w.BaseOf(&tx.View, who.Practice.ID, r, r.Version)
			if err != nil {
				return err
			}
			if c.states(on) {
				saved = SavedAs(r)
				saved.Unchanged = true
				return dropDraft(tx, who, c.draft)
			}
		}
		if saved, err = w.write(tx, who, c, action); err != nil {
			return err
		}
		return dropDraft(tx, who, c.draft)
	})
	return saved, err
}

// write writes one change, and its entry in the audit trail.
func (w *Writer) write(tx *store.Tx, who auth.User, c *Change, action string) (Saved, error) {
	if c.Problem != nil {
		return Saved{}, c.Problem
	}
	c.Saved = tx.Now
	results, err := w.Apply(tx, who.Practice.ID, Batch{Changes: []Change{*c}})
	if err != nil {
		return Saved{}, err
	}
	switch r := results[0][0]; r.Problem {
	case nil:
		return SavedAs(r.target.Record), w.auth.Note(tx, who, action, r.UUID)
	case fhir.WouldDuplicate:
		return Saved{}, ErrWouldDuplicate
	case fhir.Erased:
		return Saved{}, ErrErased
	default:
		return Saved{}, r.Problem
	}
}
