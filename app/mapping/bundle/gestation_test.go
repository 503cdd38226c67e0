package bundle

import (
	"cmp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGestationalAge(t *testing.T) {
	for _, c := range []struct {
		name        string
		of          []m
		weeks, days string
	}{
		{"whole weeks say nothing about days", []m{obs("11884-4", quantity(39, "wk"))}, "39", ""},
		{"days divided by 7", []m{obs("11884-4", quantity(277, "d"))}, "39", "4"},
		{"days that are whole weeks", []m{obs("11884-4", quantity(280, "d"))}, "40", "0"},
		{"days as people write them", []m{obs("11884-4", quantity(277, "Days"))}, "39", "4"},
		{"part of a day is not completed", []m{obs("11884-4", quantity(277.9, "d"))}, "39", "4"},
		{"a tenth that may be days", []m{obs("11884-4", quantity(39.2, "wk"))}, "39", ""},
		{"half weeks, which may be five days", []m{obs("11884-4", quantity(39.5, "wk"))}, "39", ""},
		{"a tenth that is one day either way", []m{obs("11884-4", quantity(39.1, "wk"))}, "39", "1"},
		{"a tenth that cannot be days", []m{obs("11884-4", quantity(39.7, "wk"))}, "39", "5"},
		{"six days in one decimal", []m{obs("11884-4", quantity(38.9, "wk"))}, "38", "6"},
		{"six days in three decimals", []m{obs("11884-4", quantity(38.857, "wk"))}, "38", "6"},
		{"one day in two decimals", []m{obs("11884-4", quantity(38.14, "wk"))}, "38", "1"},
		{"nearly a week is no week", []m{obs("11884-4", quantity(39.999, "wk"))}, "39", "6"},
		{"an integer of weeks", []m{obs("11884-4", integer(39))}, "39", ""},
		{"a text of weeks", []m{obs("11884-4", m{"valueString": "39.5"})}, "39", ""},
		{"a text of weeks with a tenth and their unit", []m{obs("11884-4", m{"valueString": "39.2 weeks"})}, "39", ""},
		{"a text of weeks with their unit", []m{obs("11884-4", m{"valueString": "39 weeks"})}, "39", ""},
		{"a text of days", []m{obs("11884-4", m{"valueString": "275 days"})}, "39", "2"},
		{"weeks and days as text", []m{obs("11884-4", m{"valueString": "39w2d"})}, "39", "2"},
		{"weeks and days in words", []m{obs("11884-4", m{"valueString": " 39 weeks 2 days"})}, "39", "2"},
		{"weeks plus days", []m{obs("11884-4", m{"valueString": "39+2"})}, "39", "2"},
		{"sevenths", []m{obs("11884-4", m{"valueString": "39 2/7"})}, "39", "2"},
		{"sevenths with the unit after them", []m{obs("11884-4", m{"valueString": "39 2/7 weeks"})}, "39", "2"},
		{"sevenths with the unit before them", []m{obs("11884-4", m{"valueString": "39 wks 2/7"})}, "39", "2"},
		{"weeks and days with their unit", []m{obs("11884-4", m{"valueString": "39+2 weeks"})}, "39", "2"},
		{"weeks and days with an and", []m{obs("11884-4", m{"valueString": "39 weeks and 2 days"})}, "39", "2"},
		{"weeks and days with a plus", []m{obs("11884-4", m{"valueString": "39 w + 2 d"})}, "39", "2"},
		{"eighths", []m{obs("11884-4", m{"valueString": "39 2/8 weeks"})}, "", ""},
		{"seven days are another week", []m{obs("11884-4", m{"valueString": "39w7d"})}, "", ""},
		{"a text with more than weeks and days", []m{obs("11884-4", m{"valueString": "39w2d by LMP, 38w by scan"})}, "", ""},
		{"weeks and days that are out of range", []m{obs("11884-4", m{"valueString": "9w2d"})}, "", ""},
		{"weeks in braces", []m{obs("11884-4", quantity(39, "{wk}"))}, "39", ""},
		{"weeks in one letter", []m{obs("11884-4", m{"valueQuantity": m{"value": 39, "unit": "w"}})}, "39", ""},
		{"watts", []m{obs("11884-4", m{"valueQuantity": m{"value": 39, "system": "http://unitsofmeasure.org", "code": "W"}})}, "", ""},
		{"39 can only be weeks", []m{obs("11884-4", m{"valueQuantity": m{"value": 39}})}, "39", ""},
		{"277 without a unit is nothing", []m{obs("11884-4", integer(277))}, "", ""},
		{"weeks whose text says days", []m{obs("11884-4", m{"valueQuantity": m{"value": 39, "code": "wk", "unit": "days"}})}, "", ""},
		{"months", []m{obs("11884-4", quantity(9, "mo"))}, "", ""},
		{"out of range", []m{obs("11884-4", quantity(9, "wk"))}, "", ""},
		{"out of range in days", []m{obs("11884-4", quantity(69, "d"))}, "", ""},
		{"the upper bound", []m{obs("11884-4", quantity(356, "d"))}, "50", "6"},
		{"-1 is unknown", []m{obs("11884-4", quantity(-1, "wk"))}, "", ""},
		{"a worse code gives way", []m{obs("11885-1", quantity(277, "d")), obs("11884-4", quantity(38, "wk"))}, "38", ""},
		{"a worse code does not add days", []m{obs("11884-4", quantity(38, "wk")), obs("11885-1", quantity(277, "d"))}, "38", ""},
		{
			"days stated by themselves",
			[]m{obs("gestational_age_days", integer(2)), obs("11885-1", quantity(277, "d")), obs("11884-4", quantity(38, "wk"))},
			"38", "2",
		},
		{
			"days stated by themselves afterwards",
			[]m{obs("11884-4", quantity(277, "d")), obs("gestational_age_days", integer(2))},
			"39", "2",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := courseOf(t, c.of...)
			require.Equal(t, [2]string{c.weeks, c.days}, [2]string{stated(d, "gestational_age_weeks"), stated(d, "gestational_age_days")})
		})
	}
	for days := range 7 {
		for weeks := 10; weeks <= 50; weeks++ {
			exact := float64(weeks) + float64(days)/7
			d := courseOf(t, obs("11884-4", quantity(exact, "wk")))
			require.Equal(t, strconv.Itoa(weeks), stated(d, "gestational_age_weeks"))
			require.Equal(t, strconv.Itoa(days), cmp.Or(stated(d, "gestational_age_days"), "0"), "%v wk", exact)
		}
	}
}

