package bundle

import (
	"bytes"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// bfdr holds what the Procedures, Conditions, Coverages and Locations of a course of care say. They
// are read only if the operator has chosen birth.BFDRReading (decision 30). A fact is left out if
// it may not belong to this birth, isn't certain, or is contradicted elsewhere in the document
// (decision 47).
type bfdr struct {
	facts     []fact
	coverages []*coverage
	places    []*place
	placeAt   references // finds Locations by reference, after replaced ones were dropped
	trace     *mapping.Trace
}

// coverage is a Coverage with its place in the document.
type coverage struct {
	fhir.Coverage
	*version
	at    fhir.Place
	payer string // an option of principal_payer, or ""
}

// place is a Location with its place in the document. Only some members of the Location are read.
type place struct {
	fhir.Location
	*version
	at      fhir.Place
	fullURL string
}

// attendantOfBFDR is the code for the attendant as a participant in BFDR (LOINC "Birth attendant").
// BFDR never uses ATND.
const attendantOfBFDR = "87286-1"

// certifierOfBFDR is the code for the certifier as a participant. The participant's period begins
// on the date on which the birth was certified (BFDR, Encounter - Birth).
const certifierOfBFDR = "87287-9"

// fact is an item of a category (BFDRItem) that a Procedure or a Condition records as present or as
// absent.
type fact struct {
	*version
	at      fhir.Place
	item    BFDRItem
	denied  bool
	subject fhir.Reference
	// outcome says whether an external cephalic version (turning the fetus in the womb) succeeded.
	outcome *fhir.CodeableConcept
	code    *fhir.CodeableConcept
	times
}

// newBFDR returns an empty bfdr if the operator has chosen birth.BFDRReading. Otherwise, it returns
// nil. On a nil bfdr, the methods read and dropReplaced do nothing.
func newBFDR(reading birth.Reading, trace *mapping.Trace) *bfdr {
	if reading != birth.BFDRReading {
		return nil
	}
	return &bfdr{trace: trace}
}

// read reads a Procedure, a Condition, a Coverage or a Location. It ignores any other resource. If
// a member that it reads has the wrong JSON type, read drops the resource. It doesn't reject the
// course of care, because birth.SpecReading accepts the same document.
//
// A resource replaces its earlier versions (course.note) even if no fact from it is kept. A
// Location does so only if it has a version, because another Location may have the same id.
func (b *bfdr) read(c *course, e *fhir.Entry) {
	if b == nil {
		return
	}
	v := &version{}
	fits := func(into any) bool {
		b.trace.Drop(e.Place, "", mapping.NothingStated)
		if fhir.Decode(e.Resource, into, e.Place, ".resource") == nil {
			return true
		}
		b.trace.Drop(e.Place, "", mapping.Unreadable)
		return false
	}
	switch e.Kind {
	case "Procedure":
		var p fhir.Procedure
		fit := fits(&p)
		c.noteFinding(v, e, p.ID, &p.Code, p.Meta.Version())
		v.withdrawn = !fit || !b.addProcedure(v, e, &p)
	case "Condition":
		var p fhir.BirthCondition
		fit := fits(&p)
		c.noteFinding(v, e, p.ID, &p.Code, p.Meta.Version())
		v.withdrawn = !fit || !b.addCondition(v, e, &p)
	case "Coverage":
		p := &coverage{at: e.Place, version: v}
		fit := fits(&p.Coverage)
		c.note(v, e, p.ID, p.Meta.Version())
		if v.withdrawn = !fit || !counts(&p.Coverage); fit {
			b.coverages = append(b.coverages, p)
		}
	case "Location":
		p := &place{fullURL: e.FullURL, at: e.Place, version: v}
		fit := fits(&p.Location)
		if p.Meta != (fhir.Version{}) || e.Answered != (fhir.Version{}) { // without a version, it may be another place with the same id
			c.note(v, e, p.ID, p.Meta)
		}
		if fit {
			b.places = append(b.places, p)
		}
	}
}

// dropReplaced drops resources that were replaced by a newer version or deleted.
func (b *bfdr) dropReplaced(c *course) {
	if b == nil {
		return
	}
	b.facts = unreplaced(c, b.facts)
	b.coverages = unreplaced(c, b.coverages)
	b.places = unreplaced(c, b.places)
	for i, p := range b.places {
		b.placeAt.add(i, "Location", p.ID, p.fullURL)
	}
}

// remarked reports whether a note on a Procedure or a Condition denies or doubts it, or is about
// another person. No part of a note is kept.
func remarked(e *fhir.Entry) bool {
	if e.Kind != "Procedure" && e.Kind != "Condition" || !bytes.Contains(e.Resource, []byte(`"note"`)) {
		return false
	}
	var with struct {
		Note []fhir.Note `json:"note" fhir:"value"`
	}
	_ = e.Decode(&with)
	return slices.ContainsFunc(with.Note, func(n fhir.Note) bool { return mapping.Denied(&fhir.CodeableConcept{Text: n.Text}) })
}

// addProcedure reads a Procedure. It returns false if the Procedure says nothing about this birth,
// for example because it is only planned or because a note doubts it.
//
// If the status is completed, the item is present. The same is true if there is no status, because
// the CDC's library writes none. If the status is not-done, the item is absent.
func (b *bfdr) addProcedure(v *version, e *fhir.Entry, p *fhir.Procedure) bool {
	done := p.Status == "completed" || p.Status == "" && len(p.StatusElement.All()) == 0
	switch {
	case remarked(e):
		b.trace.Drop(e.Place, "", mapping.TextContradicts)
		return false
	case !done && p.Status != "not-done":
		b.trace.Drop(e.Place, "", mapping.DoesNotStand)
		return false
	case len(p.ModifierExtension) > 0:
		b.trace.Drop(e.Place, "", mapping.Modified)
		return false
	}
	var categories []fhir.CodeableConcept
	if p.Category != nil {
		categories = append(categories, *p.Category)
	}
	b.add(p.Meta, categories, p.Code, fact{
		version: v, at: e.Place, denied: !done, subject: p.Subject, outcome: p.Outcome, code: &p.Code, times: performed(p),
	})
	return true
}

// addCondition reads a Condition. It returns false if the Condition says nothing about this birth,
// for example because it is only suspected.
//
// If the Condition is confirmed or has no verification status, the item is present. If it is
// refuted, the item is absent. It doesn't matter whether the Condition is still active. Its
// category is about the pregnancy, and its clinical status is about the present.
func (b *bfdr) addCondition(v *version, e *fhir.Entry, c *fhir.BirthCondition) bool {
	verified := c.VerificationStatus
	sure := verified == nil || verified.HasCode("confirmed") && len(verified.Coding) == 1
	denied := verified != nil && verified.HasCode("refuted") && len(verified.Coding) == 1
	switch {
	case !sure && !denied:
		b.trace.Drop(e.Place, "", mapping.DoesNotStand)
		return false
	case len(c.ModifierExtension) > 0:
		b.trace.Drop(e.Place, "", mapping.Modified)
		return false
	case remarked(e), sure && verified != nil && mapping.Denied(verified), slices.ContainsFunc(c.Category, func(of fhir.CodeableConcept) bool { return mapping.AboutSomebodyElse(&of) }):
		b.trace.Drop(e.Place, "", mapping.TextContradicts)
		return false
	}
	b.add(c.Meta, c.Category, c.Code, fact{
		version: v, at: e.Place, denied: denied, subject: c.Subject, code: &c.Code, times: timesOf(c),
	})
	return true
}

// add adds a fact for each category of a resource.
func (b *bfdr) add(meta fhir.Meta, categories []fhir.CodeableConcept, code fhir.CodeableConcept, f fact) {
	headings := headingsOf(meta, categories)
	if len(headings) > 0 {
		b.trace.Drop(f.at, "", mapping.UnknownOption)
	}
	for _, category := range headings {
		item, ok := itemIn(category, code)
		if ok && misnames(category, item.Code, &code) {
			b.trace.Drop(f.at, "", mapping.TextContradicts)
			continue
		}
		if ok && !(f.denied && item.Code == NoneOfThese) { // denying "none of these" says nothing
			f.item = item
			b.facts = append(b.facts, f)
		}
	}
}

// misnames reports whether the texts of a concept contradict the item of a category that its code
// stands for.
func misnames(category, code string, c *fhir.CodeableConcept) bool {
	worded := c.Text != "" || slices.ContainsFunc(c.Coding, func(coding fhir.Coding) bool { return coding.Display != "" })
	return worded && slices.ContainsFunc(statedBy(category, code), func(v mapping.FieldValue) bool { return v.Contradicted(c) })
}

// headingsOf returns the BFDR categories of a resource. In BFDR builds before 2.0.0, resources have
// no category, so that headingsOf uses the profile.
func headingsOf(meta fhir.Meta, categories []fhir.CodeableConcept) (all []string) {
	other := false
	for _, c := range categories {
		for _, coding := range c.Coding {
			_, known := knownItems[[2]string{coding.Code, NoneOfThese}]
			switch {
			case known && ofSystem(coding.System, mapping.LOINCURL):
				if !slices.Contains(all, coding.Code) {
					all = append(all, coding.Code)
				}
			case birth.SystemOf(coding.System) == birth.LOINC:
				other = true // a category without items in BFDRItems
			}
		}
	}
	if len(all) > 0 || other {
		return all
	}
	for _, profile := range meta.Profile {
		name := strings.ToLower(fhir.LastSegment(profile))
		for _, fork := range []string{"-ihe", "-vr"} {
			name = strings.TrimSuffix(name, fork)
		}
		if category := profileCategories[name]; category != "" && !slices.Contains(all, category) {
			all = append(all, category)
		}
	}
	return all
}
