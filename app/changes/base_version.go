package changes

import (
	"cmp"
	"context"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
)

// BaseVersion is a version of a record from which the form for an amendment is filled in.
type BaseVersion struct {
	Record store.Record
	Draft  birth.Draft // with the providers and their keys (birth.Provider.Key)
	Custom map[string]string
	// Known holds the IDs of the draft's providers, in the same order. For a provider that was
	// merged into another one, Known has the ID of the other one.
	Known []int64
}

// BaseVersion returns the present version of a record. It returns store.ErrNotFound if the practice
// has no record with this ID.
func (w *Writer) BaseVersion(ctx context.Context, p store.PracticeID, uuid string) (BaseVersion, error) {
	return store.Read(ctx, w.db, func(v *store.View) (base BaseVersion, err error) {
		r, err := v.Shown(p, uuid)
		if err != nil {
			return base, err
		}
		return w.BaseOf(v, p, r, r.Version)
	})
}

// BaseVersionAt returns an earlier version of a record. A form that was filled in from that version
// can then be compared with the present version. BaseVersionAt returns store.ErrNotFound if there
// is no such version.
func (w *Writer) BaseVersionAt(ctx context.Context, p store.PracticeID, uuid string, version int) (BaseVersion, error) {
	return store.Read(ctx, w.db, func(v *store.View) (base BaseVersion, err error) {
		r, err := v.Shown(p, uuid)
		if err != nil {
			return base, err
		}
		return w.BaseOf(v, p, r, version)
	})
}

// BaseOf is like BaseVersionAt, but for a record that the caller has already read.
func (w *Writer) BaseOf(v *store.View, p store.PracticeID, r store.Record, version int) (BaseVersion, error) {
	at, err := v.VersionOf(p, r.ID, version)
	if err != nil {
		return BaseVersion{}, err
	}
	course, err := records.OpenContent(w.vault, p, r.UUID, at.Held())
	if err != nil {
		return BaseVersion{}, err
	}
	base := BaseVersion{Record: r, Draft: course.Draft()}
	base.Draft.Chart, base.Draft.IGVersion, base.Draft.Reading = r.Chart, r.IGVersion, at.Reading
	if base.Draft.Providers, base.Known, err = w.providersOf(v, p, r, at.Content); err != nil {
		return BaseVersion{}, err
	}
	if all := base.Draft.Providers; len(all) > 0 && all[0].Attending { // the attendant has the name that pages show
		base.Draft.AttendedBy(all[0])
	}
	base.Custom, err = w.Custom(v, p, r.UUID, r.ID, version)
	return base, err
}

// providersOf returns the providers that a version of a record names, for the form that amends the
// record. known holds the IDs of these providers, in the same order. For a provider that was merged
// into another one, known has the ID of the other one.
func (w *Writer) providersOf(v *store.View, p store.PracticeID, r store.Record, content int) (all []birth.Provider, known []int64, err error) {
	rows, err := v.ProvidersOf(p, r.ID, content)
	if err != nil {
		return nil, nil, err
	}
	for _, row := range rows {
		key, npi, err := records.OpenProvider(w.vault, p, row.Provider)
		if err != nil {
			return nil, nil, err
		}
		known = append(known, row.SurvivorID())
		all = append(all, birth.Provider{
			Key: key, NPI: npi, Name: row.Name, Credentials: row.Credentials, Role: row.Role, Attending: row.Attending,
			Source: r.Source,
		})
	}
	return all, known, nil
}

// Custom returns the values that a record's custom fields had in a version, by the fields' keys.
// The map is empty if there were none.
func (w *Writer) Custom(v *store.View, p store.PracticeID, uuid string, record int64, version int) (map[string]string, error) {
	custom, _, err := records.OpenCustom(w.vault, v, p, uuid, record, version)
	if custom == nil {
		custom = map[string]string{}
	}
	return custom, err
}

// states reports whether a record already has everything that the change states. on is that record.
// A value with another source is a difference, but a provider with another source isn't. Custom
// fields that the change doesn't state are ignored. For a voided record, states returns false,
// because the change would revive the record.
func (c *Change) states(on BaseVersion) bool {
	if on.Record.State == birth.Voided { // a push for a voided record revives it
		return false
	}
	for key, text := range c.custom {
		if on.Custom[key] != text {
			return false
		}
	}
	now, before := c.course, birth.Mask(on.Draft)
	return string(now.Clinical()) == string(before.Clinical()) && string(now.Patient()) == string(before.Patient()) &&
		slices.EqualFunc(sorted(now.Draft().Providers), sorted(before.Draft().Providers), func(a, b birth.Provider) bool {
			a.Source, b.Source = "", ""
			return a == b
		})
}

func sorted(all []birth.Provider) []birth.Provider {
	return slices.SortedFunc(slices.Values(all), func(a, b birth.Provider) int { return cmp.Compare(a.Key, b.Key) })
}
