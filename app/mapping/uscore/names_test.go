package uscore

import (
	"testing"
)

func TestAPlaceholderIsNotAName(t *testing.T) {
	charts := map[string]doubted{}
	for _, given := range []string{
		"Baby Girl", "BabyBoy A", "Babygirl", "Baby", "Girl Maria", "Boy", "Girl", "Newborn", "Infant", "Twin A", "TWIN", "Twin1", "Triplet B",
		"BG", "BB", "BGA", "BB2", "B/G", "B/B", "Bg A", "Male", "Female", "Baby Male", "Unnamed", "No Name", "NFN", "Infant Of Maria",
		"Marias Girl", "Mariasgirl", "1Wendysgirl", "Maria's Baby", "GirlA", "Boy1", "Nb", "NB Girl", "Fetus A", "Neonate", "Niña", "Bebé", "XX", "Child", "GirlMaria", "BabyMaria", "Hija De Maria",
	} {
		charts["given "+given] = doubted{chart: []m{baby(named("Smith", given))}, field: "child_given_names", why: placeholderName, as: Newborn}
		charts["family of "+given] = doubted{chart: []m{baby(named("Smith", given))}, field: "child_family_name", why: placeholderName, as: Newborn}
	}
	for _, family := range []string{"BabyGirl", "Newborn", "Baby Boy Smith", "TwinA", "Smith Girl"} {
		charts["family "+family] = doubted{chart: []m{baby(named(family, "Ada"))}, field: "child_family_name", why: placeholderName, as: Newborn}
	}
	charts["unknown"] = doubted{chart: []m{baby(named("Smith", "Unknown"))}, field: "child_given_names", as: Newborn}
	charts["family of one unknown"] = doubted{chart: []m{baby(named("Smith", "Unknown"))}, field: "child_family_name", why: placeholderName, as: Newborn}
	charts["two given names"] = doubted{chart: []m{baby(named("Smith", "Girl", "Maria"))}, field: "child_given_names", why: placeholderName, as: Newborn}
	requireDoubts(t, charts)
	for _, given := range []string{"Ada", "Boyd", "Babette", "Ingrid", "Bo", "Malena", "Infantina", "Twinkle", "Bob", "Girolamo", "Gigi", "Newton", "Chile"} {
		requireDoubts(t, map[string]doubted{given: {chart: []m{baby(named("Boyle", given))}, field: "child_given_names", filled: `"` + given + `"`, as: Newborn}})
	}
}

func TestOnlyTheNameInUseCounts(t *testing.T) {
	name := func(use, family string, more ...m) m {
		return m{"use": use, "family": family, "given": l{"Ada"}}.With(more...)
	}
	names := func(list ...any) m { return m{"name": l(list)} }
	requireDoubts(t, map[string]doubted{
		"an official one":                 {chart: []m{her(names(name("official", "Roe"), name("usual", "Row")))}, field: "mother_family_name", filled: `"Roe"`},
		"two official ones":               {chart: []m{her(names(name("official", "Roe"), name("official", "Doyle")))}, field: "mother_family_name", why: severalNames},
		"the same twice":                  {chart: []m{her(names(name("official", "Roe"), name("official", "Roe")))}, field: "mother_family_name", filled: `"Roe"`},
		"one of them before":              {chart: []m{her(names(name("official", "Roe"), name("official", "Doyle", m{"period": m{"end": "2020-01-01"}})))}, field: "mother_family_name", filled: `"Roe"`},
		"one of them since":               {chart: []m{her(names(name("official", "Roe", m{"period": m{"start": "2020-01-01"}}), name("official", "Doyle", m{"period": m{"start": "2010-01-01"}})))}, field: "mother_family_name", why: severalNames},
		"a nickname alone":                {chart: []m{her(names(name("nickname", "Roe")))}, field: "mother_family_name"},
		"an old one alone":                {chart: []m{her(names(name("old", "Roe")))}, field: "mother_family_name"},
		"a name that nobody has":          {chart: []m{her(named("Doe", "Jane"))}, field: "mother_family_name", why: placeholderName},
		"a patient of whom nothing known": {chart: []m{her(named("Unknown", "Female"))}, field: "mother_given_names", why: placeholderName},
		"a ZIP code":                      {chart: []m{her(m{"address": l{m{"use": "home", "postalCode": "05401", "country": "US"}}})}, field: "mother_postal_code", filled: `"05401"`},
		"a postal code of another land":   {chart: []m{her(m{"address": l{m{"use": "home", "postalCode": "10115", "country": "DE"}}})}, field: "mother_postal_code", why: "another country"},
		"a ZIP code, told more closely":   {chart: []m{her(m{"address": l{m{"use": "home", "postalCode": "05401"}, m{"use": "home", "postalCode": "05401-1234"}}})}, field: "mother_postal_code", filled: `"05401"`},
		"a race in its own words":         {chart: []m{her(whiteIn("White"))}, field: "mother_race", filled: `["white"]`},
		"a race in another's words":       {chart: []m{her(whiteIn("Asian"))}, field: "mother_race", why: saysOtherwise},
		"a temporary home":                {chart: []m{her(m{"address": l{m{"use": "temp", "postalCode": "05401"}}})}, field: "mother_postal_code"},
		"a placeholder of a date":         {chart: []m{her(m{"birthDate": "1900-01-01"})}, field: "mother_birth_date"},
	})
}

// whiteIn returns a Patient's race: white by its code, with these words as its text.
func whiteIn(text string) m {
	return m{"extension": l{m{"url": "http://hl7.org/fhir/us/core/StructureDefinition/us-core-race", "extension": l{
		m{"url": "ombCategory", "valueCoding": m{"system": "urn:oid:2.16.840.1.113883.6.238", "code": "2106-3"}}, m{"url": "text", "valueString": text},
	}}}}
}
