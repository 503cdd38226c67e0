package bundle

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const mrn = "urn:oid:2.16.840.1.113883.19.5"

func identity(system, value string) m { return m{"system": system, "value": value} }

func identifiedBy(all ...m) m {
	list := l{}
	for _, one := range all {
		list = append(list, one)
	}
	return m{"identifier": list}
}

func subject(of m) m { return m{"subject": of} }

func TestAnIdentifierNamesTheOnlyPatientWhoHasIt(t *testing.T) {
	a, b := identity(mrn, "A-1"), identity(mrn, "B-1")
	father := patient("father", "http://example.org/Patient", identifiedBy(identity(mrn, "F-1")))
	twins := func(of m) []string {
		d := masked(t, bundle(
			mother(identifiedBy(identity(mrn, "M-1"), identity("urn:family", "7"))), twin(1, identifiedBy(a, identity("urn:family", "7"))), twin(2, m{"identifier": b}), father,
			obs("8339-4", quantity(3000, "g"), of),
		))
		return across(d, "birth_weight_g")
	}
	none := []string{"", ""}
	for name, c := range map[string]struct {
		of   m
		want []string
	}{
		"the first":                           {subject(m{"identifier": a}), []string{"3000", ""}},
		"the second":                          {subject(m{"identifier": b}), []string{"", "3000"}},
		"with a display":                      {subject(m{"identifier": b, "display": "Baby B"}), []string{"", "3000"}},
		"with a reference to nobody here":     {subject(m{"identifier": b, "reference": "https://ehr.example/fhir/Patient/901"}), []string{"", "3000"}},
		"with the same reference":             {subject(m{"identifier": b, "reference": "Patient/b"}), []string{"", "3000"}},
		"with a reference to the other":       {subject(m{"identifier": b, "reference": "Patient/a"}), none},
		"with a reference to the mother":      {subject(m{"identifier": b, "reference": "Patient/mother"}), none},
		"a number that two people have":       {subject(m{"identifier": identity("urn:family", "7")}), none},
		"a number of another system":          {subject(m{"identifier": identity("urn:other", "A-1")}), none},
		"a number without a system":           {subject(m{"identifier": m{"value": "A-1"}}), none},
		"a system without a number":           {subject(m{"identifier": m{"system": mrn}}), none},
		"nobody's number":                     {subject(m{"identifier": identity(mrn, "X")}), none},
		"the father's number":                 {subject(m{"identifier": identity(mrn, "F-1")}), none},
		"a text":                              {subject(m{"identifier": "A-1"}), none},
		"in focus":                            {m{"subject": m{"identifier": identity(mrn, "M-1")}, "focus": l{m{"identifier": b}}}, []string{"", "3000"}},
		"two in focus":                        {m{"focus": l{m{"identifier": a}, m{"identifier": b}}}, none},
		"a search by the number":              {subject(m{"reference": "Patient?identifier=" + mrn + "|B-1"}), []string{"", "3000"}},
		"a search in escapes":                 {subject(m{"reference": "Patient?identifier=urn%3Aoid%3A2.16.840.1.113883.19.5%7CB-1"}), []string{"", "3000"}},
		"a search by more than that":          {subject(m{"reference": "Patient?identifier=" + mrn + "|B-1&birthdate=2026-03-02"}), none},
		"a search by the number alone":        {subject(m{"reference": "Patient?identifier=B-1"}), none},
		"a search by a name":                  {subject(m{"reference": "Patient?name=Okonkwo"}), none},
		"a search that is broken":             {subject(m{"reference": "Patient?identifier=%zz|B-1"}), none},
		"an address of the first, as a value": {subject(m{"identifier": m{"system": "", "value": "Patient/a"}}), none},
	} {
		require.Equal(t, c.want, twins(c.of), name)
	}
}

