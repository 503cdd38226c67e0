package mapping

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
)

// bornAlive is false for a fetal death: by the profile or the flag on the
// Patient, or where no Patient of the course has either, by the type of the
// Composition, for the child that it reports. Which of several that is may not
// be told, nor what a type or a flag says that cannot be read. A child or newborn
// profile is otherwise that of a live birth.
func (c *course) bornAlive(i int, p *fhir.Patient) (alive, told bool) {
	if isFetus(p) {
		fetus, _, child := profilesOf(p)
		return false, !fetus || !child // with both profiles nobody can tell
	}
	report := c.composition
	switch {
	case p.Lost.Any("_deceasedBoolean") || report != nil && report.Lost.Any("type"):
		return false, false
	case report == nil || !isFetalDeathReport(report.Type),
		slices.ContainsFunc(c.children, func(child *person) bool { return isFetus(&child.Patient) }):
		return true, true
	}
	subject, named := c.subjects.children.find(report.Subject.Reference)
	if !named {
		return false, len(c.children) == 1
	}
	return subject != i, true
}

// fetalDeathReports are the types of a Composition that reports a fetal death.
var fetalDeathReports = []birth.Coding{{System: birth.LOINC, Code: "69045-3"}, {System: birth.LOINC, Code: "92010-8"}}

func isFetalDeathReport(kind fhir.CodeableConcept) bool { return anyOf(kind.Coding, fetalDeathReports) }

// isFetus reports whether a Patient is one that was born dead: by a profile, of which
// that of a decedent says so only where none is of a child, or by the flag.
func isFetus(p *fhir.Patient) bool {
	fetus, decedent, child := profilesOf(p)
	e := p.DeceasedElement.Extension.Find("fetal-death")
	return fetus || decedent && !child || e != nil && e.ValueBoolean != nil && *e.ValueBoolean
}

// profilesOf tells of whom the profiles of a child's Patient are.
func profilesOf(p *fhir.Patient) (fetus, decedent, child bool) {
	for _, profile := range p.Meta.Profile {
		name := strings.ToLower(fhir.LastSegment(profile))
		fetus = fetus || hasWord(name, "fetus")
		decedent = decedent || hasWord(name, "decedent")
		child = child || hasWord(name, "child", "newborn")
	}
	return fetus, decedent, child
}
