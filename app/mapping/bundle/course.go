package bundle

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// course collects the resources of one course of care.
type course struct {
	reader  Reader
	bundle  string // the place of the course's Bundle
	entries int    // the number of entries, usable or not, except retractions
	message bool   // set if the Bundle is a message or part of one
	weight  int
	shape   error // the first wrong JSON type

	mothers       []*patientEntry
	children      []*patientEntry
	subjects      subjects
	observations  []*observed
	race          []*observed // the mother's own answers about her race and ethnicity
	practitioners []*practitioner
	encounters    []*encountered
	versions      map[string]map[string]*version // keyed by kind, then by resource
	unordered     []*version                     // versions that replace another one only because they come later
	encounterBy   *references                    // finds Encounters; built when it is first needed
	apart         []memberSet
	deleted       map[string]fhir.Version // keyed by address, and also by kind and id
	compositions  []*composition          // the first one and other versions of it
	composition   *fhir.Composition
	compositionAt fhir.Place
	unfit         error            // an error for a wrong JSON type in the Composition
	born          string           // the day of the birth, or "" if it isn't known exactly
	bornAt        []mapping.Moment // the times of the births; a time may be unknown
	births        []mapping.Moment // the times of the births; the days if the times aren't known
	circled       bool             // Patients replace each other in a circle (merged)
	severalBirths bool             // set if the children aren't from a single delivery
	consent       *fhir.Consent
	consentMarked bool           // set if something in the Consent may change what it means (fhir.Entry.Marked)
	bfdr          *bfdr          // nil unless the operator has chosen birth.BFDRReading
	trace         *mapping.Trace // nil unless traced
}

// courseAt returns a new course without any resources. The argument place is the place of its
// Bundle in the document.
func (m Reader) courseAt(place string) *course {
	trace := m.newTrace()
	return &course{
		reader: m, bundle: place, versions: map[string]map[string]*version{}, deleted: map[string]fhir.Version{}, bfdr: newBFDR(m.Reading, trace), trace: trace,
	}
}

// patientEntry is a Patient with its place in the document.
type patientEntry struct {
	fhir.Patient
	version
	fullURL string
	links   []link
	by      *patientEntry   // the Patient that replaces this one, or nil
	former  []*patientEntry // the Patients that this one replaces
}

type practitioner struct {
	fhir.Practitioner
	version
	fullURL  string
	provider int // the provider's index in the draft, or -1 if it isn't kept
}

type composition struct {
	fhir.Composition
	version
	unfit error
}

type encountered struct {
	fhir.Encounter
	version
}

// add reads one entry. It keeps the first error, which course.problem returns later. When the
// course has too many elements, add reads nothing more.
func (c *course) add(e *fhir.Entry) {
	c.entries++
	c.trace.Entry(e)
	if e.Shape != nil && c.shape == nil {
		c.shape = e.Shape
		return
	}
	c.weight += e.Weight()
	if c.weight > maxElements {
		return
	}
	if err := c.read(e); err != nil && c.shape == nil {
		c.shape = err
	}
}

func (c *course) read(e *fhir.Entry) error {
	switch e.Kind {
	case "MessageHeader":
		c.message = true
		c.trace.Drop(e.Place, "", mapping.OnlyChecked)
	case "Patient":
		return c.addPatient(e)
	case "Observation":
		return c.addObservation(e)
	case "Encounter":
		stay := &encountered{}
		c.encounters = append(c.encounters, stay)
		wrong := e.Decode(&stay.Encounter)
		c.readContained(e, &stay.Subject)
		c.note(&stay.version, e, stay.ID, stay.Meta.Version())
		stay.withdrawn = !happened(&stay.Encounter)
		return wrong
	case "Practitioner":
		p := &practitioner{fullURL: e.FullURL}
		c.practitioners = append(c.practitioners, p)
		wrong := e.Decode(&p.Practitioner)
		c.note(&p.version, e, p.ID, p.Meta)
		return wrong
	case "Composition":
		return c.addComposition(e)
	case "Consent": // only the first is read
		c.trace.Drop(e.Place, "", mapping.NotTheFirst)
		if c.consent == nil {
			c.trace.Keep(mapping.ConsentFact, -1, e.Place, "")
			c.consent, c.consentMarked = new(fhir.Consent), e.Marked()
			return e.Decode(c.consent)
		}
	case "RelatedPerson":
		c.addRelated(e)
	default:
		if e.FullURL != "" {
			c.subjects.unread = append(c.subjects.unread, unread{e.FullURL, e.Kind})
		}
		c.bfdr.read(c, e)
	}
	return nil
}

