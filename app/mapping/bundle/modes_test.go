package bundle

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

func charted(chart string, doc m) m { return doc.With(m{"identifier": m{"value": chart}}) }

// batch returns a Bundle of Bundles.
func batch(inner ...m) m { return bundle(inner...).With(m{"type": "batch"}) }

func good(chart string) m { return charted(chart, bundle(mother(), child())) }

func TestASingleCourseOfCareIsOneRecord(t *testing.T) {
	i := item(t, good(" A-1 "))
	require.Nil(t, i.Problem)
	require.Equal(t, "A-1", i.Chart)
	require.Equal(t, "Patient/mother", i.Accepted)
	require.Equal(t, "Bundle.entry[0]", i.Rejected, "a conflict is reported at the mother")
	require.Len(t, i.Draft.Children, 1)
}

func TestAMotherWithoutAUsableIDIsReportedByHerEntry(t *testing.T) {
	for id, want := range map[string]string{
		"":                      "Bundle.entry[1]",
		"a b":                   "Bundle.entry[1]",
		"a\nb":                  "Bundle.entry[1]",
		"mère":                  "Bundle.entry[1]",
		strings.Repeat("x", 65): "Bundle.entry[1]",
		strings.Repeat("x", 64): "Patient/" + strings.Repeat("x", 64),
		"urn:uuid:9b0abc88-167d-460e-9a02-af7524198930": "Patient/urn:uuid:9b0abc88-167d-460e-9a02-af7524198930",
		"mother_1.2-3": "Patient/mother_1.2-3",
	} {
		i := item(t, bundle(child(), mother(m{"id": id})))
		require.Equal(t, want, i.Accepted)
		require.Equal(t, "Bundle.entry[1]", i.Rejected)
	}
}

func TestInABatchEachInnerBundleIsOneCourseOfCare(t *testing.T) {
	all := items(t, batch(good("A"), bundle(child()), good("C")))
	require.Len(t, all, 3)
	for n, chart := range map[int]string{0: "A", 2: "C"} {
		require.Nil(t, all[n].Problem)
		require.Equal(t, chart, all[n].Chart)
		require.Equal(t, all[n].Accepted, all[n].Rejected)
	}
	require.Equal(t, "Bundle.entry[0]", all[0].Accepted)
	requireRejected(t, all[1], "Bundle.entry[1]", fhir.NoMother, "Bundle.entry[1].resource.entry")
	require.Equal(t, "Bundle.entry[2]", all[2].Accepted)
}

func TestInABatchEntriesThatAreNotBundlesAreIgnored(t *testing.T) {
	for _, order := range [][]m{
		{mother(), good("A"), child()},
		{good("A"), mother(), mother()},
		{obs("8339-4", m{"valueQuantity": "wrong"}), good("A")},
	} {
		i := item(t, batch(order...))
		require.Nil(t, i.Problem)
		require.Equal(t, "A", i.Chart)
	}
	doc := batch(good("A"))
	doc["entry"] = append(l{5, nil, "x", m{"resource": 7}, m{}}, doc["entry"].(l)...)
	require.Equal(t, "Bundle.entry[5]", item(t, doc).Accepted)
}

func TestTheModeFollowsTheEntriesWhateverTheType(t *testing.T) {
	for _, kind := range []any{"document", "batch", "transaction", "message", "collection", "searchset", "history", "x", "", nil} {
		require.Equal(t, "Patient/mother", item(t, good("A").With(m{"type": kind})).Accepted)
		require.Equal(t, "Bundle.entry[0]", item(t, batch(good("A")).With(m{"type": kind})).Accepted)
	}
}

