package smart

import (
	"slices"
	"strings"

	"birthregistry/store"
)

// Conduct is a way in which an EHR answers searches differently than US Core requires. Launches
// detect it; the form and Survey show it.
type Conduct string

// The known kinds of Conduct. A launch detects them by comparing an answer with its search, or with
// the answer to another search.
const (
	IgnoresCodes      Conduct = "ignores-codes"      // a search by code returns other codes, or none
	PartOfLists       Conduct = "part-of-lists"      // it searches only some of a list of codes
	IgnoresCategories Conduct = "ignores-categories" // a search by category returns other categories
)

// conducts maps each Conduct to its texts, for a clinician and for an operator.
var conducts = map[Conduct]struct{ clinician, operator string }{
	IgnoresCodes: {
		"This EHR does not search measurements by code, so they were read by category.",
		"its search of Observations by code returns other codes, or none; they are read by category. Ask the vendor: US Core requires patient+code",
	},
	PartOfLists: {
		"This EHR looks for only some codes of a list, so measurements were asked for code by code.",
		"it looks for only some codes of a list (code=a,b,c); Observations are asked for code by code, which takes longer",
	},
	IgnoresCategories: {
		"This EHR does not search measurements by category, so all of them were read.",
		"its search of Observations by category returns other categories; all Observations are read. Ask the vendor: US Core requires patient+category",
	},
}

// sentences returns the texts for the clinician.
func sentences(all []Conduct) (stated []string) {
	for _, c := range all {
		stated = append(stated, conducts[c].clinician)
	}
	return stated
}

// saw records a conduct unless it is recorded already.
func (o *observations) saw(c Conduct) {
	if !slices.Contains(o.conduct, c) {
		o.conduct = append(o.conduct, c)
	}
}

// note stores the conduct that a launch has observed. It replaces what earlier launches observed,
// because vendors fix their servers. Survey reports the stored conduct, because a survey has no
// patient with whom to test searches.
func (s *Service) note(ehr store.EHR, all []Conduct) error {
	words := make([]string, len(all))
	for i, c := range all {
		words[i] = string(c)
	}
	slices.Sort(words)
	seen := strings.Join(words, " ")
	if seen == ehr.Conduct && ehr.Seen {
		return nil
	}
	return s.db.Update(func(tx *store.Tx) error { return tx.NoteConduct(ehr.ID, seen) })
}
