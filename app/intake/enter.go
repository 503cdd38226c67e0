package intake

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/store"
)

// enroll numbers a new record. One that a person wrote or a file brought gets a
// chart number when it has none, so that it can be found and amended.
func (b *board) enroll(e *entry, sub *submission) error {
	e.ID, e.UUID, e.Chart = b.nextID, sub.uuid, sub.chart
	b.nextID++
	if e.Chart == "" && (sub.source == birth.Manual || sub.source == birth.CSV || sub.source == birth.EHRPull) {
		var err error
		if e.Chart, err = b.freeChart(e.ID); err != nil {
			return err
		}
		e.Given = true
	}
	if e.Chart != "" {
		b.charted(e.Record)[e.Chart] = e
	}
	return nil
}

// freeChart returns a chart number that no record of the practice has: B-000123, or
// with a letter appended when that is taken.
func (b *board) freeChart(id int64) (string, error) {
	for behind := ' '; ; behind = max('a', behind+1) {
		chart := strings.TrimSpace(givenChart(id) + string(behind))
		if b.byChart[chart] != nil || b.byGiven[chart] != nil {
			continue
		}
		taken, err := b.tx.RecordsByChart(b.practice, []string{chart})
		if err != nil || len(taken) == 0 {
			return chart, err
		}
	}
}

// givenChart is how the chart numbers begin that the registry gives a record.
func givenChart(id int64) string { return fmt.Sprintf("B-%06d", id) }

// annotate adds what a person said besides: the reason, and the practice's own
// fields.
func (b *board) annotate(e *entry, sub *submission, version *store.Version) (err error) {
	if sub.note != "" {
		if version.Note, err = b.vault.Seal(records.NotePlace(b.practice, e.UUID, e.Version), []byte(sub.note)); err != nil {
			return err
		}
	}
	if sub.custom == nil {
		return nil
	}
	doc, err := json.Marshal(sub.custom, json.Deterministic(true))
	if err != nil {
		return errors.New("intake: the practice's own fields cannot be written as JSON")
	}
	sealed, err := b.vault.Seal(records.CustomPlace(b.practice, e.UUID, e.Version), doc)
	b.customs = append(b.customs, store.CustomValues{Record: e.ID, Version: e.Version, Sealed: sealed})
	return err
}

// enter gives a record new content.
func (b *board) enter(e *entry, sub *submission, d birth.Decision, version *store.Version) error {
	e.Content, e.IGVersion, e.Suspected = d.Version, sub.course.Draft().IGVersion, d.Suspected
	e.Source = sub.source
	b.setPrints(e, sub.prints, d.State)
	if err := b.attributeAll(e, sub, d.Version); err != nil {
		return err
	}
	e.Facts = sub.course.Facts()
	sealed, err := b.vault.Seal(records.PatientPlace(b.practice, e.UUID, d.Version), sub.course.Patient())
	if err != nil {
		return err
	}
	version.IGVersion, version.Reading = e.IGVersion, sub.course.Draft().Reading
	version.Course, version.Patient = &sub.course, sealed
	return nil
}