func TestACourseOfCareMustBeValid(t *testing.T) {
	for _, c := range []struct {
		name       string
		doc        m
		problem    *fhir.Problem
		expression string
	}{
		{"no mother", bundle(child()), fhir.NoMother, "Bundle.entry"},
		{"no Patient at all", bundle(obs("8339-4")), fhir.NoMother, "Bundle.entry"},
		{"a mother without the profile", bundle(patient("m", "x"), child()), fhir.NoMother, "Bundle.entry"},
		{"more than one mother", bundle(mother(), child(), mother()), fhir.SeveralMothers, "Bundle.entry[2].resource.meta.profile"},
		{"the same mother twice", bundle(mother(), mother(), child()), fhir.SeveralMothers, "Bundle.entry[1].resource.meta.profile"},
		{"no child", bundle(mother()), fhir.NoChild, "Bundle.entry"},
		{"a child without the profile", bundle(mother(), patient("c", "x")), fhir.NoChild, "Bundle.entry"},
		{"no entries", bundle(), fhir.NothingUsable, "Bundle.entry"},
		{"no entry member", m{"resourceType": "Bundle"}, fhir.NothingUsable, "Bundle.entry"},
		{"entry that is null", m{"resourceType": "Bundle", "entry": nil}, fhir.NothingUsable, "Bundle.entry"},
		{"entry that is no list", m{"resourceType": "Bundle", "entry": m{}}, fhir.WrongType, "Bundle.entry"},
		{"entries without resources", m{"resourceType": "Bundle", "entry": l{m{}, nil}}, fhir.NoMother, "Bundle.entry"},
	} {
		t.Run(c.name, func(t *testing.T) {
			requireRejected(t, item(t, c.doc), "Bundle", c.problem, c.expression)
		})
	}
}

func TestARelatedPersonIsNotAMother(t *testing.T) {
	related := mother(m{"resourceType": "RelatedPerson"})
	requireRejected(t, item(t, bundle(related, child())), "Bundle", fhir.NoMother, "Bundle.entry")
}

func TestAMessageWrappingADocumentIsABatchOfOne(t *testing.T) {
	message := bundle(m{"resourceType": "MessageHeader"}, m{"resourceType": "Parameters"}, good("A"))
	i := item(t, message)
	require.Nil(t, i.Problem)
	require.Equal(t, "Bundle.entry[2]", i.Accepted)
	require.Equal(t, "A", i.Chart)
	i = item(t, batch(bundle(child()).With(), message)["entry"].(l)[1].(m)["resource"])
	require.Equal(t, "A", i.Chart)
}

func TestNestedBundlesAreDescendedToDepthFour(t *testing.T) {
	doc := good("A")
	for range 4 {
		doc = batch(obs("8339-4"), doc)
		i := item(t, doc)
		require.Nil(t, i.Problem)
		require.Equal(t, "Bundle.entry[1]", i.Accepted, "the place in what was submitted")
		require.Equal(t, "A", i.Chart)
	}
	for range 3 {
		doc = batch(obs("8339-4"), doc)
		requireRejected(t, item(t, doc), "Bundle.entry[1]", fhir.TooNested, "Bundle.entry[1]")
	}
}

func TestABatchInAMessageGivesEachOfItsCourses(t *testing.T) {
	all := items(t, batch(batch(good("A"), bundle(mother()), good("B")), good("C")))
	require.Len(t, all, 4)
	require.Equal(t, []string{"A", "", "B", "C"}, []string{all[0].Chart, all[1].Chart, all[2].Chart, all[3].Chart})
	requireRejected(t, all[1], "Bundle.entry[0]", fhir.NoChild, "Bundle.entry[0].resource.entry[1].resource.entry")
	require.Equal(t, "Bundle.entry[0]", all[2].Accepted)
	require.Equal(t, "Bundle.entry[1]", all[3].Accepted)
}

func TestAnEmptyInnerBundleIsRejectedAlone(t *testing.T) {
	all := items(t, batch(bundle(), good("B")))
	requireRejected(t, all[0], "Bundle.entry[0]", fhir.NoMother, "Bundle.entry[0].resource.entry")
	require.Equal(t, "B", all[1].Chart)
}

