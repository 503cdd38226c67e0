package bundle

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func focus(references ...string) m {
	list := l{}
	for _, r := range references {
		list = append(list, m{"reference": r})
	}
	return m{"focus": list}
}

func TestTheFocusChoosesTheChildBeforeTheSubjectDoes(t *testing.T) {
	sister := patient("sister", "http://example.org/Patient-sister")
	father := m{"resourceType": "RelatedPerson", "id": "father"}
	stay := m{"resourceType": "Procedure", "id": "p"}
	for _, c := range []struct {
		name string
		of   []m
		want []string
	}{
		{"the subject", []m{about("Patient/b")}, []string{"", "3000"}},
		{"the focus, of the mother", []m{about("Patient/mother"), focus("Patient/b")}, []string{"", "3000"}},
		{"the focus, of nobody in the document", []m{about("Patient/gone"), focus("Patient/b")}, []string{"", "3000"}},
		{"the focus without a subject", []m{focus("Patient/b")}, []string{"", "3000"}},
		{"both of one child", []m{about("Patient/b"), focus("Patient/b")}, []string{"", "3000"}},
		{"the subject, next to the mother in focus", []m{about("Patient/b"), focus("Patient/mother")}, []string{"", "3000"}},
		{"the subject, next to a stay in focus", []m{about("Patient/b"), focus("Encounter/e", "Procedure/p")}, []string{"", "3000"}},
		{"two children are none", []m{about("Patient/a"), focus("Patient/b")}, []string{"", ""}},
		{"two in focus, too", []m{focus("Patient/a", "Patient/b")}, []string{"", ""}},
		{"somebody without a role as the subject", []m{about("Patient/sister")}, []string{"", ""}},
		{"even with a child in focus", []m{about("Patient/sister"), focus("Patient/b")}, []string{"", ""}},
		{"in focus", []m{about("Patient/b"), focus("Patient/sister")}, []string{"", ""}},
		{"beside a child in focus", []m{about("Patient/mother"), focus("Patient/b", "Patient/sister")}, []string{"", ""}},
		{"a RelatedPerson in focus", []m{about("Patient/b"), focus("RelatedPerson/father")}, []string{"", ""}},
		{"one who is not in the document", []m{about("Patient/b"), focus("RelatedPerson/gone")}, []string{"", ""}},
		{"nobody in focus", []m{about("Patient/b"), focus("Patient/gone")}, []string{"", ""}},
		{"a group", []m{about("Group/b")}, []string{"", ""}},
		{"a place", []m{about("Location/b")}, []string{"", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			weight := obs("8339-4", append([]m{quantity(3000, "g")}, c.of...)...)
			d := masked(t, bundle(mother(), twin(1), twin(2), sister, father, stay, weight))
			require.Equal(t, c.want, across(d, "birth_weight_g"))
		})
	}
}

func TestAChildsMeasureAboutSomebodyWithoutARoleIsDropped(t *testing.T) {
	sister := patient("sister", "http://example.org/Patient-sister")
	for _, reference := range []string{
		"Patient/sister", "Patient/gone", "urn:uuid:gone", "RelatedPerson/sister", "Group/1", "Device/1", "http://other.example/fhir/Patient/9", "#contained",
	} {
		d := courseOf(t, sister, obs("8339-4", quantity(3000, "g"), about(reference)))
		require.Empty(t, stated(d, "birth_weight_g"), "of an only child, too: %s", reference)
		d = courseOf(t, sister, obs("11884-4", quantity(39, "wk"), about(reference)))
		require.Empty(t, stated(d, "gestational_age_weeks"), "of the pregnancy, too: %s", reference)
	}
	require.Equal(t, "3000", stated(courseOf(t, obs("8339-4", quantity(3000, "g"), about("Patient/mother"))), "birth_weight_g"))
}

func TestAMeasureOfTheMotherAboutSomebodyElseIsDropped(t *testing.T) {
	sister, father := patient("sister", "http://example.org/Patient-sister"), m{"resourceType": "RelatedPerson", "id": "father"}
	herself := m{"resourceType": "RelatedPerson", "id": "herself", "meta": m{"profile": l{"http://x/RelatedPerson-mother-vr"}}}
	for _, c := range []struct {
		of   m
		want string
	}{
		{about("Patient/mother"), "66"},
		{about("Patient/child"), "66"}, // BFDR has moved subjects between versions
		{about("Patient/gone"), "66"},  // as in real documents
		{about("Patient/child").With(focus("Patient/mother")), "66"},
		{about("Patient/child").With(focus("RelatedPerson/herself")), "66"},
		{about("Patient/sister"), ""},
		{about("Patient/child").With(focus("Patient/sister")), ""},
		{about("Patient/child").With(focus("RelatedPerson/father")), ""},
		{about("RelatedPerson/father"), ""},
		{about("Practitioner/p"), ""},
		{focus("RelatedPerson/gone"), ""},
	} {
		d := courseOf(t, sister, father, herself, obs("8302-2", quantity(66, "[in_i]"), c.of))
		require.Equal(t, c.want, stated(d, "mother_height_in"), text(t, c.of))
	}
}

func TestAReferenceToAnotherServerMatchesNobody(t *testing.T) {
	weight := func(reference string) m { return obs("8339-4", quantity(3000, "g"), about(reference)) }
	doc := withURLs(bundle(mother(), child(), weight("http://other.example/fhir/Patient/child")), "http://here.example/fhir/Patient/mother", "http://here.example/fhir/Patient/child")
	require.Empty(t, stated(masked(t, doc), "birth_weight_g"))
	doc = withURLs(bundle(mother(), child(), weight("http://here.example/fhir/Patient/child")), "http://here.example/fhir/Patient/mother", "http://here.example/fhir/Patient/child")
	require.Equal(t, "3000", stated(masked(t, doc), "birth_weight_g"))
	require.Equal(t, "3000", stated(courseOf(t, weight("http://here.example/fhir/Patient/child")), "birth_weight_g"), "without addresses of their own")
}
