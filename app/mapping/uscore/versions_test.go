package uscore

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/mapping"
)

// changed returns the version of a resource that was changed at a time.
func changed(doc m, at string, more ...m) m {
	return doc.With(append(more, m{"meta": m{"lastUpdated": at}})...)
}

func numbered(doc m, number string, more ...m) m {
	return doc.With(append(more, m{"meta": m{"versionId": number}})...)
}

func TestOfTwoVersionsTheLastCountsAndNoneIfThatIsNotKnown(t *testing.T) {
	const monday, tuesday = "2026-04-20T10:00:00Z", "2026-04-21T10:00:00Z"
	four, five := counted(4), counted(5)
	count := seen("g", "11996-6", "2026-01-01", four)
	withdrawn := m{"status": "entered-in-error"}
	gdm := diagnosed("c", mapping.ICD10URL, "O24.410", "2026-01-10")
	refuted := m{"verificationStatus": m{"coding": l{m{"code": "refuted"}}}}
	inError := m{"verificationStatus": m{"coding": l{m{"code": "entered-in-error"}}}}
	chart := func(more ...m) []m { return append([]m{her(), bornMay1}, more...) }
	both := map[string]doubted{
		"equal":                             {chart: chart(count, count), field: "gravida", filled: "4"},
		"equal, changed at different times": {chart: chart(changed(count, monday), changed(count, tuesday)), field: "gravida", filled: "4"},
		"changed later":                     {chart: chart(changed(count, monday), changed(count, tuesday, five)), field: "gravida", filled: "5"},
		"changed on a later day":            {chart: chart(changed(count, monday), changed(count, "2026-04-21", five)), field: "gravida", filled: "5"},
		"withdrawn later":                   {chart: chart(changed(count, monday), changed(count, tuesday, withdrawn)), field: "gravida"},
		"withdrawn, and entered again":      {chart: chart(changed(count, monday, withdrawn), changed(count, tuesday)), field: "gravida", filled: "4"},
		"of a higher number":                {chart: chart(numbered(count, "9"), numbered(count, "10", five)), field: "gravida", filled: "5"},
		"withdrawn, without a time":         {chart: chart(count, count.With(withdrawn)), field: "gravida", why: severalVersions},
		"withdrawn, one with a time":        {chart: chart(changed(count, tuesday), count.With(withdrawn)), field: "gravida", why: severalVersions},
		"withdrawn at the same time":        {chart: chart(changed(count, monday), changed(count, monday, withdrawn)), field: "gravida", why: severalVersions},
		"withdrawn on the same day":         {chart: chart(changed(count, monday), changed(count, "2026-04-20", withdrawn)), field: "gravida", why: severalVersions},
		"another value, without a time":     {chart: chart(count, count.With(five)), field: "gravida", why: severalVersions},
		"another code, without a time":      {chart: chart(count, seen("g", "11977-6", "2026-01-01", counted(3))), field: "gravida", why: severalVersions},
		"times that are no times":           {chart: chart(changed(count, "never"), changed(count, "soon", withdrawn)), field: "gravida", why: severalVersions},
		"numbers that are no numbers":       {chart: chart(numbered(count, "a"), numbered(count, "b", five)), field: "gravida", why: severalVersions},
		"a cycle": {
			chart: chart(
				count.With(m{"meta": m{"versionId": "3", "lastUpdated": monday}}),
				count.With(five, m{"meta": m{"versionId": "1", "lastUpdated": tuesday}}),
				count.With(counted(6), m{"meta": m{"versionId": "2"}}),
			), field: "gravida", why: severalVersions,
		},
		"all withdrawn, in different words":   {chart: chart(count.With(withdrawn), count.With(withdrawn, five), seen("h", "11996-6", "2026-01-01", counted(3))), field: "gravida", filled: "3"},
		"an older count beside a doubtful":    {chart: chart(count, count.With(withdrawn), seen("h", "11996-6", "2025-12-01", counted(3))), field: "gravida", why: versionUnknown},
		"about somebody else, in versions":    {chart: chart(seen("h", "11996-6", "2026-01-01", counted(3)), count.With(m{"subject": m{"reference": "Patient/q"}}), count.With(five, m{"subject": m{"reference": "Patient/q"}})), field: "gravida", filled: "3"},
		"one about somebody else":             {chart: chart(count, count.With(m{"subject": m{"reference": "Patient/q"}})), field: "gravida", why: severalVersions},
		"a diagnosis":                         {chart: chart(gdm, gdm), field: "risk_factors", filled: `["diabetes_gestational"]`},
		"a diagnosis entered in error":        {chart: chart(gdm, gdm.With(inError)), field: "risk_factors", why: severalVersions},
		"a diagnosis refuted":                 {chart: chart(gdm, gdm.With(refuted)), field: "risk_factors", why: severalVersions},
		"a diagnosis refuted later":           {chart: chart(changed(gdm, monday), changed(gdm, tuesday, refuted)), field: "risk_factors"},
		"a diagnosis with another onset":      {chart: chart(gdm, gdm.With(m{"onsetDateTime": "2022-01-10"})), field: "risk_factors", why: severalVersions},
		"a due date that moves the pregnancy": {chart: []m{her(), seen("due", "11778-8", "2025-11-01", day1("2026-05-20")), seen("due", "11778-8", "2025-11-01", day1("2026-01-20")), count}, field: "gravida"},
	}
	inBothOrders := map[string]doubted{}
	for name, c := range both {
		reversed := c
		reversed.chart = slices.Clone(c.chart)
		slices.Reverse(reversed.chart)
		inBothOrders[name], inBothOrders[name+", in the other order"] = c, reversed
	}
	requireDoubts(t, inBothOrders)
}

func TestAStayInVersionsThatDifferStatesNothing(t *testing.T) {
	attended := func(more ...m) m {
		return stayed("s", "IMP", "177184002", "2026-05-01", "2026-05-02", append([]m{{
			"participant": l{m{"type": l{m{"coding": l{m{"code": "ATND"}}}}, "individual": m{"display": "Olive Reyes, CNM"}}},
		}}, more...)...)
	}
	cancelled := m{"status": "cancelled"}
	for name, c := range map[string]struct {
		stays []m
		want  int
	}{
		"once":                         {[]m{attended()}, 1},
		"twice":                        {[]m{attended(), attended()}, 1},
		"cancelled, without a time":    {[]m{attended(), attended(cancelled)}, 0},
		"cancelled later":              {[]m{numbered(attended(), "1"), numbered(attended(), "2", cancelled)}, 0},
		"cancelled before, held after": {[]m{numbered(attended(), "2"), numbered(attended(), "1", cancelled)}, 1},
	} {
		r := readChart(t, append([]m{her()}, c.stays...)...)
		require.Len(t, r.As[Mother].Draft.Providers, c.want, name)
	}
}

func TestManyVersionsOfOneResourceAreReadInLittleTimeAndStateNothing(t *testing.T) {
	all := []m{her(), bornMay1}
	for i := range 3000 {
		all = append(all, seen("g", "11996-6", "2026-01-01", counted(i%7), m{"issued": "x", "note": l{m{"text": strings.Repeat("a", i)}}}))
	}
	requireDoubts(t, map[string]doubted{"many": {chart: all, field: "gravida", why: severalVersions}})
}
