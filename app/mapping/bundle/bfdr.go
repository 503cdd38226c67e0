package bundle

import (
	"bytes"
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// bfdr holds the resources that are read beyond the spec's list if the operator has chosen that
// (decision 30). A fact is left out if it may not belong to this birth, isn't certain, or is
// contradicted elsewhere in the document (decision 47).
type bfdr struct {
	facts     []fact
	coverages []*coverage
	places    []*place
	placeAt   references // Locations by reference
	trace     *mapping.Trace
}

// coverage is a Coverage with its place in the document.
type coverage struct {
	fhir.Coverage
	at    fhir.Place
	payer string // an option of principal_payer, or ""
}

// place is the part of a Location that is read.
type place struct {
	fhir.Location
	at      fhir.Place
	fullURL string
}

// attendantOfBFDR is BFDR's participation code for the attendant (LOINC "Birth
// attendant"). BFDR never uses ATND.
const attendantOfBFDR = "87286-1"

// fact is one item of a category that a Procedure or a Condition states or denies.
type fact struct {
	at      fhir.Place
	item    BFDRItem
	denied  bool
	subject fhir.Reference
	// outcome is how an external cephalic version ended.
	outcome *fhir.CodeableConcept
	// began and ended are its dates, as far as the document states them.
	began, ended mapping.Moment
}

// newBFDR returns nil under the default reading.
func newBFDR(reading birth.Reading, trace *mapping.Trace) *bfdr {
	if reading != birth.BFDRReading {
		return nil
	}
	return &bfdr{trace: trace}
}

// read reads an entry that isn't on the spec's list. A wrong JSON type in a member that it
// reads drops the resource but never rejects the course, because the default reading accepts
// the same document.
func (b *bfdr) read(e *fhir.Entry) {
	if b == nil {
		return
	}
	fits := func(into any) bool {
		b.trace.Drop(e.Place, "", mapping.NothingStated)
		if fhir.Decode(e.Resource, into, e.Place, ".resource") == nil {
			return true
		}
		b.trace.Drop(e.Place, "", mapping.Unreadable)
		return false
	}
	if remarked(e) {
		b.trace.Drop(e.Place, "", mapping.TextContradicts)
		return
	}
	switch e.Kind {
	case "Procedure":
		var p fhir.Procedure
		if fits(&p) {
			b.addProcedure(e.Place, &p)
		}
	case "Condition":
		var c fhir.BirthCondition
		if fits(&c) {
			b.addCondition(e.Place, &c)
		}
	case "Coverage":
		c := &coverage{at: e.Place}
		if fits(&c.Coverage) {
			b.coverages = append(b.coverages, c)
		}
	case "Location":
		p := &place{fullURL: e.FullURL, at: e.Place}
		if fits(&p.Location) {
			b.placeAt.add(len(b.places), "Location", p.ID, p.fullURL)
			b.places = append(b.places, p)
		}
	}
}

// remarked reports whether a note on a Procedure or a Condition denies or doubts it, or speaks of
// somebody else. No part of a note is kept.
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

// addProcedure reads a Procedure. A completed Procedure states its item. One without a status
// does so, too, because the CDC's library writes none. One that was not done denies the item.
func (b *bfdr) addProcedure(place fhir.Place, p *fhir.Procedure) {
	done := p.Status == "completed" || p.Status == "" && len(p.StatusElement.All()) == 0
	switch {
	case !done && p.Status != "not-done":
		b.trace.Drop(place, "", mapping.DoesNotStand)
		return
	case len(p.ModifierExtension) > 0:
		b.trace.Drop(place, "", mapping.Modified)
		return
	}
	var categories []fhir.CodeableConcept
	if p.Category != nil {
		categories = append(categories, *p.Category)
	}
	at := mapping.FirstMoment(p.PerformedDateTime)
	b.add(p.Meta, categories, p.Code, fact{
		at: place, denied: !done, subject: p.Subject, outcome: p.Outcome,
		began: earlier(at, p.PerformedPeriod.Start), ended: earlier(at, p.PerformedPeriod.End),
	})
}

// addCondition reads a Condition. A confirmed one, or one without a verification status, states
// its item; a refuted one denies it. Whether a Condition is active doesn't matter, because that
// concerns the present, not the pregnancy that the category names.
func (b *bfdr) addCondition(place fhir.Place, c *fhir.BirthCondition) {
	v := c.VerificationStatus
	sure := v == nil || v.HasCode("confirmed") && len(v.Coding) == 1
	denied := v != nil && v.HasCode("refuted") && len(v.Coding) == 1
	switch {
	case !sure && !denied:
		b.trace.Drop(place, "", mapping.DoesNotStand)
		return
	case len(c.ModifierExtension) > 0:
		b.trace.Drop(place, "", mapping.Modified)
		return
	case sure && v != nil && mapping.Denied(v), slices.ContainsFunc(c.Category, func(of fhir.CodeableConcept) bool { return mapping.AboutSomebodyElse(&of) }):
		b.trace.Drop(place, "", mapping.TextContradicts)
		return
	}
	b.add(c.Meta, c.Category, c.Code, fact{
		at: place, denied: denied, subject: c.Subject,
		began: mapping.FirstMoment(c.OnsetDateTime, c.OnsetPeriod.Start),
		ended: mapping.FirstMoment(c.AbatementDateTime, c.AbatementPeriod.End),
	})
}

func earlier(at mapping.Moment, text string) mapping.Moment {
	if at.Known() {
		return at
	}
	return mapping.MomentOf(text)
}

// add stores what a resource states in each of its categories.
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
		if ok && !(f.denied && item.Code == NoneOfThese) { // denying "none of these" states nothing
			f.item = item
			b.facts = append(b.facts, f)
		}
	}
}

