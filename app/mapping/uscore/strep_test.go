package uscore

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/mapping"
)

func TestAPositiveCultureCountsOnlyIfNoOtherOfThatDayOrLaterIsDifferent(t *testing.T) {
	found := seen("g5", "48683-7", "2026-04-05", coded2(mapping.SNOMEDURL, "10828004"))
	other := func(id, when string, more ...m) m { return seen(id, "11267-2", when, more...) }
	negative := coded2(mapping.SNOMEDURL, "260385009")
	words := func(text string) m { return m{"valueString": text} }
	interpreted := m{"interpretation": l{m{"coding": l{m{"code": "NEG"}}}}}
	readAs := func(code, text string) m {
		return m{"interpretation": l{m{"coding": l{m{"code": code}}, "text": text}}}
	}
	const later = "another result of that day or later"
	requireDoubts(t, map[string]doubted{
		"a positive one alone":                        {chart: []m{her(), bornMay1, found}, field: "infections", filled: `["gbs_positive"]`},
		"an older negative one":                       {chart: []m{her(), bornMay1, found, other("g6", "2026-04-01", negative)}, field: "infections", filled: `["gbs_positive"]`},
		"a negative one of that day":                  {chart: []m{her(), bornMay1, found, other("g6", "2026-04-05", negative)}, field: "infections", why: later},
		"the same, with another id":                   {chart: []m{her(), bornMay1, found, other("g4", "2026-04-05", negative)}, field: "infections", why: later},
		"a later negative one":                        {chart: []m{her(), bornMay1, found, other("g6", "2026-04-20", negative)}, field: "infections", why: later},
		"a later one in words":                        {chart: []m{her(), bornMay1, found, other("g6", "2026-04-20", words("Negative"))}, field: "infections", why: later},
		"a later one that is not final":               {chart: []m{her(), bornMay1, found, other("g6", "2026-04-20", negative, m{"status": "preliminary"})}, field: "infections", why: later},
		"a later positive one":                        {chart: []m{her(), bornMay1, found, other("g6", "2026-04-20", coded2(mapping.SNOMEDURL, "10828004"))}, field: "infections", filled: `["gbs_positive"]`},
		"a negative one after the birth":              {chart: []m{her(), bornMay1, found, other("g6", "2026-05-02", negative)}, field: "infections", filled: `["gbs_positive"]`},
		"a later one, negative by its interpretation": {chart: []m{her(), bornMay1, found, other("g6", "2026-04-20", coded2(mapping.SNOMEDURL, "10828004"), interpreted)}, field: "infections", why: later},
		"one that is negative by its interpretation":  {chart: []m{her(), bornMay1, other("g6", "2026-04-20", coded2(mapping.SNOMEDURL, "10828004"), interpreted)}, field: "infections", why: saysOtherwise},
		"one that its interpretation calls negative":  {chart: []m{her(), bornMay1, found.With(readAs("", "Negative"))}, field: "infections", why: saysOtherwise},
		"one that it says was not found":              {chart: []m{her(), bornMay1, found.With(readAs("L1", "Not detected"))}, field: "infections", why: saysOtherwise},
		"one that it leaves open":                     {chart: []m{her(), bornMay1, found.With(readAs("IND", ""))}, field: "infections", why: saysOtherwise},
		"one that it leaves open in words":            {chart: []m{her(), bornMay1, found.With(readAs("", "Equivocal"))}, field: "infections", why: saysOtherwise},
		"one that it calls abnormal":                  {chart: []m{her(), bornMay1, found.With(readAs("A", "Abnormal"))}, field: "infections", filled: `["gbs_positive"]`},
		"one that it calls positive":                  {chart: []m{her(), bornMay1, found.With(readAs("POS", "Positive"))}, field: "infections", filled: `["gbs_positive"]`},
		"a positive one in words":                     {chart: []m{her(), bornMay1, other("g6", "2026-04-20", words("POSITIVE"))}, field: "infections", why: "stated in words"},
		"a positive one in a text":                    {chart: []m{her(), bornMay1, other("g6", "2026-04-20", m{"valueCodeableConcept": m{"text": "Group B strep isolated"}})}, field: "infections", why: "stated in words"},
	})
	for _, text := range []string{"Negative", "Not detected", "No group B strep isolated", "See report"} {
		require.Empty(t, hintsAt(readChart(t, her(), bornMay1, other("g6", "2026-04-20", words(text))).As[Mother], "infections"), text)
	}
}
