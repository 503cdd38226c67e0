package uscore

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

var chartLaunch = Launch{At: time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC), Encounter: "e0"}

// The parts of a random chart: codes with a meaning, right and wrong values, and days in and
// around two pregnancies.
var (
	drawnDays = []string{
		"2026-05-01", "2026-04-30", "2026-05-01T04:18:00-04:00", "2026-05-02", "2026-04-20", "2026-02-01", "2025-11-01", "2025-09-18", "2025-07-28",
		"2025-08", "2025", "2026-05", "2023-04-12", "2022-10-01", "2022-07-04", "2020-01-01", "2031-01-01", "", "yesterday", "1995-01-01",
	}
	drawnDates = []string{"2026-05-01", "2026-05-04", "2026-06-10", "2025-07-28", "2025-08", "2023-04-10", "2022-07-04", "2026-05-01T04:18:00-04:00", "2024-04-15"}
	drawnUnits = []string{"kg", "g", "[lb_av]", "lbs", "cm", "m", "[in_i]", "wk", "d", "{score}", "1", "/d", "stones", ""}
	drawnCodes = []string{"70028003", "6096002", "700000006", "11466000", "10828004", "8517006", "77386006", "74964007", "261665006"}
	drawnICD   = []string{"O24.410", "E11.9", "O13.3", "I10", "O15.0", "O70.2", "Z37.0", "Z37.2", "O34.211", "Z87.51", "Z34.80", "O80", "Z38.00", "A56.02", "O99.820", "O03.9", "O36.4XX0"}
	drawnSCT   = []string{"11687002", "73211009", "48194001", "38341003", "198992004", "72892002", "161765003", "200144004", "398019008", "80281008", "91175000"}
)

func drawChart(t *rapid.T) []m {
	pick := func(from []string, what string) string { return rapid.SampledFrom(from).Draw(t, what) }
	born := pick([]string{"1994-05-17", "1994-05-17", "1994-05-17", "2026-05-01", "1950-01-01", "2017-01-01", "1994", ""}, "born")
	resources := []m{{
		"resourceType": "Patient", "id": "p", "birthDate": born, "gender": pick([]string{"female", "female", "male", ""}, "sex"),
		"name":    l{m{"use": pick([]string{"official", "old", "maiden", ""}, "use"), "family": "Roe", "given": l{"Ada"}}},
		"address": l{m{"use": "home", "postalCode": pick([]string{"05401", "RI", "00000"}, "code")}},
	}}
	// Another person, whose value must not be used.
	who := func() m {
		return m{"reference": pick([]string{"Patient/p", "Patient/p", "Patient/p", "Patient/q"}, "who")}
	}
	for i := range rapid.IntRange(0, 25).Draw(t, "observations") {
		o := m{
			"resourceType": "Observation", "id": fmt.Sprint("o", i), "subject": who(),
			"status":            pick([]string{"final", "final", "final", "amended", "preliminary", "entered-in-error", ""}, "status"),
			"code":              m{"coding": l{m{"system": mapping.LOINCURL, "code": pick(Codes(), "code")}}},
			"effectiveDateTime": pick(drawnDays, "when"),
		}
		switch rapid.IntRange(0, 4).Draw(t, "value") {
		case 0:
			o["valueInteger"] = rapid.IntRange(0, 12).Draw(t, "count")
		case 1:
			o["valueDateTime"] = pick(drawnDates, "date")
		case 2:
			o["valueCodeableConcept"] = m{"coding": l{m{"system": mapping.SNOMEDURL, "code": pick(drawnCodes, "answer")}}}
		default:
			n := rapid.SampledFrom([]float64{0, 1, 3.4, 9, 36, 39.5, 66, 80, 148, 165, 277, 3410, -1, 1e300}).Draw(t, "amount")
			o["valueQuantity"] = m{"value": n, "code": pick(drawnUnits, "unit")}
		}
		if rapid.IntRange(0, 5).Draw(t, "focus") == 0 {
			o["focus"] = l{m{"reference": pick([]string{"Patient/baby", "Patient/other", "Patient/p"}, "focus")}}
		}
		resources = append(resources, o)
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "diagnoses") {
		coding := m{"system": mapping.ICD10URL, "code": pick(drawnICD, "ICD")}
		if rapid.Bool().Draw(t, "SNOMED") {
			coding = m{"system": mapping.SNOMEDURL, "code": pick(drawnSCT, "SNOMED CT")}
		}
		resources = append(resources, m{
			"resourceType": "Condition", "id": fmt.Sprint("c", i), "subject": who(), "code": m{"coding": l{coding}}, "onsetDateTime": pick(drawnDays, "onset"),
			"abatementDateTime":  pick([]string{"", "2026-05-01", "2023-04-12"}, "end"),
			"clinicalStatus":     m{"coding": l{m{"code": pick([]string{"active", "resolved"}, "clinical")}}},
			"verificationStatus": m{"coding": l{m{"code": pick([]string{"confirmed", "confirmed", "provisional", "refuted"}, "sure")}}},
		})
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "encounters") {
		resources = append(resources, m{
			"resourceType": "Encounter", "id": fmt.Sprint("e", i), "subject": who(), "status": pick([]string{"finished", "in-progress", "cancelled"}, "state"),
			"class": m{"code": pick([]string{"IMP", "AMB", "EMER"}, "class")}, "period": m{"start": pick(drawnDays, "start"), "end": pick(drawnDays, "end")},
			"type":        l{m{"coding": l{m{"system": mapping.SNOMEDURL, "code": pick([]string{"177184002", "424619006", "424441002", "50849002"}, "type")}}}},
			"participant": l{m{"type": l{m{"coding": l{m{"code": "ATND"}}}}, "individual": m{"display": "Olive Reyes, CNM"}}},
		})
	}
	return resources
}

