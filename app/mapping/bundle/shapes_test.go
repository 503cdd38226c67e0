package bundle

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// shapes are the resources that are read, by resourceType.
var shapes = map[string]any{
	"Patient": fhir.Patient{}, "Observation": fhir.Observation{}, "Practitioner": fhir.Practitioner{},
	"Encounter": fhir.Encounter{}, "Composition": fhir.Composition{}, "Consent": fhir.Consent{},
}

// member is a member that a shape reads: its path, in which "[]" is an element of a list; its
// type; and whether it is part of a value, which may be dropped.
type member struct {
	path  []string
	kind  reflect.Type
	value bool
}

// membersOf lists every member of a shape, however deep; it descends twice into a type that
// contains itself.
func membersOf(kind reflect.Type, value bool, path ...string) (all []member) {
	at := func(name string) []string { return append(slices.Clone(path), name) }
	switch {
	case kind == reflect.TypeFor[fhir.Number]() || kind == reflect.TypeFor[*bool]():
	case kind.Kind() == reflect.Pointer:
		return membersOf(kind.Elem(), value, path...)
	case kind.Kind() == reflect.Slice:
		all = append(all, member{at("[]"), kind.Elem(), value})
		return append(all, membersOf(kind.Elem(), value, at("[]")...)...)
	case kind.Kind() == reflect.Struct:
		for i := range kind.NumField() {
			f := kind.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || name == "-" || readWhatever(f.Type) || occurrences(path, name) > 1 {
				continue
			}
			value := value || f.Tag.Get("fhir") == "value"
			all = append(all, member{at(name), f.Type, value})
			all = append(all, membersOf(f.Type, value, at(name)...)...)
		}
	}
	return all
}

// readWhatever reports whether a member of a type may hold anything.
func readWhatever(kind reflect.Type) bool {
	return kind == reflect.TypeFor[fhir.Present]() || kind == reflect.TypeFor[fhir.Identity]() || kind == reflect.TypeFor[fhir.Identities]()
}

func occurrences(path []string, name string) (n int) {
	for _, p := range path {
		if p == name {
			n++
		}
	}
	return n
}

// wrongFor lists values that a member of a type does not accept; each holds a text that must
// not come back.
func wrongFor(kind reflect.Type) l {
	text, number, yes, list, object := any("Okonkwo"), any(20190212), any(true), any(l{"Okonkwo"}), any(m{"Okonkwo": "Okonkwo"})
	switch {
	case kind == reflect.TypeFor[fhir.Number]():
		return l{yes, list, object}
	case kind == reflect.TypeFor[*bool]():
		return l{text, number, list, object}
	case kind.Kind() == reflect.String:
		return l{number, yes, list, object}
	case kind.Kind() == reflect.Slice:
		return l{text, number, yes, object}
	default:
		return l{text, number, yes, list}
	}
}

// put writes a value at the path.
func put(value any, path []string) (doc any, expression string) {
	doc = value
	for _, name := range slices.Backward(path) {
		if name == "[]" {
			doc, expression = l{doc}, "[0]"+expression
		} else {
			doc, expression = m{name: doc}, "."+name+expression
		}
	}
	return doc, expression
}

// requireWrongType checks the rejection and that nothing submitted is in it.
func requireWrongType(t *testing.T, i mapping.Item, reference, expression string) {
	t.Helper()
	requireRejected(t, i, reference, fhir.WrongType, expression)
	outcome := text(t, i.Problem.Outcome(i.Expression))
	require.Contains(t, outcome, `"code":"structure"`)
	require.NotContains(t, outcome, "Okonkwo")
	require.NotContains(t, outcome, "20190212")
}

// readResource returns a resource of a type that the registry reads in part.
func readResource(kind string, doc m) m {
	switch kind {
	case "Patient":
		doc = m{"meta": m{"profile": l{childProfile}}}.With(doc)
	case "Observation":
		doc = m{"code": concept("8339-4")}.With(doc)
	}
	return doc.With(m{"resourceType": kind})
}

func TestAWrongTypeInStructureOrIdentityRejectsTheCourseAndNamesThePlace(t *testing.T) {
	for kind, shape := range shapes {
		t.Run(kind, func(t *testing.T) {
			strict := 0
			for _, mem := range membersOf(reflect.TypeOf(shape), false) {
				if mem.value {
					continue
				}
				strict++
				for _, wrong := range wrongFor(mem.kind) {
					doc, expression := put(wrong, mem.path)
					resource := readResource(kind, doc.(m))
					requireWrongType(t, item(t, bundle(mother(), child(), resource)), "Bundle", "Bundle.entry[2].resource"+expression)
				}
				doc, _ := put(nil, mem.path)
				i := item(t, bundle(mother(), child(), readResource(kind, doc.(m))))
				require.Nil(t, i.Problem, "null at %v is no wrong type", mem.path)
			}
			require.Equal(t, kind == "Consent", strict == 0, "nothing about a consent rejects a birth")
		})
	}
}