func TestCordClampingIsDelayedFromSixtySeconds(t *testing.T) {
	for _, c := range []struct {
		name             string
		value            m
		delayed, seconds string
	}{
		{"a yes", m{"valueBoolean": true}, "true", ""},
		{"a no", m{"valueBoolean": false}, "false", ""},
		{"60 s", quantity(60, "s"), "true", "60"},
		{"59.6 s", quantity(59.6, "s"), "false", "59"},
		{"3 min", quantity(3, "min"), "true", "180"},
		{"4.35 min", quantity(4.35, "min"), "true", "261"},
		{"half a minute", quantity(0.5, "min"), "false", "30"},
		{"longer than can be is no time", quantity(25, "h"), "", ""},
		{"grams", quantity(60, "g"), "", ""},
		{"no unit", m{"valueQuantity": m{"value": 60}}, "", ""},
		{"before the birth", quantity(-1, "s"), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := courseOf(t, obs("delayed_cord_clamping", c.value))
			require.Equal(t, [2]string{c.delayed, c.seconds}, [2]string{stated(d, "delayed_cord_clamping"), stated(d, "cord_clamping_seconds")})
		})
	}
}

func TestTheSecondsStateWhetherCordClampingWasDelayed(t *testing.T) {
	seconds, yes, no := obs("cord_clamping_seconds", quantity(90, "s")), m{"valueBoolean": true}, m{"valueBoolean": false}
	require.Equal(t, "true", stated(courseOf(t, seconds), "delayed_cord_clamping"))
	require.Equal(t, "true", stated(courseOf(t, seconds, obs("delayed_cord_clamping", no)), "delayed_cord_clamping"), "they are what was measured")
	require.Equal(t, "false", stated(courseOf(t, obs("cord_clamping_seconds", quantity(30, "s")), obs("delayed_cord_clamping", yes)), "delayed_cord_clamping"))
	require.Equal(t, "59", stated(courseOf(t, obs("cord_clamping_seconds", quantity(59.6, "s"))), "cord_clamping_seconds"))
}
