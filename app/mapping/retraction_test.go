package mapping

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
)

// deletes is a transaction of entries as they are.
func deletes(entries ...m) m {
	doc := m{"resourceType": "Bundle", "type": "transaction"}
	list := l{}
	for _, e := range entries {
		list = append(list, e)
	}
	return doc.with(m{"entry": list})
}

func deletion(url any, more ...m) m {
	return m{"request": m{"method": "DELETE", "url": url}}.with(more...)
}

func identified(value any) m {
	return m{"resource": m{"resourceType": "Bundle", "identifier": m{"system": "urn:charts", "value": value}}}
}

func TestTheChartNumberOfADeletionFirstHit(t *testing.T) {
	for _, c := range []struct {
		name  string
		entry m
		want  string
	}{
		{"the identifier of a Bundle", deletion("Bundle/X", identified("A-1")), "A-1"},
		{"the identifier is trimmed", deletion("Bundle/X", identified(" A-1 ")), "A-1"},
		{
			"the first identifier of a list",
			deletion("Patient/X", m{"resource": m{
				"resourceType": "Patient",
				"identifier":   l{m{"system": "x"}, m{"value": " "}, m{"value": "A-1"}, m{"value": "B"}},
			}}),
			"A-1",
		},
		{
			"a single identifier elsewhere",
			deletion("Composition/X", m{"resource": m{"resourceType": "Composition", "identifier": m{"value": "A-1"}}}),
			"A-1",
		},
		{"a blank identifier gives way to the url", deletion("Bundle/A-1", identified("  ")), "A-1"},
		{"the url, beside a resource without identifier", deletion("Bundle/A-1", m{"resource": m{"resourceType": "Bundle"}}), "A-1"},
		{"identifier=value in the url", deletion("Bundle?identifier=A-1"), "A-1"},
		{"identifier=system|value in the url", deletion("Bundle?identifier=urn:charts|A-1"), "A-1"},
		{"a system without a value names none", deletion("Bundle?identifier=urn:charts|"), ""},
		{"an escaped query", deletion("Bundle?_format=json&identifier=http%3A%2F%2Fx%2Fy%7CA%201%2F2"), "A 1/2"},
		{"a bar within the value", deletion("Bundle?identifier=urn:charts%7CA%7C1"), "A|1"},
		{"the query before the path", deletion("Bundle/X?identifier=A-1"), "A-1"},
		{"another query names none", deletion("Patient?family=Okonkwo"), ""},
		{"a broken query names none", deletion("Bundle?identifier=%zz"), ""},
		{"the id in Type/id", deletion("Bundle/A-1"), "A-1"},
		{"an escaped id", deletion("Bundle/A%201"), "A 1"},
		{"a broken escape is taken as it is", deletion("Bundle/A%zz1"), "A%zz1"},
		{"an absolute url", deletion("http://x.example/fhir/Bundle/A-1"), "A-1"},
		{"a version behind the id", deletion("Bundle/A-1/_history/3"), "A-1"},
		{"a slash behind the id", deletion("Bundle/A-1/"), "A-1"},
		{"a bare url", deletion("A-1"), "A-1"},
		{"a urn", deletion("urn:uuid:9b0abc88-167d-460e-9a02-af7524198930"), "9b0abc88-167d-460e-9a02-af7524198930"},
		{"the last segment of fullUrl", deletion("", m{"fullUrl": "http://x.example/fhir/Bundle/A-1"}), "A-1"},
		{"a fullUrl that is a urn", deletion(nil, m{"fullUrl": "urn:uuid:A-1"}), "A-1"},
		{"the url before fullUrl", deletion("Bundle/A-1", m{"fullUrl": "urn:uuid:B"}), "A-1"},
		{"fullUrl behind another query", deletion("Patient?family=Okonkwo", m{"fullUrl": "urn:uuid:A-1"}), "A-1"},
		{"nothing at all", deletion(nil), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := Item{Accepted: "Bundle.entry[0]", Rejected: "Bundle.entry[0]", Retraction: true, Chart: c.want}
			require.Equal(t, want, item(t, deletes(c.entry)))
		})
	}
}

func TestDeletionsAreTakenOutFirstInAnyBundleType(t *testing.T) {
	gone := deletion("Bundle/A-0")
	doc := deletes(gone, m{"resource": mother()}, m{"resource": child()}, gone)
	for _, kind := range []string{"transaction", "batch", "document", "collection", ""} {
		all := items(t, doc.with(m{"type": kind}))
		require.Len(t, all, 3)
		require.Equal(t, "Bundle.entry[0]", all[0].Accepted)
		require.True(t, all[0].Retraction)
		require.Equal(t, "Bundle.entry[3]", all[1].Accepted)
		require.True(t, all[1].Retraction)
		require.Equal(t, "Patient/mother", all[2].Accepted)
		require.NotNil(t, all[2].Draft)
	}
}

