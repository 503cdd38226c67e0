package mapping

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/fhir"
)

// Entry records the resource of an entry.
func (t *Trace) Entry(e *fhir.Entry) {
	if t == nil || e.Resource == nil {
		return
	}
	var about struct {
		Code fhir.CodeableConcept `json:"code" fhir:"value"`
	}
	_ = fhir.DecodeKeeping(e.Resource, &about, e.Place, ".resource") // an unreadable resource has no code
	t.add(e.Place.Resource(), e.Kind, about.Code.Coding, NotRead)
}

// Parts records the components of an Observation one by one, because some are kept and others
// aren't. If alone is set, the Observation's own code isn't read, and its own element is removed.
func (t *Trace) Parts(place fhir.Place, components []fhir.Component, alone bool) {
	if t == nil {
		return
	}
	whole := place.Resource()
	kind := t.byPlace[whole].Resource
	if alone {
		t.remove(whole)
	}
	for i := range components {
		t.add(whole+".component["+strconv.Itoa(i)+"]", kind, components[i].Code.Coding, NoField)
	}
}

// structure lists the members of a Patient that have no data of their own.
var structure = map[string]bool{"resourceType": true, "id": true, "meta": true, "implicitRules": true, "language": true}

// Members records the members of a mother's or a child's Patient resource one by one, because some
// are kept and others never are.
func (t *Trace) Members(e *fhir.Entry, extensions fhir.Extensions) {
	if t == nil {
		return
	}
	whole := e.Place.Resource()
	t.remove(whole)
	t.add(whole+ProfileMember, e.Kind, nil, OnlyChecked)
	eachMember(e.Resource, func(name string, value jsontext.Value) {
		switch {
		case structure[name]:
		case name == "extension" && value.Kind() == '[':
			for i := range extensions {
				at := whole + ".extension[" + strconv.Itoa(i) + "]"
				t.add(at, e.Kind, nil, OffTheList)
				t.byPlace[at].Extension = nameOfExtension(&extensions[i])
			}
		case patientMembers[name]:
			t.add(whole+"."+name, e.Kind, nil, OffTheList)
		default: // a name that isn't in FHIR may be anything
			t.add(whole+".(unknown member)", e.Kind, nil, OffTheList)
		}
	})
}

// patientMembers holds the members of a Patient in FHIR R4 that have content, and their
// counterparts with an underscore ("_birthDate"). It leaves out id, meta, implicitRules and language.
var patientMembers = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range []string{
		"text", "contained", "extension", "modifierExtension", "identifier", "active", "name", "telecom", "gender", "birthDate",
		"deceasedBoolean", "deceasedDateTime", "address", "maritalStatus", "multipleBirthBoolean", "multipleBirthInteger",
		"photo", "contact", "communication", "generalPractitioner", "managingOrganization", "link",
	} {
		all[name], all["_"+name] = true, true
	}
	return all
}()

// knownExtensions lists the extensions of Patients in BFDR and US Core. Any other extension is
// shown only by its position, because its name may be anything.
var knownExtensions = []string{
	"us-core-race", "us-core-ethnicity", "us-core-birthsex", "us-core-sex", "us-core-genderidentity", "us-core-tribal-affiliation",
	"patient-birthplace", "patient-genderidentity", "patient-mothersmaidenname", "patient-multiplebirthtotal",
	"reported-parent-age",
}

func nameOfExtension(e *fhir.Extension) string {
	for _, name := range knownExtensions {
		if e.Is(name) {
			return name
		}
	}
	return ""
}

// eachMember visits the members of an object whose syntax has been checked.
func eachMember(raw jsontext.Value, visit func(name string, value jsontext.Value)) {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	if open, err := d.ReadToken(); err != nil || open.Kind() != '{' {
		return
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return
		}
		text := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return
		}
		visit(text, value)
	}
}

// remove removes the element at a place, if there is one.
func (t *Trace) remove(at string) {
	if e := t.byPlace[at]; e != nil {
		delete(t.byPlace, at)
		t.elements = slices.DeleteFunc(t.elements, func(other *Element) bool { return other == e })
	}
}

// Head records the Bundle's own members.
func (t *Trace) Head(head fhir.Head, bundle string) {
	if t == nil {
		return
	}
	for _, m := range []struct {
		member string
		there  bool
		why    Reason
	}{
		{ProfileMember, len(head.Meta.Profile) > 0, OnlyChecked},
		{ChartMember, head.Identifier.Value != "", NoValue},
		{".meta.lastUpdated", head.Meta.LastUpdated != "" || head.Lost.Any("meta.lastUpdated"), NotADate},
		{".timestamp", head.Timestamp != "" || head.Lost.Any("timestamp"), NotADate},
	} {
		if m.there {
			t.add(bundle+m.member, "", nil, m.why)
		}
	}
}

// KeepAt records that a fact is read from a member of the Bundle.
func (t *Trace) KeepAt(name, at string) {
	if t == nil {
		return
	}
	t.read(Fact{name, -1}, t.byPlace[at])
}

// Stamped records which of the stamps is used: the one whose place is at, or none if at is "". All
// stamps before it in the list are too far in the future. The mapper itself can't know that,
// because it has no clock.
func (t *Trace) Stamped(stamps []Stamp, at string) {
	if t == nil || len(stamps) == 0 || stamps[0].At == at {
		return
	}
	t.Lose(SourceStamp, -1, TooFarAhead)
	for _, s := range stamps {
		if s.At == at {
			t.KeepAt(SourceStamp, at)
			return
		}
		t.DropAt(s.At, TooFarAhead)
	}
}

// DropAt records why a member of the Bundle isn't kept.
func (t *Trace) DropAt(at string, why Reason) {
	if t == nil {
		return
	}
	t.byPlace[at].drop(why)
}

// Yield yields an item that records the elements outside the courses of a batch, if there are any.
func (t *Trace) Yield(yield func(Item) error) error {
	if t == nil || len(t.elements) == 0 {
		return nil
	}
	t.Reject(OutsideCourses)
	return yield(Item{Trace: t})
}
