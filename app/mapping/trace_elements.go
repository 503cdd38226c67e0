package mapping

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"birthregistry/app/fhir"
)

// Entry adds the resource of an entry to the trace.
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

// Parts adds the components of an Observation to the trace one by one, because some are kept and
// others aren't. If alone is set, the Observation's own code isn't read. Parts then removes the
// element for the whole Observation.
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

// structure lists the members of a Patient that contain no data.
var structure = map[string]bool{"resourceType": true, "id": true, "meta": true, "implicitRules": true, "language": true}

// Members adds the members of a Patient to the trace one by one, because some are kept and others
// never are. The Patient is a mother or a child.
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

// patientMembers has the members of a Patient in FHIR R4 that contain data, each also with an
// underscore ("_birthDate"). It doesn't have id, meta, implicitRules and language.
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

// knownExtensions lists the extensions for Patients in BFDR and US Core. A report shows any other
// extension only by its position, because its name could be anything.
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

// eachMember calls visit for each member of a JSON object. The JSON's syntax must already have been
// checked.
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

// Head adds the Bundle's own members to the trace.
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

// KeepAt records that a fact is read from the Bundle's member at a place.
func (t *Trace) KeepAt(name, at string) {
	if t == nil {
		return
	}
	t.read(Fact{name, -1}, t.byPlace[at])
}

// Stamped records which of the stamps is used. This is the stamp with the place at, or none if at
// is "". All stamps before it in the list are too far in the future. The mapper has no clock and
// can't decide that itself.
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

// DropAt records why the Bundle's member at a place isn't kept.
func (t *Trace) DropAt(at string, why Reason) {
	if t == nil {
		return
	}
	t.byPlace[at].drop(why)
}

// Yield calls yield with an item for the elements of a batch that belong to no course of care. If
// there are no such elements, it does nothing.
func (t *Trace) Yield(yield func(Item) error) error {
	if t == nil || len(t.elements) == 0 {
		return nil
	}
	t.Reject(OutsideCourses)
	return yield(Item{Trace: t})
}