func TestADeletedBundleIsNoCourseOfCare(t *testing.T) {
	all := items(t, deletes(
		deletion("Bundle/A-1", m{"resource": good("A-1")}),
		m{"resource": good("A-2"), "request": m{"method": "PUT", "url": "Bundle/A-2"}},
	))
	require.Len(t, all, 2)
	require.True(t, all[0].Retraction)
	require.Nil(t, all[0].Draft)
	require.Equal(t, "A-2", all[1].Chart)
	require.NotNil(t, all[1].Draft)
}

func TestDeletionsInAnInnerBundleAreReportedAtTheOuterEntry(t *testing.T) {
	all := items(t, batch(good("A"), deletes(deletion("Bundle/B"), deletion("Bundle/C"))))
	require.Len(t, all, 3)
	for n, chart := range []string{"B", "C"} {
		want := Item{Accepted: "Bundle.entry[1]", Rejected: "Bundle.entry[1]", Retraction: true, Chart: chart}
		require.Equal(t, want, all[n+1])
	}
}

func TestAnotherMethodIsNoDeletion(t *testing.T) {
	for _, method := range []string{"POST", "PUT", "GET", "PATCH", "delete", ""} {
		i := item(t, deletes(m{"resource": mother(), "request": m{"method": method}}, m{"resource": child()}))
		require.False(t, i.Retraction, method)
		require.NotNil(t, i.Draft)
	}
}

func erroneous(more ...m) m {
	return m{"resourceType": "Composition", "status": "entered-in-error"}.with(more...)
}

func TestACompositionEnteredInErrorRetractsTheRecord(t *testing.T) {
	want := Item{Accepted: "Bundle.entry[0]", Rejected: "Bundle.entry[0]", Retraction: true, Chart: "A-1"}
	require.Equal(t, want, item(t, charted("A-1", bundle(erroneous()))), "it need not carry a course of care")

	want.Accepted, want.Rejected = "Patient/mother", "Bundle.entry[1]"
	require.Equal(t, want, item(t, charted("A-1", bundle(erroneous(), mother(), child()))))
	require.Equal(t, want, item(t, charted("A-1", bundle(erroneous(), mother(), mother()))), "nor a valid one")

	want.Accepted, want.Rejected = "Bundle.entry[2]", "Bundle.entry[2]"
	require.Equal(t, want, item(t, charted("A-1", bundle(child(), obs("x"), erroneous()))))

	want.Accepted, want.Rejected = "Bundle.entry[1]", "Bundle.entry[1]"
	require.Equal(t, want, items(t, batch(good("A-0"), charted("A-1", bundle(erroneous()))))[1])

	want = Item{Accepted: "Bundle.entry[0]", Rejected: "Bundle.entry[0]", Retraction: true}
	require.Equal(t, want, item(t, bundle(erroneous())), "without a chart number it is for the lifecycle to reject")
}

func TestAnotherStatusOfTheCompositionRetractsNothing(t *testing.T) {
	for _, status := range []any{"final", "preliminary", "amended", "ENTERED-IN-ERROR", "", nil} {
		i := item(t, charted("A-1", bundle(erroneous(m{"status": status}), mother(), child())))
		require.False(t, i.Retraction)
		require.NotNil(t, i.Draft)
	}
	i := item(t, bundle(erroneous(m{"status": "final"}), mother(), child(), erroneous()))
	require.False(t, i.Retraction, "the first Composition is the document's")
}

func TestAHugeDeletionIsRejectedWithoutDecodingIt(t *testing.T) {
	identifiers := make(l, 0, 60)
	for range cap(identifiers) {
		identifiers = append(identifiers, m{"type": m{"coding": make([]m, 4000)}})
	}
	huge := deletion("Bundle/A-1", m{"resource": m{"resourceType": "Patient", "identifier": identifiers}})
	body := strings.ReplaceAll(text(t, deletes(huge)), "null", "{}")
	var got []Item
	require.NoError(t, Mapper{}.Read(strings.NewReader(body), func(i Item) error {
		got = append(got, i)
		return nil
	}))
	require.Len(t, got, 1)
	requireRejected(t, got[0], "Bundle.entry[0]", fhir.TooManyElements, "Bundle.entry[0]")
}