func TestAWrongTypeInAValueLosesOnlyThatValue(t *testing.T) {
	for kind, shape := range shapes {
		t.Run(kind, func(t *testing.T) {
			for _, mem := range membersOf(reflect.TypeOf(shape), false) {
				if !mem.value {
					continue
				}
				for _, wrong := range wrongFor(mem.kind) {
					doc, _ := put(wrong, mem.path)
					i := item(t, bundle(mother(), child(), readResource(kind, doc.(m))))
					require.Nil(t, i.Problem, "%v", mem.path)
					course := birth.Mask(*i.Draft)
					require.NotContains(t, string(course.Clinical())+string(course.Patient()), "Okonkwo")
				}
			}
		})
	}
}

// The members that identify somebody or hold structure, by name. A new member of a shape must
// be on this list or be a value, so that nobody decides that by accident.
func TestStructureAndIdentityAreTheMembersThatTheDecisionsName(t *testing.T) {
	strict := map[string]bool{}
	for kind, shape := range shapes {
		for _, mem := range membersOf(reflect.TypeOf(shape), false) {
			if !mem.value {
				strict[kind+"."+mem.path[0]] = true
			}
		}
	}
	require.ElementsMatch(t, []string{
		"Patient.id", "Patient.meta", "Patient.name", "Observation.subject", "Observation.focus", "Practitioner.id",
		"Practitioner.identifier", "Practitioner.name", "Encounter.meta", "Encounter.subject",
		"Composition.meta", "Composition.status", "Composition.subject",
	}, slices.Collect(maps.Keys(strict)))
}

func TestAWrongTypeInAnUnreadResourceMeansNothing(t *testing.T) {
	for _, resource := range []m{
		obs("87300-0", m{"valueDateTime": 20190212, "subject": l{"Okonkwo"}, "focus": "Okonkwo", "status": 5, "component": "Okonkwo"}),
		obs("87300-0", m{"code": m{"coding": l{m{"system": "urn:laboratory", "code": "8339-4"}}}, "subject": 5}),
		obs("8339-4", m{"code": "Okonkwo", "subject": 5}),
		obs("8339-4", m{"method": 5, "note": "Okonkwo", "performer": 7, "referenceRange": m{}, "valueRange": "Okonkwo"}),
		obs("8339-4", m{"code": m{"coding": l{m{"code": "8339-4", "display": 5, "userSelected": "Okonkwo"}}, "text": 5}}),
		patient("brother", "http://example.org/Patient-brother", m{"name": "Okonkwo", "birthDate": 5, "id": 7}),
		{"resourceType": "RelatedPerson", "id": 5, "meta": "Okonkwo", "name": 7},
		{"resourceType": "Procedure", "subject": 5},
		{"resourceType": "Coverage", "type": 7},
		child(m{"telecom": 5, "multipleBirthTotal": "x", "extension": l{m{"url": "http://example.org/own", "valueCode": 5}}}),
	} {
		resources := []m{mother(), resource}
		if resource["resourceType"] != "Patient" || resource["id"] != "child" {
			resources = append(resources, child())
		}
		require.Nil(t, item(t, bundle(resources...)).Problem, text(t, resource))
	}
	require.Equal(t, `"female"`, stated(masked(t, bundle(mother(), child(extended(
		m{"url": "http://example.org/own", "valueCode": 5}, extension(birthsex, m{"valueCode": "F"}),
	)))), "child_sex"), "an extension of somebody else's costs no other")
}

func TestAProfileThatCannotBeReadRejectsTheCourse(t *testing.T) {
	for _, meta := range []any{5, "Okonkwo", m{"profile": "Okonkwo"}, m{"profile": l{5}}} {
		i := item(t, bundle(mother(), child(), m{"resourceType": "Patient", "meta": meta, "name": 5}))
		require.Equal(t, fhir.WrongType, i.Problem)
		require.True(t, strings.HasPrefix(i.Expression, "Bundle.entry[2].resource.meta"), i.Expression)
	}
}

func TestTheShapesHaveExactlyTheAllowedMembers(t *testing.T) {
	var paths []string
	for kind, shape := range shapes {
		for _, mem := range membersOf(reflect.TypeOf(shape), false) {
			paths = append(paths, kind+"."+strings.Join(mem.path, "."))
		}
	}
	for _, path := range []string{
		"Patient.name.[].given.[]", "Patient.extension.[].extension.[].valueQuantity.value", "Patient._birthDate.extension.[].url",
		"Observation.valueQuantity.value", "Observation.component.[].valueBoolean", "Observation.focus.[].reference",
		"Practitioner.qualification.[].code.coding.[].display", "Encounter.hospitalization.admitSource.coding.[].code",
		"Composition.status", "Consent.provision.provision.[].type",
	} {
		require.Contains(t, paths, path, "the walk over the shapes finds it")
	}
	for _, path := range paths {
		for _, name := range []string{"telecom", "line", "city", "photo", "contained", "div", "contact", "link", "birthPlace"} {
			require.NotContains(t, strings.Split(path, "."), name, "%s is off the allow-list", path)
		}
	}
}

