package intake

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/go-json-experiment/json"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
)

// BaseVersion is a record as the form shows it for an amendment.
type BaseVersion struct {
	Record store.Record
	Draft  birth.Draft // with the providers, their stable identities included
	Custom map[string]string
}

// BaseVersion opens the present content of a record; store.ErrNotFound when the
// practice has none with this id.
func (s *Service) BaseVersion(ctx context.Context, p store.PracticeID, uuid string) (base BaseVersion, err error) {
	err = s.db.View(ctx, func(v *store.View) error {
		r, err := v.Shown(p, uuid)
		if err != nil {
			return err
		}
		base, err = s.baseVersion(v, p, r, r.Version)
		return err
	})
	return base, err
}

// BaseVersionAt opens what a record said as of a version, so that a form filled from
// it can be compared with what is on file now; store.ErrNotFound without it.
// Who took part is not kept by version: the people are those on file now.
func (s *Service) BaseVersionAt(ctx context.Context, p store.PracticeID, uuid string, version int) (base BaseVersion, err error) {
	err = s.db.View(ctx, func(v *store.View) error {
		r, err := v.Shown(p, uuid)
		if err != nil {
			return err
		}
		base, err = s.baseVersion(v, p, r, version)
		return err
	})
	return base, err
}

func (s *Service) baseVersion(v *store.View, p store.PracticeID, r store.Record, version int) (BaseVersion, error) {
	at, err := v.VersionOf(p, r.ID, version)
	if err != nil {
		return BaseVersion{}, err
	}
	patient, err := s.vault.Open(records.PatientPlace(p, r.UUID, at.Content), at.Patient)
	if err != nil {
		return BaseVersion{}, err
	}
	course, err := birth.Restore(at.Clinical, patient)
	if err != nil {
		return BaseVersion{}, err
	}
	base := BaseVersion{Record: r, Draft: course.Draft()}
	base.Draft.Chart, base.Draft.IGVersion, base.Draft.Reading = r.Chart, r.IGVersion, at.Reading
	if base.Draft.Providers, err = s.present(v, p, r); err != nil {
		return BaseVersion{}, err
	}
	base.Custom, err = s.Custom(v, p, r.UUID, r.ID, version)
	return base, err
}

// present returns who took part in a birth, as the form sends them back.
func (s *Service) present(v *store.View, p store.PracticeID, r store.Record) (all []birth.Provider, err error) {
	rows, err := v.ProvidersOf(p, r.ID, r.Content)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		key, npi, err := records.OpenProvider(s.vault, p, row.Provider)
		if err != nil {
			return nil, err
		}
		all = append(all, birth.Provider{
			Key: key, NPI: npi, Name: row.Name, Credentials: row.Credentials, Role: row.Role, Attending: row.Attending,
			Source: r.Source,
		})
	}
	return all, nil
}

// Custom opens what a record said in the practice's own fields as of a version;
// empty when it said nothing.
func (s *Service) Custom(v *store.View, p store.PracticeID, uuid string, record int64, version int) (map[string]string, error) {
	custom := map[string]string{}
	row, err := v.CustomAt(p, record, version)
	if err != nil || row.Version == 0 {
		return custom, err
	}
	doc, err := s.vault.Open(records.CustomPlace(p, uuid, row.Version), row.Sealed)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(doc, &custom); err != nil {
		return nil, errors.New("intake: the practice's own fields are not readable")
	}
	return custom, nil
}

// unchanged reports whether a submission says what is on file already, sources
// included.
func (s *Service) unchanged(v *store.View, p store.PracticeID, r store.Record, sub *submission) (bool, error) {
	on, err := s.baseVersion(v, p, r, r.Version)
	return err == nil && sub.says(on), err
}

// says reports whether a submission says what a record says.
func (sub *submission) says(on BaseVersion) bool {
	if on.Record.State == birth.Voided { // to be sent again revives it
		return false
	}
	for key, text := range sub.custom {
		if on.Custom[key] != text {
			return false
		}
	}
	now, before := sub.course, birth.Mask(on.Draft)
	return string(now.Clinical()) == string(before.Clinical()) && string(now.Patient()) == string(before.Patient()) &&
		slices.EqualFunc(sorted(now.Draft().Providers), sorted(before.Draft().Providers), func(a, b birth.Provider) bool {
			a.Source, b.Source = "", ""
			return a == b
		})
}

func sorted(all []birth.Provider) []birth.Provider {
	return slices.SortedFunc(slices.Values(all), func(a, b birth.Provider) int { return cmp.Compare(a.Key, b.Key) })
}
