package changes

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
)

// create gives a new record its ID. It also assigns a chart number if the record has none and
// wasn't pushed, so that people can find and amend the record.
func (s *Set) create(t *Target, c *Change) error {
	t.ID, t.UUID, t.Chart = s.nextID, c.uuid, c.chart
	s.nextID++
	if t.Chart == "" && (c.source == birth.Manual || c.source == birth.CSV || c.source == birth.EHRPull) {
		var err error
		if t.Chart, err = s.freeChart(t.ID); err != nil {
			return err
		}
		t.Given = true
	}
	if t.Chart != "" {
		s.charted(t.Record)[t.Chart] = t
	}
	return nil
}

// freeChart returns a chart number that no record of the practice has: B-000123 for the ID 123, or
// the same with a letter appended if B-000123 is taken.
func (s *Set) freeChart(id int64) (string, error) {
	for behind := ' '; ; behind = max('a', behind+1) {
		chart := strings.TrimSpace(givenChart(id) + string(behind))
		if s.byChart[chart] != nil || s.byGiven[chart] != nil {
			continue
		}
		taken, err := s.tx.RecordsByChart(s.practice, []string{chart})
		if err != nil || len(taken) == 0 {
			return chart, err
		}
	}
}

// givenChart returns the chart number that freeChart tries first.
func givenChart(id int64) string { return fmt.Sprintf("B-%06d", id) }

// setContent gives a record the content of a change, and updates everything that follows from the
// content: fingerprints, the codes of the mother's name, providers and facts. It seals the patient
// data and stores the result in version.
func (s *Set) setContent(t *Target, c *Change, d birth.Decision, version *store.Version) error {
	t.Content, t.IGVersion, t.Suspected = d.Version, c.course.Draft().IGVersion, d.Suspected
	t.Source = c.source
	s.setFingerprints(t, c.fingerprints, d.State)
	t.names, t.renamed = c.names, true
	if err := s.linkProviders(t, c, d.Version); err != nil {
		return err
	}
	t.Facts = c.course.Facts()
	sealed, err := s.vault.Seal(records.PatientPlace(s.practice, t.UUID, d.Version), c.course.Patient())
	if err != nil {
		return err
	}
	version.IGVersion, version.Reading = t.IGVersion, c.course.Draft().Reading
	version.Course, version.Patient = &c.course, sealed
	return nil
}

// attached holds what is stored with a version in addition to its content. note is the reason that
// a person gave, or "". custom holds the custom fields by key; nil leaves all of them unchanged.
type attached struct {
	note   string
	custom map[string]string
}

// attach seals the person's note (the reason for the change) and stores it in version. It also
// seals the custom fields, which the set later writes together with the version.
func (s *Set) attach(t *Target, with attached, version *store.Version) (err error) {
	if with.note != "" {
		if version.Note, err = s.vault.Seal(records.NotePlace(s.practice, t.UUID, t.Version), []byte(with.note)); err != nil {
			return err
		}
	}
	if with.custom == nil {
		return nil
	}
	doc, err := json.Marshal(with.custom, json.Deterministic(true))
	if err != nil {
		return errors.New("changes: custom fields cannot be written as JSON")
	}
	sealed, err := s.vault.Seal(records.CustomPlace(s.practice, t.UUID, t.Version), doc)
	s.customs = append(s.customs, store.CustomValues{Record: t.ID, Version: t.Version, Sealed: sealed})
	return err
}