func readResources(t require.TestingT, resources []m) Reading {
	var c fhir.Chart
	for _, resource := range resources {
		require.NoError(t, c.Add(jsontext.Value(text(t, resource))))
	}
	reading := Read(c, chartLaunch)
	requireSoundReading(t, reading)
	return reading
}

func TestTheOrderInWhichAnEHRSendsResourcesMakesNoDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		resources := drawChart(t)
		want := readResources(t, resources)
		shuffled := rapid.Permutation(resources).Draw(t, "order")
		require.Equal(t, goldenReadingOf(want), goldenReadingOf(readResources(t, shuffled)))
		twice := append(slices.Clone(resources), rapid.SampledFrom(resources).Draw(t, "twice"))
		require.Equal(t, goldenReadingOf(want), goldenReadingOf(readResources(t, twice)), "a resource that is sent twice is one")
	})
}

// Part of a chart may be missing, for example a page that could not be read. Then no value may
// appear that contradicts the whole chart, as long as the same pregnancy is meant.
func TestAnUnreadPartNeverChangesAValueIntoAnother(t *testing.T) {
	compared := 0
	rapid.Check(t, func(t *rapid.T) {
		resources := drawChart(t)
		whole := readResources(t, resources)
		n := rapid.IntRange(1, max(1, len(resources)-1)).Draw(t, "left out")
		if n >= len(resources) {
			return
		}
		left := resources[n]
		part := readResources(t, slices.Delete(slices.Clone(resources), n, n+1))
		for _, role := range []Role{Mother, Newborn} {
			if !slices.Equal(whole.As[role].Notices, part.As[role].Notices) {
				continue // another pregnancy, or more to warn about
			}
			for _, o := range part.As[role].Origins {
				field := birth.Lookup(o.At.Field)
				before := slices.IndexFunc(whole.As[role].Origins, func(w Origin) bool { return w.At == o.At })
				if field == nil || field.Kind == birth.Codes || before < 0 || whole.As[role].Origins[before].Text != o.Text {
					continue // the missing resource said so
				}
				compared++
				require.Equal(t, valueAt(whole.As[role].Draft, o.At), valueAt(part.As[role].Draft, o.At), "%s without %s", o.At, text(t, left))
			}
		}
	})
	require.Positive(t, compared)
}

// A fact about another person leaves no trace, neither in a value nor in a hint.
func TestFactsAboutSomebodyElseAreNeverUsed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		resources := drawChart(t)
		var hers []m
		others := 0
		for _, resource := range resources {
			if subject, ok := resource["subject"].(m); ok && subject["reference"] != "Patient/p" {
				others++
				continue
			}
			hers = append(hers, resource)
		}
		with, without := goldenReadingOf(readResources(t, resources)), goldenReadingOf(readResources(t, hers))
		for role, filled := range with.As {
			require.Equal(t, without.As[role].Filled, filled.Filled)
			require.Equal(t, without.As[role].Hints, filled.Hints)
			require.Equal(t, without.As[role].Notices, filled.Notices)
			known := slices.ContainsFunc(filled.Unused, func(line string) bool { return strings.Contains(line, "about somebody else") })
			require.Equal(t, others > 0 && role != string(Unknown), known)
		}
	})
}

// FuzzRead checks that reading any answer of an EHR ends without a panic.
func FuzzRead(f *testing.F) {
	for _, file := range chartFiles(f) {
		body, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(string(body))
	}
	f.Add(`{"at":"2026-01-01T00:00:00Z","resources":[{"resourceType":"Patient","id":"p","birthDate":"0001-01-01","name":[{"family":"\u0000\u202e","given":["",null]}]},
		{"resourceType":"Observation","status":"final","subject":{"reference":"Patient/p"},"effectiveDateTime":"9999-12-31","code":{"coding":[{"system":"http://loinc.org","code":"8665-2"}]},"valueDateTime":"9999-12-31"}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		var s storedChart
		if json.Unmarshal([]byte(body), &s) != nil {
			return
		}
		var c fhir.Chart
		for _, resource := range s.Resources {
			_ = c.Add(resource)
		}
		reading := Read(c, Launch{At: s.At, Encounter: s.Encounter})
		requireSoundReading(t, reading)
	})
}
