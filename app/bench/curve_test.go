package main

import (
	"encoding/xml"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// aCurve is a curve whose rows all take about the same time, so that their names would overlap.
func aCurve() *curve {
	records, practices := curveAmounts(scale{})
	c := &curve{records: records, practices: practices, times: map[amount]map[string]float64{}}
	for _, of := range c.amounts() {
		took := map[string]float64{}
		for n, row := range curveRows {
			took[row] = 0.2 + float64(n)*1e-3
		}
		c.add(of, took)
	}
	c.times[records[3]][rowCheck] = 90
	return c
}

func TestTheShortestTimeOfARowCountsAndIsComparedFromTenThousandRecordsAndOnePractice(t *testing.T) {
	c := aCurve()
	for n, of := range c.amounts() {
		c.add(of, map[string]float64{rowList: 0.001 * float64(n+1)})
		c.add(of, map[string]float64{rowList: 7})
	}
	byRecords, byPractices := c.growth(rowList)
	require.InDelta(t, 2.0, byRecords, 1e-9, "1,000,000 records are the fourth amount, 10,000 the second")
	require.InDelta(t, 6.0, byPractices, 1e-9, "5,000 practices are the sixth amount, one practice the first")
	var printed strings.Builder
	require.NoError(t, c.print(&printed))
	require.Contains(t, printed.String(), "1,000,000 records ÷ 10,000 records")
	require.Contains(t, printed.String(), "5,000 practices ÷ 1")
}

func TestTheChartIsXMLAndItsNamesAreInsideItAndNotOnEachOther(t *testing.T) {
	var names []float64
	found := map[string]int{}
	d := xml.NewDecoder(strings.NewReader(aCurve().svg()))
	var y float64
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			require.NotEqual(t, "style", token.Name.Local, "the Content-Security-Policy refuses it")
			for _, a := range token.Attr {
				require.NotEqual(t, "style", a.Name.Local)
				if a.Name.Local == "y" {
					y = coordinate(t, a.Value)
				}
			}
		case xml.CharData:
			text := string(token)
			if slices.Contains(curveRows, text) {
				found[text]++
				names = append(names, y)
			}
		}
	}
	for _, row := range curveRows {
		require.Equal(t, 2, found[row], "one name in each panel: %s", row)
	}
	slices.Sort(names)
	for n := 1; n < len(names); n++ {
		require.GreaterOrEqual(t, math.Round(names[n]-names[n-1]), labelGap-1, "two names are on each other")
	}
	require.Less(t, names[len(names)-1], 2*panelHeight)
	require.Greater(t, names[0], 0.0)
}

func coordinate(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return n
}
