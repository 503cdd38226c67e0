package uscore

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"birthregistry/app/corpus"
	"birthregistry/app/fhir"
)

// corpusChart lists every value that reading a chart fills in: a field that is not named must
// stay open. All values were read from the JSON by hand.
type corpusChart struct {
	files  string // below the folder; the resources of several files are one chart
	about  string // the patient's ID, if the files hold several
	at     string
	role   Role
	as     Role
	filled spots
	hints  []string // some that must be there
	never  []string // values that must not be shown at all
}

var addie = spots{
	"mother_family_name": `"Tremblay"`, "mother_given_names": `"Addie"`, "mother_birth_date": `"1992-03-30"`, "mother_postal_code": `"01013"`,
	"mother_race": `["white"]`, "mother_ethnicity": `"not_hispanic"`, "mother_height_in": "65.7",
	"risk_factors": `["hypertension_prepregnancy","eclampsia"]`,
}

var luigi = spots{
	"child_family_name": `"Wiegand"`, "child_given_names": `"Luigi"`, "birth_date": `"2020-10-20"`, "child_sex": `"male"`,
}

var amy = spots{
	"mother_family_name": `"Baxter"`, "mother_given_names": `"Amy V."`, "mother_birth_date": `"1987-02-20"`, "mother_postal_code": `"74048"`,
	"mother_race": `["american_indian_alaska_native","asian","white"]`, "mother_ethnicity": `"hispanic"`,
}

var infant = spots{
	"birth_date": `"2020-06-02"`, "child_sex": `"male"`, // "Infant Example" is not a name
}

var chartCorpus = []corpusChart{
	{
		files: "synthea/mother-addie-tremblay.json", at: "2020-12-16", role: Mother, as: Mother, filled: addie,
		hints: []string{
			"cigarettes_per_day_pre ? Former smoker", "prenatal_visit_count ? 10 prenatal visits", "birth_date ? Obstetric emergency",
			"prenatal_first_visit_date ? Prenatal initial visit, May 4, 2020",
		},
		never: []string{"gestational", "999-99-5015", "Wolff"},
	},
	// A launch years later may concern another pregnancy.
	{
		files: "synthea/mother-addie-tremblay.json", at: "2026-11-21", role: Mother, as: Mother, filled: addie.Without("risk_factors"),
		hints: []string{"risk_factors ? Hypertension, May 24, 2010, SNOMED CT 38341003; Antepartum eclampsia"},
	},
	{
		files: "synthea/mother-addie-tremblay.json", at: "2013-01-16", role: Mother, as: Mother,
		filled: addie.But(spots{"risk_factors": `["hypertension_prepregnancy"]`, "mother_height_in": "65.7"}),
	},
	{
		files: "synthea/mother-juliette-padberg-8-pregnancies.json", at: "2021-04-01", role: Mother, as: Mother,
		filled: spots{
			"mother_family_name": `"Padberg"`, "mother_given_names": `"Juliette"`, "mother_birth_date": `"1989-08-29"`,
			"mother_postal_code": `"02649"`, "mother_race": `["white"]`, "mother_ethnicity": `"not_hispanic"`, "mother_height_in": "62.5",
		},
		hints: []string{"prenatal_first_visit_date ? Prenatal initial visit, Feb 16, 2021", "prenatal_visit_count ? 2 prenatal visits"},
	},
	{files: "synthea/newborn-luigi-wiegand.json", at: "2020-10-22", role: Newborn, as: Newborn, filled: luigi, hints: []string{
		"mother_family_name ? Carmela Wuckert", "birth_weight_g ? 3.254 kg", // in the evening in UTC, and the chart states no time of birth
	}},
	{files: "synthea/newborn-luigi-wiegand.json", at: "2026-11-21", role: Unknown, as: Newborn, filled: luigi},
	{files: "synthea/newborn-luigi-wiegand.json", at: "2020-10-22", role: Newborn, as: Mother, filled: spots{}},
	{
		files: "uscore/*.json", about: "example", at: "2026-11-21", role: Mother, as: Mother, filled: amy,
		hints: []string{"cigarettes_per_day_pre ? Current some day smoker, Mar 18, 2016, LOINC 72166-2"},
		never: []string{"20.094", "111.506", "Shaw", "74047"},
	},
	{
		files: "uscore/*.json", about: "infant-example", at: "2020-06-04", role: Newborn, as: Newborn, filled: infant,
		hints: []string{"apgar_ten_minute ? 10 score, May 18, 2016, LOINC 9271-8: recorded before the birth"},
	},
	{
		// A boy of ten: neither a newborn nor a mother.
		files: "uscore/*.json", about: "child-example", at: "2026-11-21", role: Unknown, as: Mother, filled: spots{},
		hints: []string{"mother_family_name ? Example"},
	},
	{
		files: "awkward/mother-no-birthdate.json", at: "2026-11-21", role: Unknown, as: Mother, filled: spots{"mother_postal_code": `"84116-1234"`},
		hints: []string{
			"last_menstrual_period ? Apr 2026", "estimated_due_date ? due mid January", "mother_height_in ? 1.65 m", "gestational_age_weeks ? < 40 wk",
			"risk_factors ? (ICD-10-CM only)", "cigarettes_per_day_pre ? Former smoker, no date, LOINC 72166-2",
		},
		never: []string{"720", "Pre-eclampsia"},
	},
	{files: "awkward/mother-no-birthdate.json", at: "2026-11-21", role: Unknown, as: Unknown, filled: spots{}},
	{
		files: "awkward/mother-unicode-xss.json", at: "2026-11-21", role: Unknown, as: Mother,
		filled: spots{"mother_family_name": `"O’Neil-<script>alert(1)</script>"`, "mother_given_names": `"Zoë \"><img src=x onerror=alert(1)>"`},
		never:  []string{"HYPERLINK", "1990-02-29"},
	},
	{files: "awkward/searchset-epic-style-empty.json", at: "2026-11-21", role: Unknown, as: Mother, filled: spots{}},
	{files: "awkward/searchset-hapi-style-next-with-outcome.json", at: "2026-11-21", role: Unknown, as: Mother, filled: spots{}, never: []string{"67 in"}},
}

