package bundle

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/mappingtest"
)

// m and l are short for JSON objects and lists.
type (
	m = mappingtest.M
	l = mappingtest.L
)

const (
	motherProfile = "http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Patient-mother-vr"
	childProfile  = "http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Patient-child-vr"
	fetusProfile  = "http://hl7.org/fhir/us/bfdr/StructureDefinition/Patient-decedent-fetus"
)

func text(t require.TestingT, doc any) string { return mappingtest.Text(t, doc) }

// bundle returns a Bundle of resources, whose entry numbers are their positions.
func bundle(resources ...m) m {
	entries := l{}
	for _, r := range resources {
		entries = append(entries, m{"resource": r})
	}
	return m{"resourceType": "Bundle", "type": "document", "entry": entries}
}

func patient(id, profile string, more ...m) m {
	return m{"resourceType": "Patient", "id": id, "meta": m{"profile": l{profile}}}.With(more...)
}

func mother(more ...m) m { return patient("mother", motherProfile, more...) }

func child(more ...m) m { return patient("child", childProfile, more...) }

// twin returns the nth child.
func twin(n int, more ...m) m {
	id := string(rune('a' + n - 1))
	return patient(id, childProfile, append([]m{{"multipleBirthInteger": n}}, more...)...)
}

func concept(codes ...string) m {
	codings := l{}
	for _, code := range codes {
		codings = append(codings, m{"code": code})
	}
	return m{"coding": codings}
}

func obs(code string, more ...m) m {
	return m{"resourceType": "Observation", "status": "final", "code": concept(code)}.With(more...)
}

func about(reference string) m { return m{"subject": m{"reference": reference}} }

func coded(codes ...string) m { return m{"valueCodeableConcept": concept(codes...)} }

func quantity(value any, unit string) m {
	return m{"valueQuantity": m{"value": value, "unit": unit, "code": unit}}
}

func extension(url string, more m) m { return m{"url": url}.With(more) }

func extended(extensions ...m) m {
	list := l{}
	for _, e := range extensions {
		list = append(list, e)
	}
	return m{"extension": list}
}

// items reads a document that the scan accepts.
func items(t testing.TB, doc any, mappers ...Reader) []mapping.Item {
	t.Helper()
	body := text(t, doc)
	require.NoError(t, fhir.Scan(strings.NewReader(body)), "the door lets it in")
	mapper := Reader{}
	if len(mappers) > 0 {
		mapper = mappers[0]
	}
	return read(t, mapper, body)
}

// read reads a document window by window and as a whole, and requires that both agree.
func read(t require.TestingT, mapper Reader, body string) (all []mapping.Item) {
	require.NoError(t, mapper.Read(strings.NewReader(body), func(i mapping.Item) error {
		all = append(all, i)
		return nil
	}))
	var whole []mapping.Item
	require.NoError(t, mapper.ReadWhole([]byte(body), func(i mapping.Item) error {
		whole = append(whole, i)
		return nil
	}))
	require.Len(t, whole, len(all))
	for n := range all {
		one, other := all[n], whole[n]
		require.Equal(t, one.Panic == "", other.Panic == "") // stacks differ in their addresses
		one.Panic, other.Panic = "", ""
		require.Equal(t, one, other)
	}
	return all
}

// item reads a document of one item.
func item(t testing.TB, doc any, mappers ...Reader) mapping.Item {
	t.Helper()
	all := items(t, doc, mappers...)
	require.Len(t, all, 1)
	require.Empty(t, all[0].Panic)
	return all[0]
}

// courseOf maps resources together with a mother and a child, and masks the course.
func courseOf(t testing.TB, resources ...m) birth.Draft {
	t.Helper()
	return masked(t, bundle(append([]m{mother(), child()}, resources...)...))
}

func masked(t testing.TB, doc any, mappers ...Reader) birth.Draft {
	t.Helper()
	i := item(t, doc, mappers...)
	require.Nil(t, i.Problem, "%s", i.Expression)
	require.NotNil(t, i.Draft)
	return birth.Mask(*i.Draft).Draft()
}

// valuesAbout returns the values about a field's subject; for a child's field, those of the
// first child.
func valuesAbout(d birth.Draft, f *birth.Field) birth.Values {
	switch f.About {
	case birth.Mother:
		return d.Mother
	case birth.Care:
		return d.Care
	default:
		return d.Children[0]
	}
}

// stated returns a field's value as JSON, or "" if it is not stated.
func stated(d birth.Draft, field string) string {
	return mappingtest.StatedBy(d, field)
}

func requireRejected(t testing.TB, i mapping.Item, reference string, problem *fhir.Problem, expression string) {
	t.Helper()
	i.RejectedChart = ""
	require.Equal(t, mapping.Item{Rejected: reference, Problem: problem, Expression: expression}, i)
}
