package bundle

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// bornAlive reports whether a child was born alive. A profile or a flag on the Patient states a
// fetal death. If no Patient of the course has either, the type of the Composition may state
// it, for the child that it reports. Otherwise a child or newborn profile means a live birth.
// known is false if the Composition doesn't show which of several children it reports, if a
// type or a flag can't be read, or if a Patient has both kinds of profile.
func (c *course) bornAlive(i int, p *patientEntry) (alive, known bool, by source) {
	if member := fetusBy(&p.Patient); member != "" {
		fetus, _, child := profilesOf(&p.Patient)
		return false, !fetus || !child, source{p.at, member} // ambiguous with both profiles
	}
	profile := source{p.at, mapping.ProfileMember}
	report := c.composition
	switch {
	case p.Lost.Any("_deceasedBoolean") || report != nil && report.Lost.Any("type"):
		return false, false, profile
	case report == nil || !isFetalDeathReport(report.Type),
		slices.ContainsFunc(c.children, func(child *patientEntry) bool { return fetusBy(&child.Patient) != "" }):
		return true, true, profile
	}
	whom, subject := c.subjects.whom(report.Subject)
	switch {
	case whom != aChild:
		return false, len(c.children) == 1, source{c.compositionAt, ""}
	case subject == i:
		return false, true, source{c.compositionAt, ""}
	}
	return true, true, profile
}

// source is the member of a resource that states something.
type source struct {
	at     fhir.Place
	member string
}

// fetalDeathReports are the types of a Composition that reports a fetal death.
var fetalDeathReports = []birth.Coding{{System: birth.LOINC, Code: "69045-3"}, {System: birth.LOINC, Code: "92010-8"}}

func isFetalDeathReport(kind fhir.CodeableConcept) bool {
	return mapping.AnyOf(kind.Coding, fetalDeathReports)
}

// fetusBy returns the member of a Patient that states a fetal death, or "". A fetus profile
// states it, and so does a decedent profile without a child profile, or the flag.
func fetusBy(p *fhir.Patient) string {
	if fetus, decedent, child := profilesOf(p); fetus || decedent && !child {
		return mapping.ProfileMember
	}
	if e := p.DeceasedElement.All().Find("fetal-death"); e != nil && e.ValueBoolean != nil && *e.ValueBoolean {
		return "._deceasedBoolean"
	}
	return ""
}

// profilesOf reports which roles the profiles of a child's Patient name.
func profilesOf(p *fhir.Patient) (fetus, decedent, child bool) {
	for _, profile := range p.Meta.Profile {
		name := strings.ToLower(fhir.LastSegment(profile))
		fetus = fetus || hasWord(name, "fetus")
		decedent = decedent || hasWord(name, "decedent")
		child = child || hasWord(name, "child", "newborn")
	}
	return fetus, decedent, child
}
