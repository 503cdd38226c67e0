package bundle

import (
	"slices"
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// somebody is whom a reference of a course means.
type somebody int

const (
	nobody   somebody = iota // there is no reference
	aMother                  // of this course
	aChild                   // of this course
	stranger                 // somebody in the document, or of a type, that is neither
	missing                  // nobody in the document
	aThing                   // an encounter, a location: no person at all
)

// subjects finds whom a reference means.
type subjects struct {
	children, mother, strangers references
	unread                      []unread
}

// unread is an entry that is not read, by which a urn that names it is recognized.
type unread struct{ url, kind string }

// persons are the types of resources that are somebody.
var persons = []string{"Patient", "RelatedPerson", "Person", "Practitioner", "PractitionerRole", "Group"}

// whom tells whom a reference means; child is the child's number in the draft.
func (s *subjects) whom(ref fhir.Reference) (whom somebody, child int) {
	if ref.Reference == "" {
		if ref.Display != "" || ref.Identifier {
			return missing, 0 // somebody is named, and nobody can tell who it is
		}
		return nobody, 0
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

// typeOf is the resource type that a reference names, "" when it names none.
func typeOf(reference string) string {
	reference, _, _ = strings.Cut(reference, "/_history/")
	segments := strings.Split(reference, "/")
	if n := len(segments); n >= 2 && fhir.IsType(segments[n-2]) {
		return segments[n-2]
	}
	return ""
}

// addressed is whom an Observation is about.
type addressed struct {
	whom     somebody
	child    int
	conflict bool
}

// of finds whom an Observation is about: its focus decides, else its subject
// (FHIR R4, Observation.focus). A focus that is no person, such as the stay, says
// nothing of it. Two children are a conflict.
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
		case a.whom == aMother && whom == aChild: // a fact of both is told of the child
			a.whom, a.child = whom, child
		case whom == stranger || whom == missing:
			a.whom = whom
		}
	}
	switch {
	case a.whom == nobody, a.whom == aMother && subject.whom == aChild:
		return subject
	case a.whom == aChild && subject.whom == aChild && a.child != subject.child:
		a.conflict = true
	case subject.whom == stranger:
		a.whom = stranger
	}
	return a
}

// meant is whom a resource is about that has a subject alone.
func (s *subjects) meant(subject fhir.Reference) (a addressed) {
	a.whom, a.child = s.whom(subject)
	return a
}

// subjectsOf are the children that a field of a resource is about, -1 for the mother
// and the care. A child's field is of the child that the resource names, else of the
// only one. What is so of the whole pregnancy holds for all of them; anything else is
// ambiguous among twins and is left out, as is what is said of a stranger, of somebody
// whom the document does not hold, or of two children at once: why says which.
func (c *course) subjectsOf(field *birth.Field, about addressed) (children []int, why mapping.Reason) {
	switch {
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
	case len(c.children) > 1 && !field.Shared:
		return nil, mapping.WhichChild
	}
	return childNumbers[:len(c.children)], ""
}

// theMother and childNumbers are what subjectsOf returns parts of: nobody changes them.
var (
	theMother    = []int{-1}
	childNumbers = func() (all [birth.MaxChildren]int) {
		for i := range all {
			all[i] = i
		}
		return all
	}()
)
