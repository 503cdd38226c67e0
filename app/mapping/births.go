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
// be told. A child or newborn profile is otherwise that of a live birth.
func (c *course) bornAlive(i int, p *fhir.Patient) (alive, told bool) {
	if isFetus(p) {
		return false, true
	}
	report := c.composition
	if report == nil || !report.Type.HasCode("69045-3", "92010-8") ||
		slices.ContainsFunc(c.children, func(child *person) bool { return isFetus(&child.Patient) }) {
		return true, true
	}
	subject, named := c.childAt.find(report.Subject.Reference)
	if !named {
		return false, len(c.children) == 1
	}
	return subject != i, true
}

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

// mapPlurality: multipleBirthTotal, else what the Observation said, else the
// number of children, unless what is stated denies that these are all.
func (c *course) mapPlurality(d *birth.Draft) {
	s := states{d.Care}
	for _, child := range c.children {
		for _, element := range []fhir.Element{child.MultipleBirthElement, child.SingleBirthElement} {
			e := element.Extension.Find("multiplebirthtotal")
			if e == nil {
				continue
			}
			for _, n := range []fhir.Number{e.ValuePositiveInt, e.ValueInteger} {
				if n.Set && birth.Must("plurality").InRange(n.Float) {
					s.number("plurality", n)
					d.Care = s.Values
					return
				}
			}
		}
	}
	if n := len(c.children); !s.Has("plurality") && !c.denied(n) {
		s.number("plurality", fhir.Number{Float: float64(n), Set: true})
		d.Care = s.Values
	}
}

// denied reports whether the document contradicts that n is all: a child is born
// later in order than that, or more are said to be born alive. Such a document
// does not carry them all, and how many there were is not told.
func (c *course) denied(n int) bool {
	order := birth.Must("birth_order")
	for _, child := range c.children {
		if at := child.MultipleBirth; at.Set && order.InRange(at.Float) && at.Float > float64(n) {
			return true
		}
	}
	for _, o := range c.observations {
		if !o.Code.HasCode(liveBirths) || withdrawn(o) || o.DataAbsentReason != nil {
			continue
		}
		if born, ok := number(o, ""); ok && born > float64(n) {
			return true
		}
	}
	return false
}

// liveBirths is LOINC "live births of this delivery", which BFDR 2.0.0 uses for
// the plurality as well: it is neither surely, so it only contradicts.
const liveBirths = "73773-4"
