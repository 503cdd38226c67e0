package intake

import (
	"context"
	"maps"
	"time"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/store"
)

// A row of a spreadsheet states some values and leaves the rest of a record as it
// stands, so what is to be written depends on what is on file. Rebasing a
// submission lays its rows over the present content. It is done outside the
// writer, where opening and masking cost nobody anything, and once more inside
// it for the few records that have changed in between.

// rebaseNow rebases submissions on a snapshot.
func (s *Service) rebaseNow(p store.PracticeID, subs []submission, within permissions) error {
	return s.db.View(context.Background(), func(v *store.View) error { return s.rebase(v, p, subs, within) })
}

// rebase lays the rows of every submission from a file over the record they
// amend, unless that was done with its present version already, or the file may
// not change it.
func (s *Service) rebase(v *store.View, p store.PracticeID, subs []submission, within permissions) error {
	var charts []string
	for i := range subs {
		if sub := &subs[i]; sub.partial != nil && sub.chart != "" {
			charts = append(charts, sub.chart)
		}
	}
	var records []store.Record
	if len(charts) > 0 {
		var err error
		if records, err = v.RecordsByChart(p, charts); err != nil {
			return err
		}
	}
	onFile, alike := make(map[string]store.Record, len(records)), map[string]bool{}
	for _, r := range records {
		before, there := onFile[r.Chart]
		alike[r.Chart] = there && before.ID != r.ID // one that was given, one that was sent
		onFile[r.Chart] = r
	}
	for i := range subs {
		sub := &subs[i]
		if sub.partial == nil {
			continue
		}
		r, known := onFile[sub.chart]
		if !known && !sub.checked {
			sub.check(sub.partial.draft, nil)
		}
		if !known {
			continue
		}
		if problem := within.refuse(r); problem != nil { // whatever it says
			sub.problem, sub.wrong, sub.notes = problem, nil, nil
			continue
		}
		if alike[sub.chart] {
			sub.problem, sub.wrong, sub.notes = TwoRecords, nil, nil
			continue
		}
		if sub.baseVersion == r.Version {
			continue
		}
		if err := s.rebaseOne(v, p, r, sub, within); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) rebaseOne(v *store.View, p store.PracticeID, r store.Record, sub *submission, within permissions) error {
	on, err := s.baseVersion(v, p, r, r.Version)
	if err != nil {
		return err
	}
	sub.baseVersion = r.Version
	d, problem := sub.partial.amend(on.Draft)
	if sub.problem = problem; problem != nil {
		if within.outdated(r) {
			sub.problem = ChangedSince
		}
		return nil
	}
	sub.check(*d, birth.Check(on.Draft, time.Now()))
	if s.fill(p, sub, *d); sub.problem == fhir.TooManyElements {
		return nil
	}
	if sub.custom = nil; len(sub.partial.custom) > 0 {
		sub.custom = maps.Clone(on.Custom)
		maps.Copy(sub.custom, sub.partial.custom)
	}
	if sub.unchanged = sub.says(on); !sub.unchanged && within.outdated(r) {
		sub.problem, sub.wrong = ChangedSince, nil
	}
	return nil
}
