package bundle

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

func TestAPersonsNameIsRead(t *testing.T) {
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
		{"else any other", names(maiden, m{"use": "nickname", "family": "Quinn"}), "Quinn", ""},
		{"not a temporary one, nor one that stands for none", names(m{"use": "temp", "family": "Trauma"}, m{"use": "anonymous", "family": "X"}), "", ""},
		{"a maiden name only when there is no other", names(maiden), "King", "Jada"},
		{
			"an official name without parts gives way",
			names(m{"use": "official", "_family": extended(extension(absent, m{"valueCode": "unknown"}))}, m{"use": "usual", "family": "Quinn"}),
			"Quinn", "",
		},
		{"a name in one piece does not tell which part is the family's", names(m{"use": "official", "text": "Jada Quinn"}), "", ""},
		{"white space collapses", names(m{"family": " Quinn \t Lee ", "given": l{" Jada ", "", "Ann "}}), "Quinn Lee", "Jada Ann"},
		{"what stands for an unknown name is none", names(m{"family": "UNK", "given": l{"unknown"}}), "", ""},
		{
			"a part that is said to be masked",
			names(m{"family": "XXXX", "_family": extended(extension(absent, m{"valueCode": "masked"})), "given": l{"Jada", "X"}, "_given": l{nil, extended(extension(absent, m{"valueCode": "masked"}))}}),
			"", "Jada",
		},
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

func until(end, code string) m {
	return m{"use": "home", "postalCode": code, "period": m{"start": "2020-01-01", "end": end}}
}

func TestWithoutADateOfBirthAHomeAddressCountsIfItHasNoEnd(t *testing.T) {
	home := m{"use": "home", "postalCode": "84116", "period": m{"start": "2026-01-01"}}
	d := masked(t, bundle(mother(m{"address": l{until("2030-01-01", "84401"), home}}), child()))
	require.Equal(t, "84116", d.Mother.Text("mother_postal_code"))
}

func TestAFormerNameIsNotRead(t *testing.T) {
	old := m{"use": "official", "family": "Quinn", "period": m{"end": "2019-06-01"}}
	now := m{"use": "official", "family": "Lee", "period": m{"start": "2019-06-01"}}
	d := masked(t, bundle(mother(names(old, now)), child(m{"birthDate": "2026-03-02"})))
	require.Equal(t, "Lee", d.Mother.Text("mother_family_name"))
	d = masked(t, bundle(mother(names(old)), child(m{"birthDate": "2026-03-02"})))
	require.Equal(t, "Quinn", d.Mother.Text("mother_family_name"), "there is no other")

	corrected := m{"use": "official", "family": "Quinn", "period": m{"end": "2026-03-10"}}
	d = masked(t, bundle(mother(), child(m{"birthDate": "2026-03-02"}, names(corrected, now))))
	require.Equal(t, "Lee", d.Children[0].Text("child_family_name"))
	d = masked(t, bundle(mother(), child(m{"birthDate": "2026-03-02"}, names(corrected))))
	require.Equal(t, "Quinn", d.Children[0].Text("child_family_name"), "there is no other")
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
		{"not a temporary one, not work", l{m{"use": "temp", "postalCode": "84401"}, m{"use": "work", "postalCode": "84402"}}, ""},
		{"a home without a code gives way to another home", l{m{"use": "home"}, m{"use": "home", "postalCode": "84116"}}, "84116"},
		{"but not to where nobody says that she lives", l{m{"use": "home"}, m{"postalCode": "84401"}}, ""},
		{"not a postal address", l{m{"use": "home", "type": "postal", "postalCode": "84401"}}, ""},
		{"a physical one", l{m{"use": "home", "type": "physical", "postalCode": "84116"}}, "84116"},
		{"not a home that she had left", l{until("2026-03-01", "84401"), m{"use": "home", "postalCode": "84116"}}, "84116"},
		{"nor alone", l{until("2026-03-01", "84401")}, ""},
		{"a home that she left later", l{until("2026-03-02", "84116")}, "84116"},
		{"not one that she moved to later", l{m{"use": "home", "postalCode": "84401", "period": m{"start": "2026-04"}}}, ""},
		{"one that she moved to in time", l{m{"use": "home", "postalCode": "84116", "period": m{"start": "2026"}}}, "84116"},
		{"an end that is no date is none", l{until("2026-02-30", "84116")}, "84116"},
		{"an end that no registry knows is none", l{until("9999-12-31", "84116")}, "84116"},
		{"two homes tell neither", l{m{"use": "home", "postalCode": "84116"}, m{"use": "home", "postalCode": "84401"}}, ""},
		{"one home twice", l{m{"use": "home", "postalCode": "84116"}, m{"use": "home", "postalCode": " 84116 "}}, "84116"},
		{"a code that registries write for none", l{m{"use": "home", "postalCode": "99999"}}, ""},
		{"one with four more digits", l{m{"use": "home", "postalCode": "00000-0000"}}, ""},
		{"a word for none", l{m{"use": "home", "postalCode": "UNKNOWN"}}, ""},
		{"a code that is said to be masked", l{m{"use": "home", "postalCode": "84000", "_postalCode": extended(extension(absent, m{"valueCode": "masked"}))}}, ""},
		{"none", l{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := masked(t, bundle(mother(m{"address": c.addresses}), child(m{"birthDate": "2026-03-02"})))
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
	require.JSONEq(t, `["asian", "white"]`, stated(d, "mother_race"))
	require.Equal(t, `"hispanic"`, stated(d, "mother_ethnicity"))

	for _, c := range []struct{ code, display, text, want string }{
		{"2135-2", "Hispanic or Latino", "Hispanic or Latino", `"hispanic"`},
		{"2186-5", "Non Hispanic or Latino", "Not Hispanic or Latino", `"not_hispanic"`},
		{"2186-5", "Hispanic or Latino", "", ""},
		{"2135-2", "", "Non-Hispanic or Latino", ""},
	} {
		coding := m{"system": "urn:oid:2.16.840.1.113883.6.238", "code": c.code, "display": c.display}
		stating := extension(ethnicity, extended(extension("ombCategory", m{"valueCoding": coding}), extension("text", m{"valueString": c.text})))
		require.Equal(t, c.want, stated(masked(t, bundle(mother(extended(stating)), child())), "mother_ethnicity"), c.code+c.display+c.text)
	}
	for _, code := range []string{"UNK", "ASKU", "NI", ""} {
		d = masked(t, bundle(mother(extended(
			extension(race, extended(categoriesOf(code)...)), extension(ethnicity, extended(categoriesOf(code)...)),
		)), child()))
		require.Empty(t, stated(d, "mother_race"), "a null flavor is null")
		require.Empty(t, stated(d, "mother_ethnicity"))
	}
}
