package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/store"
)

// FieldWarning is what whoever defines a field is told first: what a field
// asks for is kept, and masking cannot know what it means.
const FieldWarning = "Do not create fields for names, addresses or numbers of people."

// How many fields a practice may ask for at once, how many it may ever have
// had, and how many choices one may offer.
const (
	FieldsMax     = 50
	fieldsEver    = 500
	ChoicesMax    = 50
	keySize       = 40
	emptyKey      = "field"
	choiceTooLong = 60
)

// What defining a field can be refused for.
var (
	ErrTooManyFields = fmt.Errorf("access: a practice has at most %d fields of its own; retire one first", FieldsMax)
	ErrFieldTaken    = errors.New("access: the practice has a field with this label; choose another label")
	ErrFieldKind     = errors.New("access: choose the kind of the field")
	ErrFieldChoices  = fmt.Errorf("access: give 2 to %d different choices of at most %d printable characters each", ChoicesMax, choiceTooLong)
)

// Fields lists a practice's own fields in its order, retired ones included.
func (a *Access) Fields(ctx context.Context, p store.PracticeID) (all []birth.CustomField, err error) {
	err = a.db.View(ctx, func(v *store.View) (err error) {
		all, err = v.CustomFields(p)
		return err
	})
	return all, err
}

// DefineField adds a field to the practice's form: label, kind and, for a
// choice, the options. Its key is made of the label and never changes. It
// returns ErrForbidden, ErrBadLabel, ErrFieldKind, ErrFieldChoices,
// ErrFieldTaken or ErrTooManyFields.
func (a *Access) DefineField(who Person, f birth.CustomField) (birth.CustomField, error) {
	f.Label = strings.Join(strings.Fields(f.Label), " ")
	f.Options = tidyChoices(f.Options)
	switch {
	case !who.May(FieldDefine):
		return f, ErrForbidden
	case !goodLabel(f.Label):
		return f, ErrBadLabel
	case !slices.ContainsFunc(birth.CustomKinds, func(o birth.Option) bool { return o.Code == string(f.Kind) }):
		return f, ErrFieldKind
	case f.Kind != birth.CustomChoice:
		f.Options = nil
	case !goodChoices(f.Options):
		return f, ErrFieldChoices
	}
	err := a.db.Update(func(tx *store.Tx) error {
		known, err := tx.CustomFields(who.Practice.ID)
		if err != nil {
			return err
		}
		if err := room(known, f.Label); err != nil {
			return err
		}
		f.Key = freeKey(known, f.Label)
		if f.ID, err = tx.AddCustomField(who.Practice.ID, f); err != nil {
			return err
		}
		return a.Note(tx, who, "field.add", f.Name())
	})
	return f, err
}

// room refuses one field too many, and a label that the form shows already.
func room(known []birth.CustomField, label string) error {
	inUse := 0
	for _, f := range known {
		if f.Retired {
			continue
		}
		inUse++
		if strings.EqualFold(f.Label, label) {
			return ErrFieldTaken
		}
	}
	if inUse >= FieldsMax || len(known) >= fieldsEver {
		return ErrTooManyFields
	}
	return nil
}

// RelabelField changes what people read for a field. It returns ErrForbidden,
// ErrBadLabel, ErrFieldTaken, or store.ErrNotFound without such a field.
func (a *Access) RelabelField(who Person, id int64, label string) error {
	label = strings.Join(strings.Fields(label), " ")
	if err := who.Must(FieldDefine); err != nil {
		return err
	}
	if !goodLabel(label) {
		return ErrBadLabel
	}
	return a.changeField(who, id, "field.label", func(tx *store.Tx, known []birth.CustomField, at int) error {
		others := slices.Delete(slices.Clone(known), at, at+1)
		if errors.Is(room(others, label), ErrFieldTaken) {
			return ErrFieldTaken
		}
		return tx.RelabelCustomField(who.Practice.ID, id, label)
	})
}

// RetireField takes a field off the form, or brings it back; what records say
// in it stays. It returns ErrForbidden, store.ErrNotFound, and for a field that
// comes back ErrFieldTaken or ErrTooManyFields.
func (a *Access) RetireField(who Person, id int64, retired bool) error {
	action := "field.retire"
	if !retired {
		action = "field.restore"
	}
	return a.changeField(who, id, action, func(tx *store.Tx, known []birth.CustomField, at int) error {
		if !retired && known[at].Retired {
			if err := room(slices.Delete(slices.Clone(known), at, at+1), known[at].Label); err != nil {
				return err
			}
		}
		return tx.RetireCustomField(who.Practice.ID, id, retired)
	})
}

// MoveField moves a field one place up or down among those that are asked for.
// One that is at the end already stays. It returns ErrForbidden or
// store.ErrNotFound.
func (a *Access) MoveField(who Person, id int64, up bool) error {
	return a.changeField(who, id, "field.order", func(tx *store.Tx, known []birth.CustomField, at int) error {
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

// changeField runs a change of one of the practice's fields, which is at a
// place of the list of all, and notes it.
func (a *Access) changeField(
	who Person, id int64, action string, change func(tx *store.Tx, known []birth.CustomField, at int) error,
) error {
	if err := who.Must(FieldDefine); err != nil {
		return err
	}
	return a.db.Update(func(tx *store.Tx) error {
		known, err := tx.CustomFields(who.Practice.ID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(known, func(f birth.CustomField) bool { return f.ID == id })
		if at < 0 {
			return store.ErrNotFound
		}
		name := known[at].Name()
		if err := change(tx, known, at); err != nil {
			return err
		}
		return a.Note(tx, who, action, name)
	})
}
