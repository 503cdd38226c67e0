package smart

import (
	"slices"
	"strings"

	"birthregistry/store"
)

// Conduct is a way in which an EHR deviates from US Core when it answers searches. Launches detect
// it, and the form and Survey show it.
type Conduct string

// The known kinds of Conduct. A launch detects them by comparing a response with its search, or
// with the response to another search.
const (
	IgnoresCodes      Conduct = "ignores-codes"      // a search by code returns other codes, or none
	PartOfLists       Conduct = "part-of-lists"      // a search by a list of codes uses only some of them
	IgnoresCategories Conduct = "ignores-categories" // a search by category returns other categories
)

// conducts maps each Conduct to a text for clinicians and a text for operators.
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

// sentences returns the text for clinicians about each Conduct.
func sentences(all []Conduct) (stated []string) {
	for _, c := range all {
		stated = append(stated, conducts[c].clinician)
	}
	return stated
}

// saw records a Conduct unless it has already been recorded.
func (o *observations) saw(c Conduct) {
	if !slices.Contains(o.conduct, c) {
		o.conduct = append(o.conduct, c)
	}
}

// note stores the Conduct that a launch has detected. It replaces what earlier launches detected,
// because vendors fix their servers. Survey reports the stored Conduct, because a survey has no
// patient and can't try out searches.
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
