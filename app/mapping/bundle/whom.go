package bundle

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// somebody is the kind of subject to which a reference points.
type somebody int

const (
	nobody     somebody = iota // no reference
	aMother                    // of this course
	aChild                     // of this course
	stranger                   // somebody else, such as a practitioner, a relative, or a Patient without a role
	missing                    // somebody who isn't in the document
	aThing                     // something that isn't a person, such as an encounter or a location
	twoPersons                 // two people: one by the reference, the other by the identifier
)

// subjects resolves references to people in a course of care.
type subjects struct {
	children, mother, strangers references
	unread                      []unread
	contained                   map[string]*inside // by the references to them
	motherBorn                  string             // Patient.birthDate
}

// unread is an entry of a type that isn't read. Its kind is the resource type, which isn't part of
// a reference by urn.
type unread struct{ url, kind string }

// persons lists the resource types that stand for people.
var persons = []string{"Patient", "RelatedPerson", "Person", "Practitioner", "PractitionerRole", "Group"}

// whom returns the kind of subject to which a reference points. For a child, it also returns the
// child's index in the draft. If the text of the reference matches nobody in the document, whom
// looks for the one person in the document who has the identifier in the reference. If the text and
// the identifier belong to different people, whom returns twoPersons.
func (s *subjects) whom(ref fhir.Reference) (whom somebody, child int) {
	whom, child = s.named(ref)
	identity := identityIn(ref)
	if !identity.Known() {
		return whom, child
	}
	switch by, of := s.identified(identity); {
	case by == missing:
		return whom, child
	case whom == missing:
		return by, of
	case by != whom || of != child:
		return twoPersons, 0
	}
	return whom, child
}

// identified returns which person in the document has an identifier. It returns missing if nobody
// has the identifier, or if more than one person does.
func (s *subjects) identified(identity fhir.Identity) (whom somebody, child int) {
	whom = missing
	for _, one := range [...]struct {
		of   *references
		whom somebody
	}{{&s.children, aChild}, {&s.mother, aMother}, {&s.strangers, stranger}} {
		i, found := one.of.findIdentity(identity)
		switch {
		case !found && one.of.byIdentity[identity] != ambiguous: // nobody of these has it
		case !found || whom != missing:
			return missing, 0
		default:
			whom, child = one.whom, i
		}
	}
	return whom, child
}

// named resolves a reference by its text only.
func (s *subjects) named(ref fhir.Reference) (whom somebody, child int) {
	if ref.Reference == "" {
		if ref.Display != "" || ref.Identifier.Stated {
			return missing, 0 // it names somebody who can't be identified
		}
		return nobody, 0
	}
	if one := s.contained[ref.Reference]; one != nil {
		return s.inside(one)
	}
	if i, ok := s.children.find(ref.Reference); ok {
		return aChild, i
	}
	if _, ok := s.mother.find(ref.Reference); ok {
		return aMother, 0
	}
	if _, ok := s.strangers.find(ref.Reference); ok {
		return stranger, 0
	}
	kind := typeOf(ref.Reference)
	for _, e := range s.unread {
		if e.url == ref.Reference {
			kind = e.kind
		}
	}
	switch {
	case kind == "" || kind == "Patient":
		return missing, 0
	case slices.Contains(persons, kind):
		return stranger, 0
	}
	return aThing, 0
}

// typeOf returns the resource type in a reference, or "" if there is none.
func typeOf(reference string) string {
	reference, _, _ = strings.Cut(reference, "/_history/")
	segments := strings.Split(reference, "/")
	if n := len(segments); n >= 2 && fhir.IsType(segments[n-2]) {
		return segments[n-2]
	}
	return ""
}

// addressed is the person whom an Observation is about. conflict is set if the Observation names
// two different children.
type addressed struct {
	whom     somebody
	child    int
	conflict bool
}

// of returns whom an Observation is about. It is the person in the focus. If there is no focus, it
// is the subject (FHIR R4, Observation.focus). A focus that isn't a person, such as the stay, is
// ignored.
//
// If the focus is the mother and the subject is a child, the Observation is about the child. If the
// subject is a stranger or two people, the focus doesn't matter. If the Observation names two
// different children, conflict is set.
func (s *subjects) of(obs *fhir.Observation) (a addressed) {
	subject := s.meant(obs.Subject)
	for _, ref := range obs.Focus {
		whom, child := s.whom(ref)
		switch {
		case whom == nobody || whom == aThing:
			continue
		case a.whom == nobody:
			a.whom, a.child = whom, child
		case a.whom == aChild && whom == aChild && a.child != child:
			a.conflict = true
		case a.whom == aMother && whom == aChild: // a fact about both belongs to the child
			a.whom, a.child = whom, child
		case whom == stranger || whom == missing || whom == twoPersons:
			a.whom = whom
		}
	}
	switch {
	case a.whom == nobody, a.whom == aMother && subject.whom == aChild:
		return subject
	case a.whom == aChild && subject.whom == aChild && a.child != subject.child:
		a.conflict = true
	case subject.whom == stranger || subject.whom == twoPersons:
		a.whom = subject.whom
	}
	return a
}

// meant returns whom a resource is about, according to its subject.
func (s *subjects) meant(subject fhir.Reference) (a addressed) {
	a.whom, a.child = s.whom(subject)
	return a
}

// subjectsOf returns the indexes of the children to whom a field in a resource belongs. For a field
// of the mother or the care, it returns -1. A child's field belongs to the child whom the resource
// is about. If the resource names no child, the field belongs to the only child. If there are
// several children, a field about the whole pregnancy (Shared) belongs to all of them, unless they
// are from two pregnancies. Any other field is then left out, because it isn't clear which child it
// is about.
//
// Nothing is read from a resource about a stranger or about two people. A child's field is also
// left out if the resource is about two children, about somebody who isn't in the document, or
// about something that isn't a person. If the field is left out, why is the reason.
func (c *course) subjectsOf(field *birth.Field, about addressed) (children []int, why mapping.Reason) {
	switch {
	case about.whom == twoPersons:
		return nil, mapping.AboutTwo
	case about.whom == stranger:
		return nil, mapping.AboutAnother
	case field.About != birth.Child:
		return theMother, ""
	case about.conflict:
		return nil, mapping.AboutTwo
	case about.whom == missing || about.whom == aThing:
		return nil, mapping.AboutNobody
	case about.whom == aChild:
		return childNumbers[about.child : about.child+1], ""
	case len(c.children) > 1 && (!field.Shared || c.severalBirths):
		return nil, mapping.WhichChild
	}
	return childNumbers[:len(c.children)], ""
}

// theMother and childNumbers are shared by all slices that subjectsOf returns. They must never be
// changed.
var (
	theMother    = []int{-1}
	childNumbers = func() (all [birth.MaxChildren]int) {
		for i := range all {
			all[i] = i
		}
		return all
	}()
)
