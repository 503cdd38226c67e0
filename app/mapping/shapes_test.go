package mapping

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
)

// shapes are the resources that are read, by resourceType.
var shapes = map[string]any{
	"Patient": fhir.Patient{}, "Observation": fhir.Observation{}, "Practitioner": fhir.Practitioner{},
	"Encounter": fhir.Encounter{}, "Composition": fhir.Composition{}, "Consent": fhir.Consent{},
}

// member is a member that a shape reads: its path, in which "[]" is an element
// of a list, and its type.
type member struct {
	path []string
	kind reflect.Type
}

// membersOf lists every member of a shape, however deep; what contains itself
// is descended twice.
func membersOf(kind reflect.Type, path ...string) (all []member) {
	at := func(name string) []string { return append(slices.Clone(path), name) }
	switch {
	case kind == reflect.TypeFor[fhir.Number]() || kind == reflect.TypeFor[*bool]():
	case kind.Kind() == reflect.Pointer:
		return membersOf(kind.Elem(), path...)
	case kind.Kind() == reflect.Slice:
		all = append(all, member{at("[]"), kind.Elem()})
		return append(all, membersOf(kind.Elem(), at("[]")...)...)
	case kind.Kind() == reflect.Struct:
		for i := range kind.NumField() {
			name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
			if name == "" || occurrences(path, name) > 1 {
				continue
			}
			all = append(all, member{at(name), kind.Field(i).Type})
			all = append(all, membersOf(kind.Field(i).Type, at(name)...)...)
		}
	}
	return all
}

func occurrences(path []string, name string) (n int) {
	for _, p := range path {
		if p == name {
			n++
		}
	}
	return n
}

// wrongFor lists values that a member of a type does not take; each holds a
// text that must not come back.
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
func requireWrongType(t *testing.T, i Item, reference, expression string) {
	t.Helper()
	requireRejected(t, i, reference, fhir.WrongType, expression)
	outcome := text(t, i.Problem.Outcome(i.Expression))
	require.Contains(t, outcome, `"code":"structure"`)
	require.NotContains(t, outcome, "Okonkwo")
	require.NotContains(t, outcome, "20190212")
}

func TestAWrongTypeAnywhereInAResourceRejectsTheCourseAndNamesThePlace(t *testing.T) {
	for kind, shape := range shapes {
		t.Run(kind, func(t *testing.T) {
			all := membersOf(reflect.TypeOf(shape))
			require.NotEmpty(t, all)
			for _, mem := range all {
				for _, wrong := range wrongFor(mem.kind) {
					doc, expression := put(wrong, mem.path)
					resource := doc.(m).with(m{"resourceType": kind})
					requireWrongType(t, item(t, bundle(mother(), child(), resource)), "Bundle", "Bundle.entry[2].resource"+expression)
				}
				doc, _ := put(nil, mem.path)
				i := item(t, bundle(mother(), child(), doc.(m).with(m{"resourceType": kind})))
				require.Nil(t, i.Problem, "null at %v is no wrong type", mem.path)
			}
		})
	}
}

func TestTheShapesHoldWhatTheyShould(t *testing.T) {
	var paths []string
	for kind, shape := range shapes {
		for _, mem := range membersOf(reflect.TypeOf(shape)) {
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

func TestAWrongTypeInTheHeadOfACourseRejectsIt(t *testing.T) {
	for _, mem := range membersOf(reflect.TypeFor[struct {
		Type       string          `json:"type"`
		Identifier fhir.Identifier `json:"identifier"`
		Meta       fhir.Meta       `json:"meta"`
		Timestamp  string          `json:"timestamp"`
	}]()) {
		for _, wrong := range wrongFor(mem.kind) {
			doc, expression := put(wrong, mem.path)
			bad := bundle(mother(), child()).with(doc.(m))
			requireWrongType(t, item(t, bad), "Bundle", "Bundle"+expression)
			all := items(t, batch(good("A"), bad, good("C")))
			requireWrongType(t, all[1], "Bundle.entry[1]", "Bundle.entry[1].resource"+expression)
			require.Equal(t, "A", item(t, batch(good("A")).with(doc.(m))).Chart, "a batch does not read its head")
		}
	}
}

func TestAWrongTypeInOneCourseDoesNotConcernTheOthers(t *testing.T) {
	bad := bundle(mother(), child(m{"birthDate": l{"Okonkwo"}}))
	all := items(t, batch(good("A"), bad, good("C")))
	require.Len(t, all, 3)
	require.NotNil(t, all[0].Draft)
	requireWrongType(t, all[1], "Bundle.entry[1]", "Bundle.entry[1].resource.entry[1].resource.birthDate")
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
