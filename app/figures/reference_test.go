package figures_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
	"birthregistry/app/figures"
	"birthregistry/assets"
)

func TestPublishedFiguresHaveTheirSourcesAndYears(t *testing.T) {
	of, err := figures.References(assets.References)
	require.NoError(t, err)
	unconfirmed := 0
	for id, all := range of {
		require.NotNil(t, figures.Lookup(id))
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
	require.Equal(t, "32.3 %", of["cesarean"][0].Text())
	require.Equal(t, "5.53 per 1000", of["fetal_20"][0].Text())
	require.InDelta(t, 0.00553, of["fetal_20"][0].Share(), 1e-12)
	require.Equal(t, 4, unconfirmed, "those that nobody has found again in their sources")
}

func TestAPublishedFigureThatSaysTooLittleIsAnError(t *testing.T) {
	whole := `"label":"l","value":1,"population":"p","years":"2020","counting_unit":"births","source":"s","url":"https://x","seen_in":""`
	for _, wrong := range []string{
		`{}`, `[{"measure":"none",` + whole + `,"comparable":"full"}]`, `[{"measure":"cesarean","comparable":"full"}]`,
		`[{"measure":"cesarean",` + whole + `,"comparable":"somewhat"}]`, `[{"measure":"cesarean",` + whole + `,"comparable":"full","per":1}]`,
		`[{"measure":"cesarean",` + whole + `,"comparable":"full","mystery":1}]`,
	} {
		_, err := figures.References([]byte(wrong))
		require.Error(t, err, wrong)
	}
	_, err := figures.References([]byte(`[{"measure":"cesarean",` + whole + `,"comparable":"full"}]`))
	require.NoError(t, err)
}

// peers pools practices of so many births each, of which one in ten by cesarean.
func peers(consent bool, births ...int) *figures.Peers {
	m, _ := figures.ParseMonth("2026-03")
	p := figures.NewPeers(figures.Period{First: m, Last: m})
	for practice, n := range births {
		for i := range n {
			o := birth.Outcome{Consent: consent, Children: []birth.Newborn{{Method: birth.Unassisted}}}
			if i%10 == 0 {
				o.Children[0].Method = birth.Cesarean
			}
			p.Add(int64(practice), m.String(), o.Text())
			p.Add(int64(practice), "2026-04", o.Text()) // of another month
		}
	}
	return p
}

func TestAFigureAcrossPracticesNeedsFiveOfThemNoneWithMoreThanHalfOfIt(t *testing.T) {
	cesarean := figures.Lookup("cesarean")
	got, ok := peers(true, 20, 20, 20, 20, 20).Of(cesarean)
	require.True(t, ok)
	require.Equal(t, figures.Pooled{Percent: 10, Practices: 5}, got)
	for name, p := range map[string]*figures.Peers{
		"four":                     peers(true, 20, 20, 20, 20),
		"five, one without births": peers(true, 20, 20, 20, 20, 0),
		"one with more than half":  peers(true, 90, 20, 20, 20, 20),
		"fewer than thirty births": peers(true, 5, 5, 5, 5, 5),
		"no consent":               peers(false, 20, 20, 20, 20, 20),
		"nobody":                   peers(true),
	} {
		_, ok := p.Of(cesarean)
		require.False(t, ok, name)
	}
	_, ok = peers(true, 80, 20, 20, 20, 20).Of(cesarean)
	require.True(t, ok, "half is not more than half")
	_, ok = peers(true, 20, 20, 20, 20, 20).Of(figures.Lookup("doula"))
	require.False(t, ok, "nobody knows")
}