func TestAWrongTypeInTheHeadOfACourseRejectsItExceptInTheStamps(t *testing.T) {
	for _, mem := range membersOf(reflect.TypeFor[struct {
		Type       string             `json:"type" fhir:"value"`
		Identifier fhir.ChartIdentity `json:"identifier"`
		Meta       fhir.Meta          `json:"meta"`
		Timestamp  string             `json:"timestamp" fhir:"value"`
	}](), false) {
		for _, wrong := range wrongFor(mem.kind) {
			doc, expression := put(wrong, mem.path)
			bad := bundle(mother(), child()).With(doc.(m))
			all := items(t, batch(good("A"), bad, good("C")))
			if mem.value {
				require.Empty(t, item(t, bad).Stamps, "%v", mem.path)
				require.Nil(t, all[1].Problem)
			} else {
				requireWrongType(t, item(t, bad), "Bundle", "Bundle"+expression)
				requireWrongType(t, all[1], "Bundle.entry[1]", "Bundle.entry[1].resource"+expression)
			}
			require.Equal(t, "A", item(t, batch(good("A")).With(doc.(m))).Chart, "a batch does not read its head")
		}
	}
	i := item(t, bundle(mother(), child()).With(m{"identifier": m{"value": "A", "type": 5, "system": l{}, "period": "x"}}))
	require.Equal(t, "A", i.Chart)
}

func TestAWrongTypeInOneCourseDoesNotConcernTheOthers(t *testing.T) {
	bad := bundle(mother(), child(m{"name": l{"Okonkwo"}}))
	all := items(t, batch(good("A"), bad, good("C")))
	require.Len(t, all, 3)
	require.NotNil(t, all[0].Draft)
	requireWrongType(t, all[1], "Bundle.entry[1]", "Bundle.entry[1].resource.entry[1].resource.name[0]")
	require.NotNil(t, all[2].Draft)
}

func TestAWrongTypeInAnEntryRejectsItsCourse(t *testing.T) {
	for _, c := range []struct {
		entry      any
		expression string
	}{
		{"Okonkwo", ""},
		{l{"Okonkwo"}, ""},
		{m{"resource": "Okonkwo"}, ".resource"},
		{m{"resource": l{good("Okonkwo")}}, ".resource"},
		{m{"resource": m{"resourceType": l{"Okonkwo"}}}, ".resource.resourceType"},
		{m{"resource": obs("x"), "fullUrl": m{"Okonkwo": 1}}, ".fullUrl"},
		{m{"resource": obs("x"), "request": "Okonkwo"}, ".request"},
		{m{"resource": obs("x"), "request": m{"url": 20190212}}, ".request.url"},
		{m{"resource": obs("x"), "request": m{"method": m{"Okonkwo": 1}}}, ".request.method"},
	} {
		doc := bundle(mother(), child())
		doc["entry"] = append(doc["entry"].(l), c.entry)
		requireWrongType(t, item(t, doc), "Bundle", "Bundle.entry[2]"+c.expression)
		all := items(t, batch(good("A"), doc))
		requireWrongType(t, all[1], "Bundle.entry[1]", "Bundle.entry[1].resource.entry[2]"+c.expression)
	}
}

func TestAWrongTypeAroundAnInnerBundleRejectsThatCourse(t *testing.T) {
	doc := batch(good("A"), good("B"))
	doc["entry"].(l)[1].(m)["fullUrl"] = m{"Okonkwo": 1}
	all := items(t, doc)
	require.Len(t, all, 2)
	requireWrongType(t, all[1], "Bundle.entry[1]", "Bundle.entry[1].fullUrl")
}

func TestAWrongTypeInADeletionRejectsIt(t *testing.T) {
	for _, c := range []struct {
		entry      m
		expression string
	}{
		{deletion(20190212), ".request.url"},
		{deletion("x", m{"fullUrl": l{"Okonkwo"}}), ".fullUrl"},
		{deletion("x", identified(20190212)), ".resource.identifier.value"},
		{deletion("x", m{"resource": m{"resourceType": "Bundle", "identifier": l{m{"value": "Okonkwo"}}}}), ".resource.identifier"},
		{deletion("x", m{"resource": m{"resourceType": "Patient", "identifier": "Okonkwo"}}), ".resource.identifier"},
		{deletion("x", m{"resource": m{"resourceType": "Patient", "identifier": l{m{}, m{"value": 20190212}}}}), ".resource.identifier[1].value"},
		{deletion("x", m{"resource": m{"resourceType": "Patient", "identifier": m{"value": m{"Okonkwo": 1}}}}), ".resource.identifier.value"},
		{deletion("x", m{"resource": "Okonkwo"}), ".resource"},
	} {
		requireWrongType(t, item(t, deletes(c.entry)), "Bundle.entry[0]", "Bundle.entry[0]"+c.expression)
	}
}
