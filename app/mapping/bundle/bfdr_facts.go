package bundle

import (
	"regexp"
	"slices"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// The facts in a course's Procedures and Conditions are combined with the values of its
// Observations. This is what is kept:
//
//	the same value twice                     the value
//	several items of one list                all of them
//	two values where only one is possible    neither
//	an item and its denial                   neither
//	"none of these" and one of these         neither

// reconciler combines what the Procedures, the Conditions and the Observations of a course of care
// say. If they name several items of one list, all are kept. If they contradict each other, none of
// the contradicting items is kept.
type reconciler struct {
	course *course
	draft  *birth.Draft
	claims []*bfdrClaim // in document order
	at     map[slot]*bfdrClaim
	// without has the headings for which a resource says that there is no item. with has the
	// headings for which a resource records an item.
	without, with map[heading]origin
}

// heading is a category for one subject. The field child is the child's index, or -1 for the
// mother.
type heading struct {
	category string
	child    int
}

// origin is a set of kinds of resources, from which a statement comes.
type origin uint8

const (
	inObservation origin = 1 << iota
	inFact               // a Procedure or a Condition
)

// mapFacts adds the facts from Procedures and Conditions to the draft.
func (c *course) mapFacts(d *birth.Draft) {
	if c.bfdr == nil {
		return
	}
	m := &reconciler{
		course: c, draft: d, at: map[slot]*bfdrClaim{}, without: map[heading]origin{}, with: map[heading]origin{},
	}
	for _, o := range c.observations {
		if !o.otherTime && o.readings != nil {
			m.observe(&o.Observation)
		}
	}
	window, all := windowOf(c.births), c.bfdr.facts
	all = slices.DeleteFunc(all, func(f fact) bool {
		whom, _ := c.subjects.whom(f.subject)
		c.readStay(&f.times)
		switch {
		case whom == missing:
			c.trace.Drop(f.at, "", mapping.AboutNobody)
		case !window.holds(&f):
			c.trace.Drop(f.at, "", mapping.AnotherTime)
		default:
			return false
		}
		return true
	})
	for i := range all {
		if all[i].item.Category == routeCategory && failed(&all[i].item, all[i].outcome) {
			all[i].denied = true // another route was the final one
		}
		m.head(&all[i].item, inFact, all[i].denied, m.course.subjects.meant(all[i].subject))
	}
	for at := range m.without {
		if m.contradicted(at) {
			m.silence(at)
		}
	}
	for i := range all {
		m.enter(&all[i])
	}
	for _, claim := range m.claims {
		m.merge(claim)
	}
}

// observe records the categories for which an Observation names an item or says that there is none.
func (m *reconciler) observe(o *fhir.Observation) {
	if o.DataAbsentReason != nil || o.ValueCodeableConcept == nil {
		return
	}
	about := m.course.subjects.of(o)
	for _, category := range headingsOf(fhir.Meta{}, []fhir.CodeableConcept{o.Code}) {
		if item, ok := itemIn(category, *o.ValueCodeableConcept); ok {
			m.head(&item, inObservation, false, about)
		}
	}
}

// head records that a category has an item for a subject. For the item NoneOfThese, it records that
// the category has no item. If denied is set, the item is absent, and head records nothing because
// the category may have other items.
func (m *reconciler) head(item *BFDRItem, by origin, denied bool, about addressed) {
	none := statedBy(item.Category, NoneOfThese)
	if denied || len(none) == 0 {
		return
	}
	noted := m.with
	if item.Code == NoneOfThese {
		noted = m.without
	}
	children, _ := m.course.subjectsOf(none[0].Field, about)
	for _, child := range children {
		noted[heading{item.Category, child}] |= by
	}
}

// contradicted reports whether the document says both that a category has no item for a subject and
// that it has one. It isn't a contradiction if only Observations say so. In this case, the item is
// kept and "none" is ignored (BFDR, "None").
func (m *reconciler) contradicted(at heading) bool {
	return m.with[at] != 0 && (m.with[at]|m.without[at])&inFact != 0 && m.without[at] != 0
}

// silence removes the values that "none of these" may have set for a contradicted category. It
// keeps a count of one or more, because "none" can't have set it.
func (m *reconciler) silence(at heading) {
	for _, s := range statedBy(at.category, NoneOfThese) {
		values := held(m.draft, s.Field, at.child)
		if had, _ := values.Get(s.Field.Name); had.Number == 0 {
			values.Drop(s.Field.Name)
			m.course.trace.Lose(s.Field.Name, at.child, mapping.Contradicted)
		}
	}
}

// enter adds a fact to the claims about the fields of its subjects. It skips a subject if the
// fact's text names another child, or if the category is contradicted.
func (m *reconciler) enter(f *fact) {
	for _, s := range statedBy(f.item.Category, f.item.Code) {
		if f.item.Category == ObstetricProcedures {
			s.Value = versionBy(f.outcome, s.Value)
		}
		children, why := m.course.subjectsOf(s.Field, m.course.subjects.meant(f.subject))
		m.course.trace.Drop(f.at, "", why)
		for _, child := range children {
			if namesAnother(m.draft, child, f.code) {
				m.course.trace.Drop(f.at, "", mapping.TextContradicts)
				continue
			}
			m.course.trace.Drop(f.at, "", mapping.Contradicted)
			if m.contradicted(heading{f.item.Category, child}) {
				continue
			}
			at := slot{s.Field, child}
			if m.at[at] == nil {
				m.at[at] = &bfdrClaim{slot: at}
				m.claims = append(m.claims, m.at[at])
			}
			m.at[at].add(s.Value, f.denied)
			if m.course.trace != nil {
				m.at[at].from = append(m.at[at].from, f.at)
			}
		}
	}
}

// VersionOutcomes lists the possible outcomes of an external cephalic version, which turns the
// fetus head-down in the womb by pressing on the mother's abdomen. Each outcome has a SNOMED CT
// code and an option of the field obstetric_procedures.
var VersionOutcomes = []struct{ Option, Code string }{
	{"version_successful", successful},
	{"version_failed", unsuccessful},
}

// Expressions for the outcome of a Procedure. They match only a whole text in the form that
// mapping.Spaced returns. A longer text may be about something else, such as a cesarean after a
// failed induction.
//
// Both failure and extraction match a failure. extraction also allows the words for a route of
// delivery, as in "vacuum extraction failed". It isn't used for a cesarean, because a failed vacuum
// may be the reason for the cesarean.
var (
	failure    = outcomeWords(failureWords, ``)
	extraction = outcomeWords(failureWords, `|vacuum|forceps|extraction|delivery|assisted|converted to cesarean`)
	success    = outcomeWords(`successful|succeeded|success`, ``)
)

const failureWords = `failed|failure|unsuccessful|not successful|no success|did not succeed|abandoned|aborted`

func outcomeWords(words, devices string) *regexp.Regexp {
	around := `(the|it|was|has|outcome|attempt|attempted|procedure|external cephalic version|version|qualifier value` + devices + `)`
	return regexp.MustCompile(`^ (` + around + ` )*(` + words + `) (` + around + ` )*$`)
}

// failed reports whether the code or a text of a Procedure's outcome says that the Procedure
// failed. If a text says so, a code that means success is ignored.
func failed(item *BFDRItem, outcome *fhir.CodeableConcept) bool {
	words := extraction
	if item.Code == cesareanRoute {
		words = failure
	}
	return outcome != nil && (means(*outcome, mapping.SNOMEDURL, unsuccessful) || says(outcome, words))
}

// says reports whether a text of a concept matches the expression words.
func says(c *fhir.CodeableConcept, words *regexp.Regexp) bool {
	texts := []string{c.Text}
	for _, coding := range c.Coding {
		texts = append(texts, coding.Display)
	}
	return slices.ContainsFunc(texts, func(text string) bool { return words.MatchString(mapping.Spaced(text)) })
}

// versionBy returns the outcome of an external cephalic version, which turns the fetus in the womb
// (BFDR, Obstetric Procedure Outcome). If value isn't such a procedure or has no known outcome,
// versionBy returns value unchanged.
func versionBy(outcome *fhir.CodeableConcept, value birth.Value) birth.Value {
	if outcome == nil || !slices.Contains(value.Set, "version") {
		return value
	}
	var ended []string
	for _, o := range VersionOutcomes {
		if means(*outcome, mapping.SNOMEDURL, o.Code) {
			ended = append(ended, o.Option)
		}
	}
	if len(ended) != 1 || ended[0] == "version_successful" && says(outcome, failure) || ended[0] == "version_failed" && says(outcome, success) {
		return value
	}
	return birth.Value{Set: ended}
}

// merge combines a claim about a field with the value from Observations, and sets the field in the
// draft. If they contradict each other, it removes the field.
func (m *reconciler) merge(c *bfdrClaim) {
	values, trace := held(m.draft, c.field, c.child), m.course.trace
	had, stated := values.Get(c.field.Name)
	value, ok := c.near(had, stated)
	if !ok {
		values.Drop(c.field.Name)
		trace.Lose(c.field.Name, c.child, mapping.Contradicted)
		return
	}
	if !stated || !value.Equal(had) {
		value.Source = birth.FHIRPush
		values.Set(c.field, value)
	}
	for _, at := range c.from {
		trace.Join(c.field.Name, c.child, at, "")
	}
}
