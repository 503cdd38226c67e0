package mapping

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

const (
	birthTime   = "http://hl7.org/fhir/StructureDefinition/patient-birthTime"
	partialTime = "http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Extension-partial-date-time-vr"
	absent      = "http://hl7.org/fhir/StructureDefinition/data-absent-reason"
	race        = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-race"
	ethnicity   = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-ethnicity"
	birthsex    = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-birthsex"
	total       = "http://hl7.org/fhir/StructureDefinition/patient-multipleBirthTotal"
	reportedAge = "http://hl7.org/fhir/us/vr-common-library/StructureDefinition/Extension-reported-parent-age-at-delivery-vr"
)

func names(list ...m) m {
	all := l{}
	for _, n := range list {
		all = append(all, n)
	}
	return m{"name": all}
}

func TestAPersonsName(t *testing.T) {
	maiden := m{"use": "maiden", "family": "King", "given": l{"Jada"}}
	for _, c := range []struct {
		name          string
		of            m
		family, given string
	}{
		{
			"the official name first",
			names(maiden, m{"use": "usual", "family": "Q"}, m{"use": "official", "family": "Quinn", "given": l{"Jada", "Ann"}}),
			"Quinn", "Jada Ann",
		},
		{"else the usual one", names(maiden, m{"family": "Q"}, m{"use": "usual", "family": "Quinn"}), "Quinn", ""},
		{"else one without a use", names(maiden, m{"use": "nickname", "family": "Q"}, m{"family": "Quinn"}), "Quinn", ""},
		{"else any other", names(maiden, m{"use": "temp", "family": "Quinn"}), "Quinn", ""},
		{"a maiden name only when there is no other", names(maiden), "King", "Jada"},
		{
			"an official name without parts gives way",
			names(m{"use": "official", "_family": extended(extension(absent, m{"valueCode": "unknown"}))}, m{"use": "usual", "family": "Quinn"}),
			"Quinn", "",
		},
		{"a name that is text alone is a family name", names(m{"use": "official", "text": "Jada Quinn"}), "Jada Quinn", ""},
		{"white space collapses", names(m{"family": " Quinn \t Lee ", "given": l{" Jada ", "", "Ann "}}), "Quinn Lee", "Jada Ann"},
		{"what stands for an unknown name is none", names(m{"family": "UNK", "given": l{"unknown"}}), "", ""},
		{"a part that is known stands", names(m{"family": "Unknown", "given": l{"Jada"}}), "", "Jada"},
		{"an empty list", m{"name": l{}}, "", ""},
		{"no list", m{}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := masked(t, bundle(mother(c.of), child(c.of)))
			for who, values := range map[string]birth.Values{"mother": d.Mother, "child": d.Children[0]} {
				require.Equal(t, c.family, values.Text(who+"_family_name"))
				require.Equal(t, c.given, values.Text(who+"_given_names"))
			}
		})
	}
}

func TestThePostalCodeIsThatOfTheResidence(t *testing.T) {
	for _, c := range []struct {
		name      string
		addresses l
		want      string
	}{
		{"home, whatever the order", l{m{"use": "billing", "postalCode": "84401"}, m{"use": "home", "postalCode": "84116"}}, "84116"},
		{"one without a use", l{m{"postalCode": "84116"}}, "84116"},
		{"not the mailing address", l{m{"use": "billing", "postalCode": "84401"}}, ""},
		{"not an old one", l{m{"use": "old", "postalCode": "84401"}}, ""},
		{"a home without a code gives way", l{m{"use": "home"}, m{"use": "temp", "postalCode": "84116"}}, "84116"},
		{"none", l{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := masked(t, bundle(mother(m{"address": c.addresses}), child()))
			require.Equal(t, c.want, d.Mother.Text("mother_postal_code"))
		})
	}
}

func categoriesOf(codes ...string) []m {
	list := []m{extension("text", m{"valueString": "as stated"})}
	for _, code := range codes {
		list = append(list, extension("ombCategory", m{"valueCoding": m{"system": "urn:oid:2.16.840.1.113883.6.238", "code": code}}))
	}
	return list
}

func TestRaceAndEthnicityOfThePatient(t *testing.T) {
	d := masked(t, bundle(mother(extended(
		extension(race, extended(append(
			categoriesOf("2106-3", "2028-9", "9999-9"), extension("detailed", m{"valueCoding": m{"code": "1002-5"}}),
		)...)),
		extension(ethnicity, extended(categoriesOf("2135-2")...)),
	)), child()))
	require.JSONEq(t, `["asian", "white"]`, said(d, "mother_race"))
	require.Equal(t, `"hispanic"`, said(d, "mother_ethnicity"))

	for _, code := range []string{"UNK", "ASKU", "NI", ""} {
		d = masked(t, bundle(mother(extended(
			extension(race, extended(categoriesOf(code)...)), extension(ethnicity, extended(categoriesOf(code)...)),
		)), child()))
		require.Empty(t, said(d, "mother_race"), "a null flavor is null")
		require.Empty(t, said(d, "mother_ethnicity"))
	}
}

func TestRaceAndEthnicityAsTheMotherGaveThem(t *testing.T) {
	answers := func(yes ...string) m {
		list := l{}
		for _, code := range yes {
			list = append(list, m{"code": concept(code), "valueBoolean": true})
		}
		no, literal := m{"code": concept("Samoan"), "valueBoolean": false}, m{"code": concept("FirstOtherRaceLiteral"), "valueString": "x"}
		return m{"component": append(list, no, literal)}
	}
	hispanic := func(code string) m {
		return m{"component": l{m{"code": concept("HispanicCuban"), "valueCodeableConcept": concept(code)}}}
	}
	given := func(more ...m) birth.Draft { return courseOf(t, obs("inputraceandethnicityMother", more...)) }

	require.JSONEq(t, `["asian", "white"]`, said(given(answers("White", "Korean", "AsianIndian")), "mother_race"))
	require.Empty(t, said(given(answers()), "mother_race"), "no category is no answer")
	require.Equal(t, `"hispanic"`, said(given(hispanic("Y")), "mother_ethnicity"))
	require.Equal(t, `"not_hispanic"`, said(given(hispanic("N")), "mother_ethnicity"))
	require.Empty(t, said(given(hispanic("UNK")), "mother_ethnicity"), "an answer that is not known is none")
	both := func(mexican, cuban string) m {
		list := l{m{"code": concept("HispanicMexican"), "valueCodeableConcept": concept(mexican)}}
		return m{"component": append(list, hispanic(cuban)["component"].(l)...)}
	}
	require.Equal(t, `"not_hispanic"`, said(given(both("N", "N")), "mother_ethnicity"))
	require.Empty(t, said(given(both("N", "UNK")), "mother_ethnicity"), "the other origin may be hers")
	require.Empty(t, said(given(both("", "N")), "mother_ethnicity"))
	require.Equal(t, `"hispanic"`, said(given(both("UNK", "Y")), "mother_ethnicity"))
	require.Empty(t, said(given(answers("White")), "mother_ethnicity"), "silence is null")

	d := masked(t, bundle(
		mother(extended(extension(race, extended(categoriesOf("2054-5")...)))), child(),
		obs("inputraceandethnicityMother", answers("White")),
		obs("inputraceandethnicityFather", answers("Samoan")),
	))
	require.JSONEq(t, `["black"]`, said(d, "mother_race"), "the categories of the Patient stand")
}
