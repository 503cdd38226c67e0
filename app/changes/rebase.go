package changes

import (
	"context"
	"errors"
	"maps"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/store"
)

// A row of a spreadsheet states some values, and leaves the rest of a record unchanged. What is
// written therefore depends on what is on file. Rebasing combines the row with the record's present
// content. This is done outside the transaction, where decrypting and masking delay nobody. It is
// done again inside the transaction for the few records that have changed in the meantime.

// RebaseNow is like Rebase, but reads from a snapshot of the database, outside any transaction.
func (w *Writer) RebaseNow(p store.PracticeID, changes []Change, within Permissions) error {
	return w.db.View(context.Background(), func(v *store.View) error { return w.Rebase(v, p, changes, within) })
}

// Rebase combines each partial change with the record that it amends, and checks the result. It
// rejects a change if its record must not be changed, or if two records have its chart number. It
// skips changes that are already combined with the present version.
func (w *Writer) Rebase(v *store.View, p store.PracticeID, changes []Change, within Permissions) error {
	var charts []string
	for i := range changes {
		if c := &changes[i]; c.partial != nil && c.chart != "" {
			charts = append(charts, c.chart)
		}
	}
	var records []store.Record
	zone := time.UTC
	if len(charts) > 0 {
		var err error
		if records, err = v.RecordsByChart(p, charts); err != nil {
			return err
		}
		if zone, err = zoneOf(v, p); err != nil {
			return err
		}
	}
	onFile, twice := make(map[string]store.Record, len(records)), map[string]bool{}
	for _, r := range records {
		before, there := onFile[r.Chart]
		twice[r.Chart] = there && before.ID != r.ID // the registry assigned the number to one record, and the other was sent or typed with the same number
		onFile[r.Chart] = r
	}
	for i := range changes {
		c := &changes[i]
		if c.partial == nil {
			continue
		}
		r, known := onFile[c.chart]
		if !known && !c.checked {
			c.check(c.partial.draft, nil)
		}
		if !known {
			continue
		}
		if problem := within.refuse(r); problem != nil { // checked regardless of what the change contains
			c.Problem, c.Wrong, c.Notes = problem, nil, nil
			continue
		}
		if twice[c.chart] {
			c.Problem, c.Wrong, c.Notes = TwoRecords, nil, nil
			continue
		}
		if c.baseVersion == r.Version {
			continue
		}
		if err := w.rebaseOne(v, p, r, c, within, zone); err != nil {
			return err
		}
	}
	return nil
}

// zoneOf returns a practice's time zone. It returns UTC for a practice that is being erased, for which
// nothing is written anymore.
func zoneOf(v *store.View, p store.PracticeID) (*time.Location, error) {
	practice, err := v.Practice(p)
	if errors.Is(err, store.ErrNotFound) {
		return time.UTC, nil
	}
	return practice.Location(), err
}

func (w *Writer) rebaseOne(v *store.View, p store.PracticeID, r store.Record, c *Change, within Permissions, zone *time.Location) error {
	on, err := w.BaseOf(v, p, r, r.Version)
	if err != nil {
		return err
	}
	c.baseVersion = r.Version
	d, problem := c.partial.amend(on.Draft)
	if c.Problem = problem; problem != nil {
		if within.outdated(r) {
			c.Problem = ChangedSince
		}
		return nil
	}
	d.KeepOffsets(on.Draft, zone)
	c.differences = birth.Differences(on.Draft, *d)
	c.check(*d, &on.Draft)
	if w.fill(p, c, *d); c.Problem == fhir.TooManyElements {
		return nil
	}
	if c.custom = nil; len(c.partial.custom) > 0 {
		c.custom = maps.Clone(on.Custom)
		maps.Copy(c.custom, c.partial.custom)
		if !maps.Equal(c.custom, on.Custom) {
			c.differences = append(c.differences, "Custom fields")
		}
	}
	if c.unchanged = c.states(on); !c.unchanged && within.outdated(r) {
		c.Problem, c.Wrong = ChangedSince, nil
	}
	return nil
}
