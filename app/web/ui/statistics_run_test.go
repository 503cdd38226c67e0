package ui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/records"
	"birthregistry/app/stats"
	"birthregistry/store"
	"birthregistry/views"
)

// yearsOf returns a report of five years of single births, forty a month; cesareans gives the
// number of cesareans in each.
func yearsOf(cesareans func(month int) int) records.Figures {
	last, _ := stats.ParseMonth("2026-12")
	f := records.Figures{Report: stats.NewReport(stats.Period{First: last - 11, Last: last})}
	for n := range stats.MaxMonths {
		month := f.Period.Trend().First + stats.Month(n)
		for k := range 40 {
			o := birth.Outcome{Children: []birth.Newborn{{Method: birth.Unassisted}}}
			if k < cesareans(n) {
				o.Children[0].Method = birth.Cesarean
			}
			f.Add(month.String(), "midwife", o.Text())
		}
	}
	return f
}

func TestTheChartHasItsYearsItsBandAndThePublishedFigureOnOneScale(t *testing.T) {
	f, m := yearsOf(func(int) int { return 12 }), stats.Lookup("cesarean")
	near := []stats.Reference{{Label: "United States", Value: 32.3, Years: "2023"}}
	r := runOf(f, m, near)
	require.Len(t, r.Dots, 60)
	var years []string
	for _, y := range r.Years {
		years = append(years, y.Text)
		require.GreaterOrEqual(t, y.At, runLeft)
		require.LessOrEqual(t, y.At, runLeft+runWidth)
	}
	require.Equal(t, []string{"2022", "2023", "2024", "2025", "2026"}, years)
	require.Equal(t, []views.Mark{{At: 140, Text: "0%"}, {At: 75, Text: "25%"}, {At: 10, Text: "50%"}}, r.Scale)
	require.InDelta(t, 140-130*.30/.50, r.Dots[0].Y, .001)
	require.InDelta(t, 140-130*.323/.50, r.Reference, .001, "on the scale of the points")
	require.Equal(t, "Published: 32.3%, United States, 2023", r.ReferenceText)
	require.Len(t, strings.Fields(r.Band), 120, "an upper and a lower corner a point")
	require.False(t, r.Withheld)
	who := auth.User{Role: auth.Admin, Practice: store.Practice{ID: 1}}
	require.True(t, runLeaves(r))
	d := downloads(asked{who: who, period: f.Period}, m, "chart")
	require.Equal(t, "/registry/statistics/cesarean/chart.svg?from=2026-01&to=2026-12", d.SVG)
	require.Equal(t, "/registry/statistics/cesarean/chart.csv?from=2026-01&to=2026-12", d.CSV)
	require.Equal(t, "cesarean-chart-2026-01-to-2026-12.png", d.PNGName)
	who.Role = auth.Viewer
	require.Empty(t, downloads(asked{who: who, period: f.Period}, m, "chart"))
}

func TestAChartWithASmallCountDoesNotLeaveThePractice(t *testing.T) {
	f, m := yearsOf(func(n int) int { return 12 - n%2*4 }), stats.Lookup("cesarean")
	r := runOf(f, m, nil)
	require.True(t, r.Withheld)
	require.False(t, runLeaves(r))
}

// 6 stillbirths of 1,300 births are not 0%.
func TestARareEventOfTheOtherPracticesIsNotRoundedToAPercent(t *testing.T) {
	f := records.Figures{Peers: &stats.Peers{Yes: 6, Known: 1300, Practices: 6}}
	require.Contains(t, peersLine(f, stats.Lookup("cesarean")), ": 0%, 6 practices")
	require.NotContains(t, peersLine(f, stats.Lookup("fetal_20")), "%")
}

func TestAPeriodIsHigherOrLowerOnlyWhereTheIntervalsDoNotMeet(t *testing.T) {
	m, now, then := stats.Lookup("cesarean"), stats.Period{First: 24312, Last: 24323}, stats.Period{First: 24300, Last: 24311}
	for want, c := range map[string][2]stats.Tally{
		"Higher in 2026 than in 2025.":                {{Yes: 80, Known: 100}, {Yes: 20, Known: 100}},
		"Lower in 2026 than in 2025.":                 {{Yes: 20, Known: 100}, {Yes: 80, Known: 100}},
		"No clear difference: the intervals overlap.": {{Yes: 30, Known: 100}, {Yes: 25, Known: 100}},
		"Too few to compare.":                         {{Yes: 20, Known: 29}, {Yes: 1, Known: 100}},
	} {
		require.Equal(t, want, againstWord(now, then, m, c[0], c[1]))
	}
}
