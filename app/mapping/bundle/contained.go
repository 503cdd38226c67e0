package bundle

import (
	"strings"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// A resource may contain its subject (FHIR R4, "Contained Resources"). It then refers to the
// subject by "#" and the subject's id. Only the members that identify the subject are read.

// inside holds the members of a contained resource that show which person it is about.
type inside struct {
	Kind       string          `json:"resourceType" fhir:"value"`
	ID         string          `json:"id" fhir:"value"`
	Meta       fhir.Meta       `json:"meta" fhir:"value"`
	Identifier fhir.Identities `json:"identifier"`
	Gender     string          `json:"gender" fhir:"value"`
	BirthDate  string          `json:"birthDate" fhir:"value"`
}

// readContained finds the contained resource to which a reference points, and makes the reference
// unique in the course of care. It doesn't change any other reference.
func (c *course) readContained(e *fhir.Entry, ref *fhir.Reference) {
	if !strings.HasPrefix(ref.Reference, "#") {
		return
	}
	var whole struct {
		Contained []inside `json:"contained" fhir:"value"`
	}
	_ = e.Decode(&whole)
	for i := range whole.Contained {
		if one := &whole.Contained[i]; "#"+one.ID == ref.Reference {
			ref.Reference = "#" + e.Place.String() + ref.Reference
			if c.subjects.contained == nil {
				c.subjects.contained = map[string]*inside{}
			}
			c.subjects.contained[ref.Reference] = one
			return
		}
	}
}

// inside returns which person a contained resource is about. It is the person in the document who
// has the same identifier. It is also the mother if the resource has a mother profile or her date
// of birth. Anybody else is a stranger. Even a child is, because nothing shows which child of the
// document it is.
func (s *subjects) inside(one *inside) (whom somebody, child int) {
	for _, identity := range one.Identifier {
		if whom, child := s.identified(identity); whom != missing {
			return whom, child
		}
	}
	role := roleOf(one.Meta.Profile)
	same := one.BirthDate != "" && one.BirthDate == s.motherBorn && mapping.MomentOf(one.BirthDate).Exact() && one.Gender != "male"
	if one.Kind == "Patient" && (role == birth.Mother || role == birth.Care && same) {
		return aMother, 0
	}
	return stranger, 0
}