func TestAMothersFactAboutSomebodyElsesNumberIsDropped(t *testing.T) {
	father := patient("father", "http://example.org/Patient", identifiedBy(identity(mrn, "F-1")))
	partner := m{"resourceType": "RelatedPerson", "id": "partner", "identifier": l{identity(mrn, "P-1")}}
	for number, want := range map[string]string{"M-1": "67", "F-1": "", "P-1": ""} {
		d := masked(t, bundle(mother(identifiedBy(identity(mrn, "M-1"))), child(), father, partner, obs("8302-2", quantity(67, "[in_i]"), subject(m{"identifier": identity(mrn, number)}))))
		require.Equal(t, want, stated(d, "mother_height_in"), number)
	}
}

func TestAProviderIsFoundByANumber(t *testing.T) {
	npi := identity("http://hl7.org/fhir/sid/us-npi", "1234567893")
	stay := func(individual m) m {
		return m{"resourceType": "Encounter", "status": "finished", "participant": l{m{"type": l{concept("ATND")}, "individual": individual}}}
	}
	ada := m{"resourceType": "Practitioner", "id": "ada", "name": l{m{"text": "Ada"}}, "identifier": l{npi, identity("urn:staff", "7")}}
	ruth := m{"resourceType": "Practitioner", "id": "ruth", "name": l{m{"text": "Ruth"}}}
	for name, c := range map[string]struct {
		individual m
		attends    bool
	}{
		"a number":                     {m{"identifier": npi}, true},
		"another number of hers":       {m{"identifier": identity("urn:staff", "7")}, true},
		"with a reference to nobody":   {m{"identifier": npi, "reference": "https://ehr.example/fhir/Practitioner/9"}, true},
		"with a reference to somebody": {m{"identifier": npi, "reference": "Practitioner/ruth"}, false},
		"nobody's number":              {m{"identifier": identity("urn:staff", "8")}, false},
		"nothing":                      {m{}, false},
	} {
		d := courseOf(t, ada, ruth, stay(c.individual))
		require.Len(t, d.Providers, 2, name)
		require.Equal(t, c.attends, d.Providers[0].Attending && d.Providers[0].Name == "Ada", name)
	}
}

// Registries merge a record into one that was itself merged. The entries come in any order.
func TestRecordsThatWereMergedOneIntoTheNextAreOnePersonInAnyOrder(t *testing.T) {
	to := func(id string) m {
		return m{"link": l{m{"type": "replaced-by", "other": m{"reference": "Patient/" + id}}}}
	}
	last := mother(m{"id": "c", "birthDate": "1990-05-05"})
	all := []m{mother(m{"id": "a"}, to("b")), mother(m{"id": "b"}, to("c")), last}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		resources := []m{child(), obs("gravida", m{"valueInteger": 2}, about("Patient/a"))}
		for _, n := range order {
			resources = append(resources, all[n])
		}
		d := masked(t, bundle(resources...))
		require.Equal(t, `"1990-05-05"`, stated(d, "mother_birth_date"), order)
		require.Equal(t, "2", stated(d, "gravida"), "%v: a reference to the first leads to the last", order)
	}
}

func TestRecordsThatReplaceEachOtherInACircleReplaceNobody(t *testing.T) {
	to := func(id string) m {
		return m{"link": l{m{"type": "replaced-by", "other": m{"reference": "Patient/" + id}}}}
	}
	twins := []m{child(m{"id": "a", "gender": "male"}, to("b")), child(m{"id": "b", "gender": "female"}, to("a"))}
	d := masked(t, bundle(append([]m{mother()}, twins...)...))
	require.Len(t, d.Children, 2)
	require.Empty(t, stated(d, "plurality"), "they may be one child")
	three := []m{child(m{"id": "a"}, to("b")), child(m{"id": "b"}, to("c")), child(m{"id": "c"}, to("a")), child(m{"id": "d"}, to("a"))}
	require.Len(t, masked(t, bundle(append([]m{mother()}, three...)...)).Children, 3, "the fourth was merged into one of them")
}
