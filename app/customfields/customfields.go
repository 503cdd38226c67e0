// Package customfields manages the fields that a practice adds to its form. Such a field has a
// label, a kind and, if it is a choice, a list of options (spec, "Custom fields").
//
// A field is never deleted. Instead, it is retired, and records keep their values.
package customfields

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/store"
)

// Warning is shown to a user who defines a field. Whatever is entered in the field is kept, because
// masking (birth.Mask) can't know what a custom field means.
const Warning = "Do not create fields for names, addresses or ID numbers."

// The limits for a practice's custom fields.
const (
	Max           = 50  // fields in use
	maxEver       = 500 // fields in use and retired ones
	MaxChoices    = 50  // options of one field
	maxChoiceSize = 60  // characters
	maxKeySize    = 40  // bytes
)

// The errors of Define, Relabel and SetRetired.
var (
	ErrTooMany    = fmt.Errorf("customfields: a practice can have at most %d custom fields in use, and %d with the retired ones", Max, maxEver)
	ErrLabelTaken = errors.New("customfields: the practice has a field with this label; choose another label")
	ErrKind       = errors.New("customfields: choose the kind of the field")
	ErrChoices    = fmt.Errorf("customfields: give 2 to %d different choices of at most %d printable characters each", MaxChoices, maxChoiceSize)
)

// Service manages the custom fields of practices.
type Service struct {
	db   *store.DB
	auth *auth.Service
}

// New returns a Service for a database.
func New(db *store.DB, users *auth.Service) *Service { return &Service{db, users} }

// List returns a practice's custom fields, including retired ones, in the order that the practice
// has chosen.
func (s *Service) List(ctx context.Context, p store.PracticeID) ([]birth.CustomField, error) {
	return store.Read(ctx, s.db, func(v *store.View) ([]birth.CustomField, error) { return v.CustomFields(p) })
}

// Define adds a field to the practice's form, with its label, its kind and, for a choice, its
// options. The field's key is made from the label and never changes.
//
// Define returns auth.ErrForbidden if the user may not define fields. Otherwise, it returns all
// errors in the field, joined in the order of the form: auth.ErrBadLabel, ErrKind, ErrChoices,
// ErrLabelTaken and ErrTooMany.
func (s *Service) Define(who auth.User, f birth.CustomField) (birth.CustomField, error) {
	if !who.May(auth.FieldDefine) {
		return f, auth.ErrForbidden
	}
	f.Label = strings.Join(strings.Fields(f.Label), " ")
	f.Options = tidyChoices(f.Options)
	if f.Kind != birth.CustomChoice {
		f.Options = nil
	}
	wrong := check(f)
	err := s.auth.Act(who, func(tx *store.Tx) error {
		known, err := tx.CustomFields(who.Practice.ID)
		if err != nil {
			return err
		}
		if err := errors.Join(wrong, checkNew(known, f.Label)); err != nil {
			return err
		}
		f.Key = freeKey(known, f.Label)
		if f.ID, err = tx.AddCustomField(who.Practice.ID, f); err != nil {
			return err
		}
		return s.auth.Note(tx, who, "field.add", f.Name())
	})
	return f, err
}

// check returns all errors in the label, the kind and the choices of a new field, joined. It
// doesn't compare the new field with the practice's other fields.
func check(f birth.CustomField) error {
	var kind, choices error
	if !slices.ContainsFunc(birth.CustomKinds, func(o birth.Option) bool { return o.Code == string(f.Kind) }) {
		kind = ErrKind
	}
	if f.Kind == birth.CustomChoice && !goodChoices(f.Options) {
		choices = ErrChoices
	}
	return errors.Join(auth.CheckLabel(f.Label), kind, choices)
}

// checkNew returns ErrLabelTaken if a field in use already has the label. Otherwise, it returns
// ErrTooMany if the practice has reached a limit.
func checkNew(known []birth.CustomField, label string) error {
	inUse := 0
	for _, f := range known {
		if f.Retired {
			continue
		}
		inUse++
		if strings.EqualFold(f.Label, label) {
			return ErrLabelTaken
		}
	}
	if inUse >= Max || len(known) >= maxEver {
		return ErrTooMany
	}
	return nil
}

// Relabel changes the label of a field. It returns auth.ErrForbidden, auth.ErrBadLabel,
// ErrLabelTaken, or store.ErrNotFound if there is no such field.
func (s *Service) Relabel(who auth.User, id int64, label string) error {
	label = strings.Join(strings.Fields(label), " ")
	if err := who.Must(auth.FieldDefine); err != nil {
		return err
	}
	if err := auth.CheckLabel(label); err != nil {
		return err
	}
	return s.change(who, id, "field.label", func(tx *store.Tx, known []birth.CustomField, at int) error {
		others := slices.Delete(slices.Clone(known), at, at+1)
		if errors.Is(checkNew(others, label), ErrLabelTaken) {
			return ErrLabelTaken
		}
		return tx.RelabelCustomField(who.Practice.ID, id, label)
	})
}

// SetRetired removes a field from the form, or puts it back if retired is false. Records keep their
// values. It returns auth.ErrForbidden or store.ErrNotFound. For a field that is put back, it may
// also return ErrLabelTaken or ErrTooMany.
func (s *Service) SetRetired(who auth.User, id int64, retired bool) error {
	action := "field.retire"
	if !retired {
		action = "field.restore"
	}
	return s.change(who, id, action, func(tx *store.Tx, known []birth.CustomField, at int) error {
		if !retired && known[at].Retired {
			if err := checkNew(slices.Delete(slices.Clone(known), at, at+1), known[at].Label); err != nil {
				return err
			}
		}
		return tx.RetireCustomField(who.Practice.ID, id, retired)
	})
}

// Move moves a field one position up or down among the fields in use. It does nothing if the field
// is already the first or the last. It returns auth.ErrForbidden or store.ErrNotFound.
func (s *Service) Move(who auth.User, id int64, up bool) error {
	return s.change(who, id, "field.order", func(tx *store.Tx, known []birth.CustomField, at int) error {
		step := 1
		if up {
			step = -1
		}
		to := at + step
		for to >= 0 && to < len(known) && known[to].Retired {
			to += step
		}
		if to < 0 || to >= len(known) {
			return nil
		}
		known[at], known[to] = known[to], known[at]
		ids := make([]int64, len(known))
		for i, f := range known {
			ids[i] = f.ID
		}
		return tx.OrderCustomFields(who.Practice.ID, ids)
	})
}

// change calls apply in a transaction, and adds the action to the audit trail. It passes the
// practice's fields to apply, with the index of the field that has this ID. It returns
// auth.ErrForbidden, store.ErrNotFound, or the error from apply.
func (s *Service) change(
	who auth.User, id int64, action string, apply func(tx *store.Tx, known []birth.CustomField, at int) error,
) error {
	return s.auth.ActIf(who, auth.FieldDefine, func(tx *store.Tx) error {
		known, err := tx.CustomFields(who.Practice.ID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(known, func(f birth.CustomField) bool { return f.ID == id })
		if at < 0 {
			return store.ErrNotFound
		}
		name := known[at].Name()
		if err := apply(tx, known, at); err != nil {
			return err
		}
		return s.auth.Note(tx, who, action, name)
	})
}
