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

// Find returns the record with this submission ID or chart number. It returns ErrNotFound if there
// is none, and a *SameNumberError if two records have the number.
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

// MergedInto returns the records that were merged into a record. They all describe the same birth.
func (r *Records) MergedInto(ctx context.Context, p store.PracticeID, into store.Record) ([]store.Record, error) {
	all, err := store.Read(ctx, r.db, func(v *store.View) ([]store.Record, error) { return v.MergedBirth(p, into.ID) })
	return slices.DeleteFunc(all, func(one store.Record) bool { return one.ID == into.ID }), err
}

// SameNumberError means that two records have the requested chart number. The registry assigned
// the number to one record (Given), and the other record was sent or typed with it (Sent). Given
// and Sent are the records' IDs.
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

// Show returns a record as of a version (0 for the present one). If reveal is set, it includes
// patient data.
func (r *Records) Show(ctx context.Context, p store.PracticeID, idOrChart string, version int, reveal bool) (Record, error) {
	head, err := r.Find(ctx, p, idOrChart)
	if err != nil {
		return Record{}, err
	}
	if version == 0 {
		version = head.Version
	}
	out, err := store.Read(ctx, r.db, func(v *store.View) (Record, error) { return r.show(v, p, head, version, reveal) })
	err = store.Translate(err, seal.ErrSealed, store.ErrDamaged) // a record that doesn't open can't be shown either
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

// addCustom adds the record's values of the practice's custom fields.
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

// custom is OpenCustom for a record of this database.
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

// providersOf lists the providers who took part. Identities that were merged later count as one
// provider.
func providersOf(named []store.AttributedProvider) []Provider {
	providers, seen := []Provider{}, map[int64]bool{}
	for _, n := range named { // the attendant first
		if !seen[n.SurvivorID()] {
			seen[n.SurvivorID()] = true
			providers = append(providers, Provider{n.SurvivorID(), n.Name, n.Credentials, n.Role, n.Attending})
		}
	}
	return providers
}

// stateAt returns the state that a record had after a version or, for the newest version, the
// record's present state.
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
