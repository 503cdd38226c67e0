package bundle

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// deletes returns a transaction of these entries.
func deletes(entries ...m) m {
	doc := m{"resourceType": "Bundle", "type": "transaction"}
	list := l{}
	for _, e := range entries {
		list = append(list, e)
	}
	return doc.With(m{"entry": list})
}

func deletion(url any, more ...m) m {
	return m{"request": m{"method": "DELETE", "url": url}}.With(more...)
}

func identified(value any) m {
	return m{"resource": m{"resourceType": "Bundle", "identifier": m{"system": "urn:charts", "value": value}}}
}

func TestTheChartNumberOfADeletionIsTheFirstOneFound(t *testing.T) {
	for _, c := range []struct {
		name  string
		entry m
		want  string // the chart numbers read, in order
		at    string // where it is named, if not in the URL
	}{
		{"the identifier of a Bundle", deletion("Bundle/X", identified("A-1")), "A-1", "resource.identifier"},
		{"the identifier is trimmed", deletion("Bundle/X", identified(" A-1 ")), "A-1", "resource.identifier"},
		{
			"the first identifier of a list",
			deletion("Patient/X", m{"resource": m{
				"resourceType": "Patient",
				"identifier":   l{m{"system": "x"}, m{"value": " "}, m{"value": "A-1"}, m{"value": "B"}},
			}}),
			"A-1", "resource.identifier",
		},
		{
			"a single identifier elsewhere",
			deletion("Composition/X", m{"resource": m{"resourceType": "Composition", "identifier": m{"value": "A-1"}}}),
			"A-1", "resource.identifier",
		},
		{"a blank identifier gives way to the url", deletion("Bundle/A-1", identified("  ")), "A-1", ""},
		{"the url, next to a resource without identifier", deletion("Bundle/A-1", m{"resource": m{"resourceType": "Bundle"}}), "A-1", ""},
		{"identifier=value in the url", deletion("Bundle?identifier=A-1"), "A-1", ""},
		{"identifier=system|value in the url", deletion("Bundle?identifier=urn:charts|A-1"), "A-1", ""},
		{"a system without a value names none", deletion("Bundle?identifier=urn:charts|"), "", ""},
		{"an escaped query", deletion("Bundle?_format=json&identifier=http%3A%2F%2Fx%2Fy%7CA%201%2F2"), "A 1/2", ""},
		{"a bar within the value", deletion("Bundle?identifier=urn:charts%7CA%7C1"), "A|1", ""},
		{"the query before the path", deletion("Bundle/X?identifier=A-1"), "A-1", ""},
		{"another query names none", deletion("Patient?family=Okonkwo"), "", ""},
		{"a broken query names none", deletion("Bundle?identifier=%zz"), "", ""},
		{"the id in Type/id", deletion("Bundle/A-1"), "A-1", ""},
		{"an escaped id", deletion("Bundle/A%201"), "A 1", ""},
		{"a broken escape is taken as it is", deletion("Bundle/A%zz1"), "A%zz1", ""},
		{"an absolute url", deletion("http://x.example/fhir/Bundle/A-1"), "A-1", ""},
		{"a version behind the id", deletion("Bundle/A-1/_history/3"), "A-1", ""},
		{"a slash behind the id", deletion("Bundle/A-1/"), "A-1", ""},
		{"a bare url", deletion("A-1"), "A-1", ""},
		{"a bare url that has a slash of its own is no reference", deletion("2026/17"), "2026/17", ""},
		{"nor is one with a word that is no resource type", deletion("Birth/17"), "Birth/17", ""},
		{"nor an address of something else", deletion("http://x.example/charts/17"), "http://x.example/charts/17", ""},
		{"an escaped slash within the id", deletion("Bundle/2026%2F17"), "2026/17", ""},
		{"an escaped bare url", deletion("2026%2F17"), "2026/17", ""},
		{"a bare url as it is written", deletion("A-1/_history/3"), "A-1/_history/3", ""},
		{
			"a urn as it is written, then without its prefix", deletion("urn:uuid:9b0abc88-167d-460e-9a02-af7524198930"),
			"urn:uuid:9b0abc88-167d-460e-9a02-af7524198930 or 9b0abc88-167d-460e-9a02-af7524198930", "",
		},
		{"the last segment of fullUrl", deletion("", m{"fullUrl": "http://x.example/fhir/Bundle/A-1"}), "A-1", "fullUrl"},
		{"of any address", deletion("", m{"fullUrl": "http://x.example/births/A-1/"}), "A-1", "fullUrl"},
		{"but not of what is none", deletion("", m{"fullUrl": "2026/17"}), "2026/17", "fullUrl"},
		{"a fullUrl that is a urn", deletion(nil, m{"fullUrl": "urn:uuid:A-1"}), "urn:uuid:A-1 or A-1", "fullUrl"},
		{"the url before fullUrl", deletion("Bundle/A-1", m{"fullUrl": "urn:uuid:B"}), "A-1", ""},
		{"fullUrl behind another query", deletion("Bundle?type=document", m{"fullUrl": "urn:uuid:A-1"}), "urn:uuid:A-1 or A-1", "fullUrl"},
		{"the id in Composition/id", deletion("Composition/A-1"), "A-1", ""},
		{"of a Composition elsewhere", deletion("", m{"fullUrl": "https://x.example/fhir/Composition/A-1"}), "A-1", "fullUrl"},
		{"a bar that is escaped", deletion(`Bundle?identifier=A\|1`), "A|1", ""},
		{"behind a system", deletion(`Bundle?identifier=urn:charts|A\|1`), "A|1", ""},
		{"a comma, a dollar and a backslash that are escaped", deletion(`Bundle?identifier=urn:charts|A\,1\$2\\3`), `A,1$2\3`, ""},
		{"escaped twice over", deletion(`Bundle?identifier=urn%3Acharts%7CA%5C%7C1`), "A|1", ""},
		{"a backslash that escapes nothing", deletion(`Bundle?identifier=A\1\`), `A\1\`, ""},
		{"two identifiers at once", deletion("Bundle?identifier=A&identifier=B"), "", ""},
		{"an identifier it has not", deletion("Bundle?identifier:not=A-1"), "", ""},
		{"the patient's identifier", deletion("Patient?identifier=urn:charts|A-1"), "A-1", ""},
		{"nothing at all", deletion(nil), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := mapping.Item{Accepted: "Bundle.entry[0]", Rejected: "Bundle.entry[0]", Retraction: true}
			readings := strings.Split(c.want, " or ")
			want.Chart, want.Others = readings[0], append(want.Others, readings[1:]...)
			want.ChartAt = "Bundle.entry[0]." + cmp.Or(c.at, "request.url")
			require.Equal(t, want, item(t, deletes(c.entry)))
		})
	}
}

func TestADeletionOfAnyOtherTypeNamesAResourceOfTheSenderAndNotAChart(t *testing.T) {
	observation := m{"resource": m{"resourceType": "Observation", "identifier": l{m{"value": "4711"}}}}
	for name, entry := range map[string]m{
		"Type/id":                     deletion("Observation/4711"),
		"a Patient's id":              deletion("Patient/4711"),
		"absolute":                    deletion("https://x.example/fhir/Observation/4711"),
		"a version of it":             deletion("Encounter/4711/_history/2"),
		"in fullUrl":                  deletion("", m{"fullUrl": "https://x.example/fhir/Observation/4711"}),
		"in a relative fullUrl":       deletion(nil, m{"fullUrl": "Observation/4711"}),
		"a type of a later FHIR":      deletion(nil, m{"fullUrl": "https://x.example/fhir/NutritionIntake/4711"}),
		"by its identifier":           deletion("Observation?identifier=4711"),
		"with a resource":             deletion("Observation/4711", observation),
		"a resource and a bare url":   deletion("4711", observation),
		"a resource and a urn":        deletion(nil, observation, m{"fullUrl": "urn:uuid:4711"}),
		"a url and another fullUrl":   deletion("Observation/4711", m{"fullUrl": "https://x.example/fhir/Bundle/4711"}),
		"a search and a fullUrl":      deletion("Patient?family=Okonkwo", m{"fullUrl": "urn:uuid:4711"}),
		"a Patient and a bare url":    deletion("4711", m{"resource": m{"resourceType": "Patient", "id": "4711"}}),
		"an escaped one":              deletion("Observation%2F4711/4711"),
		"a search without any answer": deletion("https://x.example/fhir/Observation?_id=4711", m{"fullUrl": "urn:uuid:4711"}),
	} {
		i := item(t, deletes(entry))
		require.True(t, i.Retraction, name)
		require.NotContains(t, append(i.Others, i.Chart), "4711", name)
	}
}

func TestADeletionOfATypeWithoutAnIDNamesNoChartNumber(t *testing.T) {
	for _, entry := range []m{
		deletion("Bundle/"), deletion("Observation/"), deletion("https://x.example/fhir/Bundle/"),
		deletion("", m{"fullUrl": "https://x.example/fhir/Bundle/"}), deletion("", m{"fullUrl": "Composition/"}),
	} {
		i := item(t, deletes(entry))
		require.True(t, i.Retraction, entry)
		require.Empty(t, i.Chart, entry)
		require.Empty(t, i.Others, entry)
	}
	require.Equal(t, "A-1", item(t, deletes(deletion("Bundle/A-1/"))).Chart)
	require.Equal(t, "2026/17/", item(t, deletes(deletion("2026/17/"))).Chart)
}

func TestADeletionByANumberWithAControlCharacterInsideIsRefused(t *testing.T) {
	for at, entry := range map[string]m{
		".request.url":         deletion("Bundle/A%07-1"),
		".resource.identifier": deletion("Bundle/X", identified("A\u0085-1")),
		".fullUrl":             deletion("", m{"fullUrl": "urn:uuid:A\u007f-1"}),
	} {
		requireRejected(t, item(t, deletes(entry)), "Bundle.entry[0]", fhir.BadChartNumber, "Bundle.entry[0]"+at)
	}
	require.Equal(t, "A-1", item(t, deletes(deletion("Bundle/A-1%0A"))).Chart, "around it they are trimmed")
}

func TestDeletionsAreTakenOutFirstInAnyBundleType(t *testing.T) {
	gone := deletion("Bundle/A-0")
	doc := deletes(gone, m{"resource": mother()}, m{"resource": child()}, gone)
	for _, kind := range []string{"transaction", "batch", "document", "collection", ""} {
		all := items(t, doc.With(m{"type": kind}))
		require.Len(t, all, 3)
		require.Equal(t, "Bundle.entry[0]", all[0].Accepted)
		require.True(t, all[0].Retraction)
		require.Equal(t, "Bundle.entry[3]", all[1].Accepted)
		require.True(t, all[1].Retraction)
		require.Equal(t, "Patient/mother", all[2].Accepted)
		require.NotNil(t, all[2].Draft)
	}
}

func TestInABatchDeletionsComeFirstWhereverTheyStand(t *testing.T) {
	doc := deletes(
		m{"resource": good("A-1")}, m{"resource": deletes(deletion("Bundle/B-1"), m{"resource": mother()})},
		deletion("Bundle/C-1"), m{"resource": good("C-1")},
	)
	for name, body := range map[string]string{
		"as it is": text(t, doc), "escaped": strings.ReplaceAll(text(t, doc), "DELETE", `DE\u004cETE`),
		"escaped whole": strings.ReplaceAll(text(t, doc), "DELETE", `\u0044\u0045\u004C\u0045\u0054\u0045`),
		"far behind":    strings.Repeat(" ", 100_001) + text(t, doc), "escaped once": strings.ReplaceAll(text(t, doc), "DELETE", `DELE\u0054E`),
	} {
		var got []string
		for _, i := range read(t, Reader{}, body) {
			got = append(got, fmt.Sprintf("%s %t %s", i.Rejected, i.Retraction, i.Chart))
		}
		require.Equal(t, []string{
			"Bundle.entry[1] true B-1", "Bundle.entry[2] true C-1",
			"Bundle.entry[0] false A-1", "Bundle.entry[1] false ", "Bundle.entry[3] false C-1",
		}, got, name)
	}
}

func TestTheWordIsFoundWhereverReadingStops(t *testing.T) {
	for offset := range 40 {
		body := strings.Repeat(" ", 32<<10-20+offset) + "DELETE" + strings.Repeat(" ", 100)
		for _, r := range []io.Reader{strings.NewReader(body), iotest.OneByteReader(strings.NewReader(body)), iotest.DataErrReader(strings.NewReader(body))} {
			found, err := mayRetract(r)
			require.NoError(t, err)
			require.True(t, found, offset)
		}
	}
	found, err := mayRetract(strings.NewReader(strings.Repeat("DELET ELETE delete", 5_000)))
	require.NoError(t, err)
	require.False(t, found)
}

func TestADeletedBundleIsNotACourseOfCare(t *testing.T) {
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
		want := mapping.Item{
			Accepted: "Bundle.entry[1]", Rejected: "Bundle.entry[1]", Retraction: true, Chart: chart,
			ChartAt: fmt.Sprintf("Bundle.entry[1].resource.entry[%d].request.url", n),
		}
		require.Equal(t, want, all[n], "taken out first")
	}
}

func TestOnlyTheMethodDELETEDeletes(t *testing.T) {
	for _, method := range []string{"POST", "PUT", "GET", "PATCH", "delete", ""} {
		i := item(t, deletes(m{"resource": mother(), "request": m{"method": method}}, m{"resource": child()}))
		require.False(t, i.Retraction, method)
		require.NotNil(t, i.Draft)
	}
}

func erroneous(more ...m) m {
	return m{"resourceType": "Composition", "status": "entered-in-error"}.With(more...)
}

func TestACompositionEnteredInErrorRetractsTheRecord(t *testing.T) {
	want := mapping.Item{
		Accepted: "Bundle.entry[0]", Rejected: "Bundle.entry[0]", Retraction: true, Chart: "A-1", ChartAt: "Bundle.identifier.value",
	}
	require.Equal(t, want, item(t, charted("A-1", bundle(erroneous()))), "it need not carry a course of care")

	want.Accepted, want.Rejected = "Patient/mother", "Bundle.entry[1]"
	require.Equal(t, want, item(t, charted("A-1", bundle(erroneous(), mother(), child()))))
	require.Equal(t, want, item(t, charted("A-1", bundle(erroneous(), mother(), mother()))), "nor a valid one")

	want.Accepted, want.Rejected = "Bundle.entry[2]", "Bundle.entry[2]"
	require.Equal(t, want, item(t, charted("A-1", bundle(child(), obs("x"), erroneous()))))

	want.Accepted, want.Rejected, want.ChartAt = "Bundle.entry[1]", "Bundle.entry[1]", "Bundle.entry[1].resource.identifier.value"
	require.Equal(t, want, items(t, batch(good("A-0"), charted("A-1", bundle(erroneous()))))[1])

	want = mapping.Item{Accepted: "Bundle.entry[0]", Rejected: "Bundle.entry[0]", Retraction: true, ChartAt: "Bundle.identifier.value"}
	require.Equal(t, want, item(t, bundle(erroneous())), "without a chart number it is for the lifecycle to reject")
}

func TestOnlyTheBundlesOwnMembersAndTheCompositionCanMakeARetractionWrong(t *testing.T) {
	broken := obs("8339-4", m{"valueQuantity": "wrong"})
	for name, doc := range map[string]m{
		"a broken Observation":  bundle(broken, erroneous(), mother(), child()),
		"a broken mother":       bundle(erroneous(), mother(m{"name": "Okonkwo"})),
		"an entry that is none": bundle(erroneous()).With(m{"entry": l{5, m{"fullUrl": 7}, m{"resource": erroneous()}}}),
		"a second Composition":  bundle(erroneous(), erroneous(m{"type": "wrong"})),
	} {
		i := item(t, charted("A-1", doc))
		require.Nil(t, i.Problem, name)
		require.True(t, i.Retraction, name)
		require.Equal(t, "A-1", i.Chart, name)
	}
	requireRejected(t, item(t, charted("A-1", bundle(broken, erroneous(m{"subject": "wrong"})))),
		"Bundle", fhir.WrongType, "Bundle.entry[1].resource.subject")
	requireRejected(t, item(t, bundle(broken, erroneous()).With(m{"identifier": l{}})), "Bundle", fhir.WrongType, "Bundle.identifier")
}

func TestTheLatestVersionOfTheCompositionDecidesWhetherItRetracts(t *testing.T) {
	version := func(id, status, number string) m {
		return m{"resourceType": "Composition", "id": id, "status": status, "meta": m{"versionId": number}}
	}
	for name, c := range map[string]struct {
		first, second m
		retracts      bool
	}{
		"withdrawn later":                  {version("c", "final", "1"), version("c", "entered-in-error", "2"), true},
		"withdrawn and sent again":         {version("c", "entered-in-error", "1"), version("c", "final", "2"), false},
		"in the opposite order":            {version("c", "entered-in-error", "2"), version("c", "final", "1"), true},
		"another Composition, which isn't": {version("c", "final", "1"), version("d", "entered-in-error", "2"), false},
		"without an id":                    {version("", "final", "1"), version("", "entered-in-error", "2"), false},
	} {
		i := item(t, charted("R", bundle(c.first, c.second, mother(), child())))
		require.Equal(t, c.retracts, i.Retraction, name)
		require.Nil(t, i.Problem, name)
	}
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
	got := read(t, Reader{}, body)
	require.Len(t, got, 1)
	requireRejected(t, got[0], "Bundle.entry[0]", fhir.TooManyElements, "Bundle.entry[0]")
}