// misnames reports whether the texts of a concept contradict the item that its code means.
func misnames(category, code string, c *fhir.CodeableConcept) bool {
	worded := c.Text != "" || slices.ContainsFunc(c.Coding, func(coding fhir.Coding) bool { return coding.Display != "" })
	return worded && slices.ContainsFunc(statedBy(category, code), func(v mapping.FieldValue) bool { return v.Contradicted(c) })
}

// headingsOf returns the BFDR categories of a resource. Builds before 2.0.0 state no category;
// for these, the profile determines it.
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
				other = true // a category of its own, such as a cause of a fetal death
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

// window is the time in which a fact of this pregnancy can lie. It is known only if the day of
// a birth is known.
type window struct {
	known      bool
	start, end mapping.Day
}

// windowOf returns the window. It extends as far before and after the births as a
// pregnancy can last, because real documents date procedures at a birth some days off.
func windowOf(d *birth.Draft) (w window) {
	for _, child := range d.Children {
		born := mapping.MomentOf(child.Text("birth_date"))
		if !born.Exact() {
			continue
		}
		if !w.known {
			w = window{true, born.First, born.First}
		}
		w.start, w.end = min(w.start, born.First), max(w.end, born.First)
	}
	w.start, w.end = w.start-birth.Pregnancy, w.end+birth.Pregnancy
	return w
}

// holds reports whether the dates of a fact fit this pregnancy. A fact without a date
// fits, because its category names the pregnancy.
func (w window) holds(f *fact) bool {
	lasting := f.item.Category == infectionCategory || f.item.Category == riskCategory && !slices.Contains(gestational, f.item.Code)
	switch {
	case !w.known:
		return true
	case f.began.Known() && f.began.First > w.end:
		return false
	case f.item.Category == riskCategory && f.item.Resource() == "Procedure":
		return true // a treatment may precede the pregnancy by years
	case f.ended.Known() && f.ended.Last < w.start:
		return false
	}
	return lasting || !f.began.Known() || f.began.Last >= w.start
}
