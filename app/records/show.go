package records

import (
	"context"
	"errors"
	"slices"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// Find returns the record with the given submission ID or chart number. It returns ErrNotFound if
// there is no such record, and a *SameNumberError if two records have the chart number.
func (r *Records) Find(ctx context.Context, p store.PracticeID, idOrChart string) (found store.Record, err error) {
	err = r.db.View(ctx, func(v *store.View) (err error) {
		found, err = v.RecordByUUID(p, idOrChart)
		if !errors.Is(err, store.ErrNotFound) {
			return err
		}
		chart, ok := birth.Chart(idOrChart)
		if !ok || chart == "" {
			return ErrNotFound
		}
		byChart, err := v.RecordsByChart(p, []string{chart})
		if err != nil {
			return err
		}
		switch len(byChart) {
		case 0:
			return ErrNotFound
		case 2:
			return sameNumberError(byChart)
		}
		found = byChart[0]
		return nil
	})
	return found, err
}

// MergedInto returns the records that were merged into a record. All of them describe the same
// birth.
func (r *Records) MergedInto(ctx context.Context, p store.PracticeID, into store.Record) ([]store.Record, error) {
	all, err := store.Read(ctx, r.db, func(v *store.View) ([]store.Record, error) { return v.MergedBirth(p, into.ID) })
	return slices.DeleteFunc(all, func(one store.Record) bool { return one.ID == into.ID }), err
}

// SameNumberError means that two records have the requested chart number. The registry assigned the
// number to one of them. The other was sent or typed with the same number. Given and Sent are the
// IDs of these two records.
type SameNumberError struct{ Given, Sent string }

func sameNumberError(two []store.Record) *SameNumberError {
	if two[0].Given {
		return &SameNumberError{two[0].UUID, two[1].UUID}
	}
	return &SameNumberError{two[1].UUID, two[0].UUID}
}

func (e *SameNumberError) Error() string {
	return "two records have this chart number; name one of them by its id:\n" +
		e.Given + "  the registry gave it this number\n" + e.Sent + "  it was sent or typed with this number"
}

// Show returns one version of a record. If version is 0, it returns the present version. Patient
// data is included only if reveal is set.
func (r *Records) Show(ctx context.Context, p store.PracticeID, idOrChart string, version int, reveal bool) (Record, error) {
	head, err := r.Find(ctx, p, idOrChart)
	if err != nil {
		return Record{}, err
	}
	if version == 0 {
		version = head.Version
	}
	out, err := store.Read(ctx, r.db, func(v *store.View) (Record, error) { return r.show(v, p, head, version, reveal) })
	err = store.Translate(err, seal.ErrSealed, store.ErrDamaged) // a record that can't be decrypted can't be shown either
	return out, store.Translate(err, store.ErrNotFound, ErrNotFound)
}

func (r *Records) show(v *store.View, p store.PracticeID, head store.Record, version int, reveal bool) (Record, error) {
	if _, err := v.Shown(p, head.UUID); err != nil {
		return Record{}, err
	}
	at, err := v.VersionOf(p, head.ID, version)
	if err != nil {
		return Record{}, err
	}
	providers, err := v.ProvidersOf(p, head.ID, at.Content)
	if err != nil {
		return Record{}, err
	}
	d, err := r.open(p, head.UUID, at.Held())
	if err != nil {
		return Record{}, err
	}
	out := build(head, at, d, providers, reveal)
	if out.Event, err = r.event(v, p, head, version); err != nil {
		return Record{}, err
	}
	if !reveal {
		out.Event.Note = ""
	}
	return out, r.addCustom(v, p, &out, reveal)
}

// addCustom adds the values of the practice's custom fields to the record.
func (r *Records) addCustom(v *store.View, p store.PracticeID, out *Record, reveal bool) error {
	stated, _, err := r.custom(v, p, out.head, out.Version)
	if err != nil || len(stated) == 0 {
		return err
	}
	fields, err := v.CustomFields(p)
	if err != nil {
		return err
	}
	for _, f := range fields {
		text := stated[f.Key]
		if text == "" {
			continue
		}
		if !reveal {
			out.CustomFields, out.Custom[f.Key] = append(out.CustomFields, CustomField{Field: f}), CustomValue{Sealed: true}
			continue
		}
		out.CustomFields, out.Custom[f.Key] = append(out.CustomFields, CustomField{Field: f, Text: text}), CustomValue{Value: text}
	}
	return nil
}

// custom returns the values of a record's custom fields as OpenCustom does.
func (r *Records) custom(v *store.View, p store.PracticeID, head store.Record, version int) (stated map[string]string, since int, err error) {
	return OpenCustom(r.vault, v, p, head.UUID, head.ID, version)
}

func build(head store.Record, at store.StoredVersion, d birth.Draft, providers []store.AttributedProvider, reveal bool) Record {
	out := Record{
		ID: head.UUID, ChartNumber: head.Chart, Given: head.Given, State: stateAt(head, at), Version: at.Version, Change: at.Change,
		IGVersion: at.IGVersion, Reading: at.Reading, Suspected: head.Suspected,
		Mother: valuesOf(d.Mother, ofMother, reveal), Care: valuesOf(d.Care, ofCare, reveal),
		Children: []Values{}, Providers: providersOf(providers), Transfers: []Transfer{},
		Consent: d.Consent, Custom: map[string]CustomValue{},
		head: head, content: at.Content,
	}
	if !at.Stamp.IsZero() {
		out.SourceStamp = at.Stamp.Format(time.RFC3339Nano)
	}
	for i, child := range d.Children {
		out.Children = append(out.Children, valuesOf(child, i, reveal))
	}
	for _, t := range d.Transfers {
		shown := Transfer{Transfer: t}
		if !reveal {
			shown.DateTime, shown.Reason, shown.Sealed = "", "", t.DateTime != "" || t.Reason != ""
		}
		out.Transfers = append(out.Transfers, shown)
	}
	return out
}

// providersOf returns the providers who took part in a birth, starting with the attendant.
// Providers that were merged later are listed only once.
func providersOf(named []store.AttributedProvider) []Provider {
	providers, seen := []Provider{}, map[int64]bool{}
	for _, n := range named { // starts with the attendant
		if !seen[n.SurvivorID()] {
			seen[n.SurvivorID()] = true
			providers = append(providers, Provider{n.SurvivorID(), n.Name, n.Credentials, n.Role, n.Attending})
		}
	}
	return providers
}

// stateAt returns the state that a record had after one of its versions. For the newest version, it
// returns the record's present state.
func stateAt(head store.Record, at store.StoredVersion) birth.State {
	if at.Version == head.Version {
		return head.State
	}
	return at.State
}

func valuesOf(values birth.Values, of int, reveal bool) Values {
	out := make(Values, 0, len(values))
	for _, s := range values {
		out = append(out, Value{Field: s.Field, Value: s.Value, Hidden: s.Field.Sealed && !reveal, of: of})
	}
	return out
}
