package bundle

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// bornAlive reports whether a child was born alive. It also returns where in the document this was
// read.
//
// A profile or a flag on the child's Patient shows a fetal death. If no Patient in the course of
// care has either, the type of the Composition may show that its subject died before birth.
// Otherwise, a child or newborn profile means a live birth.
//
// The result isn't known if a type or a flag can't be read, or if the Patient has both a fetus
// profile and a child profile. It isn't known either if the Composition doesn't show which of
// several children it is about.
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

// source is the member of a resource from which something was read.
type source struct {
	at     fhir.Place
	member string
}

// fetalDeathReports lists the types of a Composition that report a fetal death.
var fetalDeathReports = []birth.Coding{{System: birth.LOINC, Code: "69045-3"}, {System: birth.LOINC, Code: "92010-8"}}

func isFetalDeathReport(kind fhir.CodeableConcept) bool {
	return mapping.AnyOf(kind.Coding, fetalDeathReports)
}

// fetusBy returns the member of a Patient that shows a fetal death, or "" if there is none. It may
// be a fetus profile, a decedent profile without a child profile, or a fetal-death extension of
// deceasedBoolean.
func fetusBy(p *fhir.Patient) string {
	if fetus, decedent, child := profilesOf(p); fetus || decedent && !child {
		return mapping.ProfileMember
	}
	if e := p.DeceasedElement.All().Find("fetal-death"); e != nil && e.ValueBoolean != nil && *e.ValueBoolean {
		return "._deceasedBoolean"
	}
	return ""
}

// profilesOf reports which roles the profiles of a child's Patient have.
func profilesOf(p *fhir.Patient) (fetus, decedent, child bool) {
	for _, profile := range p.Meta.Profile {
		name := strings.ToLower(fhir.LastSegment(profile))
		fetus = fetus || hasWord(name, "fetus")
		decedent = decedent || hasWord(name, "decedent")
		child = child || hasWord(name, "child", "newborn")
	}
	return fetus, decedent, child
}

// dropDeniedLiveBirths removes a child's live_birth if the Observations contradict it. They do if
// they say that a live-born child died before the birth, or that a stillborn child is living.
func (c *course) dropDeniedLiveBirths(d *birth.Draft) {
	for i, child := range d.Children {
		alive, stated := child.Get("live_birth")
		living, _ := child.Get("infant_living")
		point, when := child.Text("fetal_death_time_point"), child.Text("perinatal_death")
		dead := point != "" && point != "unknown" || when == "antepartum" || when == "intrapartum"
		if stated && (alive.Flag && dead || !alive.Flag && living.Flag) {
			c.loseLiveBirth(d, i)
		}
	}
}

// dropUncountedLiveBirths removes live_birth from all children who were born alive, if the document
// has a lower number of live births for the delivery.
func (c *course) dropUncountedLiveBirths(d *birth.Draft) {
	live, counted := d.Care.Get(liveBorn)
	if !counted || live.Number >= float64(c.alive(d)) {
		return
	}
	for i, child := range d.Children {
		if alive, _ := child.Get("live_birth"); alive.Flag {
			c.loseLiveBirth(d, i)
		}
	}
}

func (c *course) loseLiveBirth(d *birth.Draft, child int) {
	d.Children[child].Drop("live_birth")
	c.trace.Lose("live_birth", child, mapping.Contradicted)
}
