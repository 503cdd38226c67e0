package changes

import (
	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// rejectsAtOnce is how many chart numbers of rejected courses a set remembers for an ingestion.
// The rest are remembered as one course that cannot be recognized.
const rejectsAtOnce = 200

// rejects holds the pushed courses of care that were rejected, and the courses that were applied.
// An earlier push of an applied course may have been rejected; the home page then stops reporting
// that rejection, because nothing is left to do.
type rejects struct {
	rejected map[int64]map[string]bool // chart numbers, by ingestion; "" is a course that cannot be recognized
	applied  map[string]bool           // chart numbers
}

// note notes a change that was applied to the record with its chart number, and a push that was
// rejected.
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
	case result.Problem == fhir.Stale: // what is on file is newer, so nothing is left to do
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

// rejectedChart returns the hash of a chart number that a rejected course states, or an empty one
// if it states none.
func rejectedChart(key []byte, p store.PracticeID, chart string) []byte {
	if chart == "" {
		return []byte{}
	}
	return seal.Hash(key, int64(p), chart)
}

// writeRejects writes what was noted: first what was applied, because a course may have been
// rejected again after that.
func (s *Set) writeRejects() error {
	if len(s.applied) > 0 {
		any, err := s.tx.HasRejects(s.practice) // nearly always none
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