// addPatient adds a Patient to the mothers or to the children. A Patient without a role is kept
// only so that references to it are recognized. It can make the course invalid only by its meta,
// which has the profiles.
func (c *course) addPatient(e *fhir.Entry) error {
	p := &patientEntry{fullURL: e.FullURL}
	wrong := e.Decode(&p.Patient)
	p.readLinks(e)
	role := roleOf(p.Meta.Profile)
	if role != birth.Care {
		c.trace.Members(e, p.Extension)
	}
	c.note(&p.version, e, p.ID, p.Meta.Version())
	switch role {
	case birth.Mother:
		c.mothers = append(c.mothers, p)
	case birth.Child:
		c.children = append(c.children, p)
	default:
		c.trace.Drop(p.at, "", mapping.NoRole)
		c.subjects.strangers.add(0, "Patient", p.ID, p.fullURL)
		c.subjects.strangers.identify(0, p.Identifier)
		var head struct {
			Meta fhir.Meta `json:"meta"`
		}
		if wrong != nil {
			wrong = e.Decode(&head)
		}
	}
	return wrong
}

// addComposition adds the first Composition, and other versions of it. It ignores any further
// Composition.
func (c *course) addComposition(e *fhir.Entry) error {
	one := &composition{}
	wrong := e.Decode(&one.Composition)
	if len(c.compositions) > 0 {
		first := c.compositions[0]
		if one.ID != first.ID || e.FullURL != first.url || one.ID+e.FullURL == "" {
			c.trace.Drop(e.Place, "", mapping.NotTheFirst)
			return nil
		}
	}
	c.trace.Drop(e.Place, "", mapping.OnlyChecked)
	one.unfit = wrong
	c.compositions = append(c.compositions, one)
	c.note(&one.version, e, one.ID, one.Meta.Version())
	return nil
}

// addRelated records whether a RelatedPerson is the mother in another role or somebody else. It
// reads nothing else from the resource. A RelatedPerson can't make the course of care invalid.
func (c *course) addRelated(e *fhir.Entry) {
	var related struct {
		ID         string          `json:"id" fhir:"value"`
		Meta       fhir.Meta       `json:"meta" fhir:"value"`
		Identifier fhir.Identities `json:"identifier"`
	}
	_ = e.Decode(&related)
	c.trace.Drop(e.Place, "", mapping.OnlyChecked)
	of := &c.subjects.strangers
	if roleOf(related.Meta.Profile) == birth.Mother {
		of = &c.subjects.mother
	}
	of.add(0, "RelatedPerson", related.ID, e.FullURL)
	of.identify(0, related.Identifier)
}

// roleOf returns the role of a Patient from the last segments of its profiles. The host and the
// version don't matter (decision 27). It returns birth.Care if no profile has a role, or if two
// profiles have different roles.
//
// A decedent profile means that the mother or the child died. If there is no other profile with a
// role, it means a child.
func roleOf(profiles []string) birth.Subject {
	mother, child, died := false, false, false
	for _, profile := range profiles {
		switch name := strings.ToLower(fhir.LastSegment(profile)); {
		case hasWord(name, "mother", "maternal"):
			mother = true
		case hasWord(name, "child", "newborn", "fetus"):
			child = true
		case hasWord(name, "decedent"):
			died = true
		}
	}
	switch {
	case mother && !child:
		return birth.Mother
	case !mother && (child || died):
		return birth.Child
	}
	return birth.Care
}

// hasWord reports whether the name of a profile contains one of the words.
func hasWord(name string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}