func TestAMessageWithoutABirthDocumentIsRejectedWithItsOwnReason(t *testing.T) {
	header := m{"resourceType": "MessageHeader", "eventUri": "http://nchs.cdc.gov/birth_submission_void"}
	number := m{"resourceType": "Parameters", "parameter": l{m{"name": "cert_no", "valueUnsignedInt": 48858}}}
	message := func(resources ...m) m {
		doc := bundle(resources...)
		doc["type"] = "message"
		return doc
	}
	untyped, headless := message(header, number), message(number)
	delete(untyped, "type")
	for what, doc := range map[string]m{
		"a void, a status or an acknowledgement": message(header, number), "without its type": untyped, "without its header": headless,
		"codes for a birth": message(header, number, bundle(m{"resourceType": "Composition", "status": "final"})),
		"an empty document": message(header, number, bundle()),
		"within a batch":    batch(message(header, number)),
	} {
		all := items(t, doc, Reader{})
		require.Len(t, all, 1, what)
		require.Equal(t, fhir.NoBirthInMessage, all[0].Problem, what)
	}
	require.Equal(t, fhir.NoMother, item(t, message(header, child())).Problem, "a birth without its mother")
	require.Nil(t, item(t, message(header, mother(), child())).Problem, "a birth as entries of the message itself")
	require.True(t, item(t, message(header, m{"resourceType": "Composition", "status": "entered-in-error"})).Retraction)
}

func TestAPanicAffectsOnlyOneCourse(t *testing.T) {
	courses := 0
	mapper := Reader{beforeCourse: func() {
		if courses++; courses%3 == 2 { // it is read twice
			panic("Okonkwo")
		}
	}}
	all := items(t, batch(good("A"), good("B"), good("C")), mapper)
	require.Len(t, all, 3)
	require.Contains(t, all[1].Panic, "modes_test.go", "it says where")
	require.NotContains(t, all[1].Panic, "Okonkwo")
	all[1].Panic = ""
	require.Equal(t, mapping.Item{Rejected: "Bundle.entry[1]", Problem: fhir.NotProcessed}, all[1])
	require.NotNil(t, all[0].Draft)
	require.NotNil(t, all[2].Draft)
}

func TestTheFirstErrorOfTheReceiverEndsReading(t *testing.T) {
	stop := errors.New("stop")
	for _, doc := range []m{good("A"), batch(good("A"), good("B")), bundle(), deletes(m{"request": m{"method": "DELETE"}})} {
		calls := 0
		once := func(mapping.Item) error {
			calls++
			return stop
		}
		require.ErrorIs(t, Reader{}.Read(strings.NewReader(text(t, doc)), once), stop)
		require.ErrorIs(t, Reader{}.ReadWhole([]byte(text(t, doc)), once), stop)
		require.Equal(t, 2, calls)
	}
}

func TestATruncatedBufferIsAnErrorAndNotAnItem(t *testing.T) {
	body := text(t, good("A"))
	body = body[:len(body)-2]
	none := func(mapping.Item) error {
		t.Fatal("nothing is to be yielded")
		return nil
	}
	require.ErrorIs(t, Reader{}.Read(strings.NewReader(body), none), fhir.ErrUnreadable)
	require.ErrorIs(t, Reader{}.ReadWhole([]byte(body), none), fhir.ErrUnreadable)
}

func TestARejectedCourseNamesItsChartNumberIfItCanBeRead(t *testing.T) {
	for want, doc := range map[string]m{
		"A-1": charted(" A-1 ", bundle(child())),
		"A-2": charted("A-2", bundle(mother())),
		"":    charted("A\n1", bundle(child())),
	} {
		i := item(t, doc)
		require.NotNil(t, i.Problem)
		require.Equal(t, want, i.RejectedChart, "of %v", doc)
		require.Empty(t, i.Chart, "it concerns no record")
	}
}
