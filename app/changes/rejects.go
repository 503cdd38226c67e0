package changes

import (
	"birthregistry/app/birth"
	"birthregistry/app/seal"
	"birthregistry/store"
)

// rejectsAtOnce is how many chart numbers of rejected courses a set remembers for an ingestion.
// The rest are remembered as one course that cannot be recognized.
const rejectsAtOnce = 200

// rejects holds which pushed courses of care were rejected, and which were applied after an
// earlier push of them had been rejected, perhaps. So the home page stops reporting a rejection
// once nothing is left to do.
type rejects struct {
	rejected map[int64]map[string]bool // hashes of chart numbers, by ingestion
	applied  map[string]bool           // hashes of chart numbers
}

// settle notes the result of a change that names its record by the chart number.
func (s *Set) settle(r Result, ingestion int64) {
	c := r.Change
	switch {
	case r.Problem == nil && c.chart != "" && c.record == "":
		if s.applied == nil {
			s.applied = map[string]bool{}
		}
		hash := s.rejectedChart(c)
		s.applied[hash] = true
		for _, charts := range s.rejected {
			delete(charts, hash)
		}
	case r.Problem != nil && c.source == birth.FHIRPush:
		if s.rejected == nil {
			s.rejected = map[int64]map[string]bool{}
		}
		charts := s.rejected[ingestion]
		if charts == nil {
			charts = map[string]bool{}
			s.rejected[ingestion] = charts
		}
		if c.chart == "" || len(charts) >= rejectsAtOnce {
			charts[""] = true
		} else {
			charts[s.rejectedChart(c)] = true
		}
	}
}

func (s *Set) rejectedChart(c *Change) string {
	return string(rejectedChart(s.rejectedKey, s.practice, c.chart))
}

// rejectedChart returns the hash of a chart number that a rejected course states.
func rejectedChart(key []byte, p store.PracticeID, chart string) []byte {
	return seal.Hash(key, int64(p), chart)
}

// writeRejects writes what settle noted: first what was applied, because a course may have been
// rejected again after that.
func (s *Set) writeRejects() error {
	if len(s.applied) > 0 {
		if err := s.tx.DropRejects(s.practice, asHashes(s.applied)); err != nil {
			return err
		}
	}
	for ingestion, charts := range s.rejected {
		if len(charts) == 0 {
			continue
		}
		if err := s.tx.AddRejects(s.practice, store.Rejects{Ingestion: ingestion, Charts: asHashes(charts)}); err != nil {
			return err
		}
	}
	return nil
}

func asHashes(set map[string]bool) (all [][]byte) {
	for hash := range set {
		all = append(all, []byte(hash))
	}
	return all
}
