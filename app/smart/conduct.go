package smart

import (
	"slices"
	"strings"

	"birthregistry/store"
)

// Conduct is how an EHR answers searches otherwise than US Core asks: found out in
// launches, told on the form and by Survey.
type Conduct string

// The ways that are known. All of them are found out by asking in two ways.
const (
	IgnoresCodes      Conduct = "ignores-codes"      // a search by code gives others, or none
	PartOfLists       Conduct = "part-of-lists"      // of a list of codes, it looks for some only
	IgnoresCategories Conduct = "ignores-categories" // a search by category gives others
)

// conducts say it to a clinician, and to an operator.
var conducts = map[Conduct]struct{ clinician, operator string }{
	IgnoresCodes: {
		"This EHR does not search measurements by code, so they were read by category.",
		"it answers a search of Observations by code with others, or with none; they are read by category. Ask the vendor: US Core requires patient+code",
	},
	PartOfLists: {
		"This EHR looks for some codes of a list only, so measurements were asked for code by code.",
		"of a list of codes (code=a,b,c) it looks for some only; Observations are asked for code by code, which takes longer",
	},
	IgnoresCategories: {
		"This EHR does not search measurements by category, so all of them were read.",
		"it answers a search of Observations by category with others; all of them are read. Ask the vendor: US Core requires patient+category",
	},
}

// sentences say to a clinician what an EHR did.
func sentences(all []Conduct) (stated []string) {
	for _, c := range all {
		stated = append(stated, conducts[c].clinician)
	}
	return stated
}

// saw notes what the EHR does, once.
func (o *observations) saw(c Conduct) {
	if !slices.Contains(o.conduct, c) {
		o.conduct = append(o.conduct, c)
	}
}

// note keeps what a launch found out about an EHR for Survey, which has no patient
// to find it out with. What an earlier launch saw is forgotten: vendors mend it.
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
