package stats_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/stats"
	"birthregistry/assets"
)

func TestPublishedFiguresHaveTheirSourcesAndYears(t *testing.T) {
	of, err := stats.References(assets.References)
	require.NoError(t, err)
	unconfirmed := 0
	for id, all := range of {
		require.NotNil(t, stats.Lookup(id))
		for _, r := range all {
			require.Regexp(t, `^https://`, r.URL)
			require.Regexp(t, `^\d{4}(–\d{4})?$`, r.Years)
			require.Contains(t, []string{"births", "newborns"}, r.CountingUnit)
			if r.SeenIn == "" {
				unconfirmed++
			}
		}
		require.Empty(t, all[0].Parity, "the first figure of %s is of all", id)
	}
	require.Equal(t, "32.3%", of["cesarean"][0].Text())
	require.Equal(t, "5.53 per 1,000", of["fetal_20"][0].Text())
	require.InDelta(t, 0.00553, of["fetal_20"][0].Share(), 1e-12)
	require.Equal(t, 4, unconfirmed, "those that nobody has found again in their sources")
}

func TestAnIncompletePublishedFigureIsAnError(t *testing.T) {
	whole := `"label":"l","value":1,"population":"p","years":"2020","counting_unit":"births","source":"s","url":"https://x","seen_in":""`
	for _, wrong := range []string{
		`{}`, `[{"measure":"none",` + whole + `,"comparable":"full"}]`, `[{"measure":"cesarean","comparable":"full"}]`,
		`[{"measure":"cesarean",` + whole + `,"comparable":"somewhat"}]`, `[{"measure":"cesarean",` + whole + `,"comparable":"full","per":1}]`,
		`[{"measure":"cesarean",` + whole + `,"comparable":"full","mystery":1}]`,
	} {
		_, err := stats.References([]byte(wrong))
		require.Error(t, err, wrong)
	}
	_, err := stats.References([]byte(`[{"measure":"cesarean",` + whole + `,"comparable":"full"}]`))
	require.NoError(t, err)
}

func TestAFigureAcrossPracticesNeedsFiveNoneWithMoreThanHalfTheBirths(t *testing.T) {
	got, ok := (&stats.Peers{Yes: 10, Known: 100, Practices: 5}).Pooled()
	require.True(t, ok)
	require.Equal(t, stats.Pooled{Percent: 10, Practices: 5}, got)
	_, ok = (&stats.Peers{Known: stats.Enough, Practices: 5}).Pooled()
	require.True(t, ok)
	for name, p := range map[string]stats.Peers{
		"four":                     {Yes: 10, Known: 100, Practices: 4},
		"one with more than half":  {Yes: 10, Known: 100, Practices: 5, Dominated: true},
		"fewer than thirty births": {Yes: 10, Known: stats.Enough - 1, Practices: 5},
		"nobody":                   {},
	} {
		_, ok := p.Pooled()
		require.False(t, ok, name)
	}
}
