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
		return false, true
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

func isFetus(p *fhir.Patient) bool {
	for _, profile := range p.Meta.Profile {
		name := strings.ToLower(fhir.LastSegment(profile))
		if strings.Contains(name, "fetus") || strings.Contains(name, "decedent") {
			return true
		}
	}
	e := p.DeceasedElement.Extension.Find("fetal-death")
	return e != nil && e.ValueBoolean != nil && *e.ValueBoolean
}