func TestTheChartsOfTheCorpusFillInTheirValues(t *testing.T) {
	folder, names := corpus.Folder(t, corpus.Charts)
	if folder == "" {
		return
	}
	read := map[string]bool{}
	for _, want := range chartCorpus {
		t.Run(want.files+" "+want.about+" "+want.at+" as "+string(want.as), func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(want.files)))
			require.NoError(t, err)
			require.NotEmpty(t, files)
			for _, file := range files {
				name, _ := filepath.Rel(folder, file)
				read[filepath.ToSlash(name)] = true
			}
			at, err := time.Parse(time.DateOnly, want.at)
			require.NoError(t, err)
			reading := Read(chartOf(t, files, want.about), Launch{At: at.Add(12 * time.Hour)})
			requireSoundReading(t, reading)
			require.Equal(t, want.role, reading.Role, reading.Why)
			golden := goldenReadingOf(reading).As[string(want.as)]
			filled := spots{}
			for _, o := range reading.As[want.as].Origins {
				filled[o.At.Field] = valueAt(reading.As[want.as].Draft, o.At)
			}
			require.Equal(t, want.filled, filled)
			shown := strings.Join(append(golden.Filled, golden.Hints...), "\n")
			for _, hint := range want.hints {
				require.Contains(t, shown, hint)
			}
			for _, word := range want.never {
				require.NotContains(t, shown, word)
			}
		})
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(read)), names, "every chart has its spots, and every spot its chart")
}

// chartOf reads files, each of which is a resource or a Bundle; of several Patients, the one
// with the ID counts.
func chartOf(t *testing.T, files []string, about string) (c fhir.Chart) {
	t.Helper()
	for _, file := range files {
		body, err := os.ReadFile(file)
		require.NoError(t, err)
		var doc struct {
			Type  string `json:"resourceType"`
			ID    string `json:"id"`
			Entry []struct {
				Resource jsontext.Value `json:"resource"`
			} `json:"entry"`
		}
		require.NoError(t, json.Unmarshal(body, &doc))
		switch {
		case doc.Type == "Patient" && doc.ID != about:
		case doc.Type != "Bundle":
			require.NoError(t, c.Add(body))
		}
		for _, e := range doc.Entry {
			require.NoError(t, c.Add(e.Resource))
		}
	}
	return c
}
