package bundle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

const components = "http://hl7.org/fhir/us/vr-common-library/CodeSystem/codesystem-vr-component"

// asked returns an Observation of race and ethnicity with components. pairs alternate between
// a code and its answer: a bool, a code, or a text that begins with "=".
func asked(pairs ...any) m {
	list := l{}
	for i := 0; i < len(pairs); i += 2 {
		c := m{"code": m{"coding": l{m{"system": components, "code": pairs[i]}}}}
		switch answer := pairs[i+1].(type) {
		case bool:
			c["valueBoolean"] = answer
		case string:
			if answer[:1] == "=" {
				c["valueString"] = answer[1:]
			} else {
				c["valueCodeableConcept"] = concept(answer)
			}
		}
		list = append(list, c)
	}
	return obs(raceCode, m{"component": list})
}

func origins(mexican, puertoRican, cuban, other string) m {
	return asked("HispanicMexican", mexican, "HispanicPuertoRican", puertoRican, "HispanicCuban", cuban, "HispanicOther", other)
}

// absentNo is a component with a no and a reason why there is no answer.
func absentNo(code string) m {
	return m{"code": concept(code), "valueBoolean": false, "_valueBoolean": extended(extension(absent, m{"valueCode": "unknown"}))}
}

func TestRaceAndEthnicityAreKeptAsTheMotherGaveThem(t *testing.T) {
	given := func(resources ...m) birth.Draft { return courseOf(t, resources...) }
	for _, c := range []struct {
		name string
		of   m
		race string
	}{
		{"what she said yes to", asked("White", true, "Samoan", false, "Korean", true, "AsianIndian", true), `["asian","white"]`},
		{"in codes", asked("White", "Y", "Samoan", "N", "Korean", "UNK"), `["white"]`},
		{"another", asked("OtherRace", true, "FirstOtherRaceLiteral", "=x"), `["other"]`},
		{"nothing that she said yes to", asked("White", false, "Samoan", false), ""},
		{"a text alone", asked("FirstOtherAsianLiteral", "=Malaysian"), ""},
		{"a component of another system", obs(raceCode, m{"component": l{
			m{"code": m{"coding": l{m{"system": "urn:any", "code": "White"}}}, "valueBoolean": true},
		}}), ""},
		{"an answer that is said to be absent", obs(raceCode, m{"component": l{
			m{"code": concept("White"), "valueBoolean": true, "dataAbsentReason": concept("unknown")},
		}}), ""},
		{"an answer of another JSON type", asked("White", "Y", "Samoan", true).With(m{"component": l{
			m{"code": concept("White"), "valueBoolean": "true"}, m{"code": concept("Samoan"), "valueBoolean": true},
		}}), `["native_hawaiian_pacific_islander"]`},
		{"not the father's", asked("White", true).With(m{"code": concept("inputraceandethnicityFather")}), ""},
		{"not what was coded of it", asked("White", true).With(m{"code": concept("codedraceandethnicityMother")}), ""},
	} {
		require.Equal(t, c.race, stated(given(c.of), "mother_race"), c.name)
	}
	for _, c := range []struct {
		name      string
		of        m
		ethnicity string
	}{
		{"one origin is hers", origins("N", "N", "Y", "N"), `"hispanic"`},
		{"whatever of the others is not known", origins("UNK", "UNK", "Y", "UNK"), `"hispanic"`},
		{"none is hers", origins("N", "N", "N", "N"), `"not_hispanic"`},
		{"one is not known", origins("N", "N", "UNK", "N"), ""},
		{"none is known", origins("UNK", "UNK", "UNK", "UNK"), ""},
		{"all are said to be absent", obs(raceCode, m{"component": l{
			absentNo("HispanicMexican"), absentNo("HispanicPuertoRican"), absentNo("HispanicCuban"), absentNo("HispanicOther"),
		}}), ""},
		{"one was not asked for", asked("HispanicMexican", "N", "HispanicPuertoRican", "N", "HispanicCuban", "N"), ""},
		{"one was asked for twice", asked("HispanicMexican", "N", "HispanicMexican", "N", "HispanicPuertoRican", "N", "HispanicCuban", "N"), ""},
		{"a text next to four denials", asked("HispanicMexican", "N", "HispanicPuertoRican", "N", "HispanicCuban", "N", "HispanicOther", "N", "HispanicLiteral", "=Colombian"), ""},
		{"a text alone", asked("HispanicLiteral", "=Colombian"), ""},
		{"nothing of it", asked("White", true), ""},
	} {
		require.Equal(t, c.ethnicity, stated(given(c.of), "mother_ethnicity"), c.name)
	}
}

func TestTheMothersAnswerBeatsTheExtensionOfHerPatient(t *testing.T) {
	recorded := mother(extended(
		extension(race, extended(categoriesOf("2054-5")...)), extension(ethnicity, extended(categoriesOf("2186-5")...)),
	))
	for _, c := range []struct {
		name            string
		of              []m
		race, ethnicity string
	}{
		{"she was not asked", nil, `["black"]`, `"not_hispanic"`},
		{"she answered otherwise", []m{asked("White", true, "HispanicCuban", "Y")}, `["white"]`, `"hispanic"`},
		{"she did not say", []m{asked("White", false, "HispanicCuban", "UNK")}, "", ""},
		{"she refused", []m{asked("RACEMVR", "R")}, "", `"not_hispanic"`},
		{"she was asked for her race alone", []m{asked("White", true)}, `["white"]`, `"not_hispanic"`},
		{"she was asked for her origin alone", []m{asked("HispanicCuban", "Y")}, `["black"]`, `"hispanic"`},
		{"in words alone", []m{asked("HispanicLiteral", "=Colombian")}, `["black"]`, ""},
		{"an Observation without answers", []m{obs(raceCode)}, `["black"]`, `"not_hispanic"`},
		{"a withdrawn one", []m{asked("White", true).With(m{"status": "entered-in-error"})}, `["black"]`, `"not_hispanic"`},
		{"one with answers that are no list", []m{asked("White", true).With(m{"component": "x"})}, `["black"]`, `"not_hispanic"`},
		{"one about nobody in the document", []m{asked("White", true).With(about("Patient/gone"))}, `["white"]`, `"not_hispanic"`},
		{
			"one about her sister",
			[]m{patient("sister", "http://example.org/Patient-sister"), asked("White", true).With(about("Patient/sister"))},
			`["black"]`, `"not_hispanic"`,
		},
		{"one about the father", []m{asked("White", true).With(about("RelatedPerson/father"))}, `["black"]`, `"not_hispanic"`},
		{
			"the newer of two",
			[]m{
				asked("Samoan", true).With(m{"effectiveDateTime": "2026-03-02"}), asked("White", true).With(m{"effectiveDateTime": "2026-03-04"}),
				asked("Korean", true).With(m{"effectiveDateTime": "2026-03-03"}),
			},
			`["white"]`, `"not_hispanic"`,
		},
		{
			"the final of two",
			[]m{asked("Samoan", true).With(m{"status": "preliminary"}), asked("White", true)},
			`["white"]`, `"not_hispanic"`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := masked(t, bundle(append([]m{recorded, child()}, c.of...)...))
			require.Equal(t, c.race, stated(d, "mother_race"))
			require.Equal(t, c.ethnicity, stated(d, "mother_ethnicity"))
		})
	}
}

func TestTwoDifferentEthnicitiesStateNeither(t *testing.T) {
	d := masked(t, bundle(mother(extended(extension(ethnicity, extended(categoriesOf("2186-5", "2135-2")...)))), child()))
	require.Empty(t, stated(d, "mother_ethnicity"))
}
