package uscore

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"birthregistry/app/birth"
	"birthregistry/app/fhir"
	"birthregistry/app/mapping"
)

// readPart reads a chart in which some types were read only in part.
func readPart(t require.TestingT, launch Launch, resources []m, partial ...string) Reading {
	c := fhir.Chart{Partial: partial}
	for _, resource := range resources {
		require.NoError(t, c.Add(jsontext.Value(text(t, resource))))
	}
	reading := Read(c, launch)
	requireSoundReading(t, reading)
	return reading
}

// Part of a chart may be missing: a search was refused, a page did not arrive, or a server
// answers only for some codes. Then no value may appear that the whole chart would not fill
// in.
func TestAPartialReadFillsInNothingThatTheWholeChartWouldWithhold(t *testing.T) {
	compared, hidden := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		resources := drawChart(t)
		whole := readResources(t, resources)
		kind := rapid.SampledFrom([]string{"Observation", "Condition", "Encounter"}).Draw(t, "partial")
		seed := rapid.IntRange(1, 4).Draw(t, "how much is left out")
		var read []m
		for i, resource := range resources {
			if resource["resourceType"] != kind || (i*7+seed)%4 >= seed {
				read = append(read, resource)
			}
		}
		part := readPart(t, chartLaunch, read, kind)
		for _, role := range []Role{Mother, Newborn} {
			hidden += len(whole.As[role].Origins) - len(part.As[role].Origins)
			for _, o := range part.As[role].Origins {
				compared++
				require.Equal(t, valuesAt(whole.As[role], o.At), valuesAt(part.As[role], o.At), "%s, %s is partial", o.At, kind)
			}
		}
	})
	require.Positive(t, compared)
	require.Positive(t, hidden)
}

// valuesAt returns the value that a reading fills in at a place, or "".
func valuesAt(f Filled, at birth.Path) string {
	if !slices.ContainsFunc(f.Origins, func(o Origin) bool { return o.At == at }) {
		return ""
	}
	return valueAt(f.Draft, at)
}

func TestAValueThatAPartialReadLeavesUncertainIsAHintWithAButton(t *testing.T) {
	hers := []m{
		her(named("Roe", "Ada")), dueMay20, seen("g", "11996-6", "2025-11-01", counted(2)), seen("h", "8302-2", "2024-01-01", weighing(170, "cm")),
		diagnosed("c", mapping.ICD10URL, "O24.410", "2026-01-10"),
	}
	launch := Launch{At: time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)}
	whole := readChart(t, hers...).As[Mother]
	for _, field := range []string{"mother_family_name", "estimated_due_date", "gravida", "mother_height_in", "risk_factors"} {
		require.NotEmpty(t, filledAt(whole, field), field)
	}
	for kind, open := range map[string][]string{
		"Observation": {"estimated_due_date", "gravida", "mother_height_in", "risk_factors"},
		"Condition":   {"estimated_due_date", "gravida", "risk_factors"},
		"Encounter":   {"estimated_due_date", "gravida", "risk_factors"},
	} {
		part := readPart(t, launch, hers, kind).As[Mother]
		require.NotEmpty(t, filledAt(part, "mother_family_name"), "who she is, the Patient tells")
		require.Equal(t, kind != "Observation", filledAt(part, "mother_height_in") != "")
		for _, field := range open {
			require.Empty(t, filledAt(part, field), "%s without all of %s", field, kind)
			hints := hintsAt(part, field)
			require.Len(t, hints, 1, field)
			require.NotNil(t, hints[0].Value)
			require.True(t, strings.HasSuffix(hints[0].Text, notAllRead), hints[0].Text)
		}
	}
	newborn := []m{
		baby(named("Roe", "Ada")), seen("w", birthWeightCode, "2026-05-01", weighing(3400, "g")), diagnosed("c", mapping.SNOMEDURL, "80281008", "2026-05-02"),
	}
	for kind, kept := range map[string]spots{
		"Observation": {"birth_date": "x", "congenital_anomalies": "x"}, "Condition": {"birth_date": "x", "birth_weight_g": "x"},
		"Encounter": {"birth_date": "x", "birth_weight_g": "x", "congenital_anomalies": "x"},
	} {
		part := readPart(t, launch, newborn, kind).As[Newborn]
		for _, field := range []string{"birth_date", "birth_weight_g", "congenital_anomalies"} {
			require.Equal(t, kept[field] != "", filledAt(part, field) != "", "%s without all of %s", field, kind)
		}
	}
}

// A mark (modifierExtension) may say that somebody else had twins, or that there are none. So what
// depends on the number of children is a hint.
func TestADiagnosisOfTwinsWithAMarkLeavesTheChartInPart(t *testing.T) {
	hers := []m{her(named("Roe", "Ada")), dueMay20, seen("g", "11996-6", "2025-11-01", counted(2))}
	require.NotEmpty(t, filledAt(readChart(t, hers...).As[Mother], "gravida"))
	for system, code := range map[string]string{mapping.SNOMEDURL: "65147003", mapping.ICD10URL: "O30.009"} {
		marked := diagnosed("t", system, code, "2026-01-10")
		marked["modifierExtension"] = []m{{"url": "urn:x", "valueBoolean": true}}
		require.Empty(t, filledAt(readChart(t, append(slices.Clone(hers), marked)...).As[Mother], "gravida"), code)
	}
}
