package uscore

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/mapping"
	"birthregistry/app/mapping/form"
)

// hintsAt returns a reading's hints for a field.
func hintsAt(f Filled, field string) (all []Hint) {
	for _, h := range f.Hints {
		if h.At.Field == field {
			all = append(all, h)
		}
	}
	return all
}

func TestTheRoleOfAnAttendantIsLeftOpenIfTheChartDoesNotStateIt(t *testing.T) {
	attended := stayed("e", "IMP", "177184002", "2026-05-01", "2026-05-02", m{
		"participant": l{m{"type": l{m{"coding": l{m{"code": "ATND"}}}}, "individual": m{"display": "Olive Reyes"}}},
	})
	filled := readChart(t, her(), attended).As[Mother]
	require.Empty(t, filled.Draft.Providers[0].Role)
	require.Contains(t, hintsAt(filled, "role")[0].Text, "the chart does not state the role")
	typed := form.Values(filled.Draft)
	require.Empty(t, typed.Get("person.0.role"))
	sent := form.Read(typed, &filled.Draft).Draft.Providers[0]
	require.Equal(t, birth.EHRPull, sent.Source, "left as the EHR gave it")
	typed.Set("person.0.role", "midwife")
	require.Equal(t, birth.Manual, form.Read(typed, &filled.Draft).Draft.Providers[0].Source)
}

func TestAStillbirthInTheMothersChartIsANoticeAndNothingOfALiveBirthIsFilledIn(t *testing.T) {
	born := seen("b", deliveryTime, "2026-05-01", day1("2026-05-01"))
	apgar := seen("a", "9274-2", "2026-05-01", m{"valueInteger": 9}, aBaby)
	stated := func(r Reading) bool {
		return strings.Contains(strings.Join(r.As[Mother].Notices, " "), "The chart records a stillbirth")
	}
	for _, code := range []string{"Z37.1", "Z37.3", "Z37.4", "Z37.60", "Z37.7"} {
		r := readChart(t, her(), born, apgar, diagnosed("c", mapping.ICD10URL, code, "2026-05-01"))
		require.True(t, stated(r), code)
		require.NotContains(t, filledFields(r, Mother), "apgar_five_minute", code)
		require.NotEmpty(t, hintsAt(r.As[Mother], "apgar_five_minute"), code)
	}
	for name, other := range map[string]m{
		"a live birth":      diagnosed("c", mapping.ICD10URL, "Z37.0", "2026-05-01"),
		"of another birth":  diagnosed("c", mapping.ICD10URL, "Z37.1", "2020-05-01"),
		"live twins":        diagnosed("c", mapping.ICD10URL, "Z37.2", "2026-05-01"),
		"some other system": diagnosed("c", mapping.SNOMEDURL, "Z37.1", "2026-05-01"),
	} {
		require.False(t, stated(readChart(t, her(), born, apgar, other)), name)
	}
	alive := readChart(t, her(), born, apgar, diagnosed("c", mapping.ICD10URL, "Z37.0", "2026-05-01"))
	require.Equal(t, "9", filledFields(alive, Mother)["apgar_five_minute"])
	require.True(t, stated(readChart(t, her(), stayed("e", "IMP", "177184002", "2026-05-01", "2026-05-02", m{
		"reasonCode": l{m{"coding": l{m{"system": mapping.ICD10URL, "code": "Z37.1"}}}},
	}))), "the reason of the stay")
}

func TestTwoBirthWeightsOnOneDayInTheMothersChartFillInNothing(t *testing.T) {
	weight := func(id string, grams int, more ...m) m {
		return seen(id, "8339-4", "2026-05-01", append([]m{aBaby}, append(more, m{"valueQuantity": m{"value": grams, "code": "g"}})...)...)
	}
	hers := []m{her(), seen("b", deliveryTime, "2026-05-01", day1("2026-05-01"))}
	for name, c := range map[string]struct {
		weights []m
		filled  string
	}{
		"one":                     {[]m{weight("w1", 3400)}, "3400"},
		"the same twice":          {[]m{weight("w1", 3400), weight("w2", 3400)}, "3400"},
		"two that differ":         {[]m{weight("w1", 3400), weight("w2", 2900)}, ""},
		"one of them of somebody": {[]m{weight("w1", 3400), weight("w2", 2900, m{"focus": l{m{"reference": "Patient/x"}}})}, ""},
	} {
		r := readChart(t, append(hers, c.weights...)...)
		require.Equal(t, c.filled, filledFields(r, Mother)["birth_weight_g"], name)
		hints := hintsAt(r.As[Mother], "birth_weight_g")
		if c.filled != "" {
			require.Empty(t, hints, name)
			continue
		}
		require.Len(t, hints, 2, name)
	}
}

func TestUntilItIsKnownWhoseChartItIsOnlyTheNumberCanBeUsed(t *testing.T) {
	r := readChart(t, her(m{
		"birthDate": "", "name": l{m{"family": "Roe", "given": l{"Ada"}}},
		"identifier": l{m{"type": m{"coding": l{m{"code": "MR"}}}, "value": "MRN-1"}},
	}))
	require.Len(t, r.As[Unknown].Hints, 5)
	for _, h := range r.As[Unknown].Hints {
		require.Equal(t, h.At == birth.At("chart_number"), h.Value != nil, h.At)
	}
}

func TestNoNoticeClaimsValuesWhenNothingIsFilledIn(t *testing.T) {
	due := func(id, when, on string) m { return seen(id, "11778-8", when, day1(on)) }
	for name, patient := range map[string]m{
		"a child": her(m{"birthDate": "2018-05-17"}), "a man": her(m{"gender": "male"}),
		"one who has died": her(m{"deceasedBoolean": true}),
	} {
		for _, more := range [][]m{nil, {due("d1", "2026-01-01", "2026-05-20"), due("d2", "2025-12-01", "2026-05-02")}} {
			filled := readChart(t, append([]m{patient}, more...)...).As[Mother]
			require.Empty(t, filled.Origins, name)
			stated := strings.ReplaceAll(strings.Join(filled.Notices, " "), "nothing is filled in", "")
			require.NotContains(t, strings.ReplaceAll(stated, "are not filled in", ""), "filled in", name)
		}
	}
}
