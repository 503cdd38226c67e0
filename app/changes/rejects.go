package changes

import (
	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// rejectsAtOnce is how many chart numbers of rejected courses a set remembers for each submission.
// All further rejected courses are remembered as one course without a chart number.
const rejectsAtOnce = 200

// rejects holds the chart numbers of pushed courses of care that were rejected, and of all courses
// that were applied. The home page reports a rejected course only until a course with the same
// chart number is applied, because then nothing is left to do.
type rejects struct {
	rejected map[int64]map[string]bool // chart numbers, by ingestion; "" is a course that cannot be recognized
	applied  map[string]bool           // chart numbers
}

// note remembers the result of a change for writeRejects. It remembers the chart number of an
// applied course, and of a pushed course that was rejected. It ignores changes to a record that the
// user chose by its ID, and pushes that were rejected because the record on file is newer.
func (r *rejects) note(result Result, ingestion int64) {
	c := result.Change
	switch {
	case result.Problem == nil && c.chart != "" && c.record == "":
		if r.applied == nil {
			r.applied = map[string]bool{}
		}
		r.applied[c.chart] = true
		for _, charts := range r.rejected {
			delete(charts, c.chart)
		}
	case result.Problem == fhir.Stale: // the record on file is newer, so nothing is left to do
	case result.Problem != nil && c.source == birth.FHIRPush:
		if r.rejected == nil {
			r.rejected = map[int64]map[string]bool{}
		}
		charts := r.rejected[ingestion]
		if charts == nil {
			charts = map[string]bool{}
			r.rejected[ingestion] = charts
		}
		if len(charts) >= rejectsAtOnce && !charts[c.chart] {
			charts[""] = true
		} else {
			charts[c.chart] = true
		}
	}
}

// rejectedChart returns the hash of the chart number that a rejected course states, or an empty
// slice if no number is stated.
func rejectedChart(key []byte, p store.PracticeID, chart string) []byte {
	if chart == "" {
		return []byte{}
	}
	return seal.Hash(key, int64(p), chart)
}

// writeRejects writes what note has remembered. It first deletes the earlier rejections of courses
// that were applied, and then adds the new rejections, because a course may have been rejected
// after it was applied.
func (s *Set) writeRejects() error {
	if len(s.applied) > 0 {
		any, err := s.tx.HasRejects(s.practice) // nearly always false
		if err == nil && any {
			err = s.tx.DropRejects(s.practice, s.rejectedCharts(s.applied))
		}
		if err != nil {
			return err
		}
	}
	for ingestion, charts := range s.rejected {
		if len(charts) == 0 {
			continue
		}
		if err := s.tx.AddRejects(s.practice, store.Rejects{Ingestion: ingestion, Charts: s.rejectedCharts(charts)}); err != nil {
			return err
		}
	}
	return nil
}

func (s *Set) rejectedCharts(charts map[string]bool) (hashes [][]byte) {
	for chart := range charts {
		hashes = append(hashes, rejectedChart(s.rejectedKey, s.practice, chart))
	}
	return hashes
}
