package birth_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func TestParseDateKeepsDatesAsTheyAreStated(t *testing.T) {
	for _, good := range []string{"2019", "2019-02", "2019-02-25", "2024-02-29", "1901-01-01", "2199-12-31"} {
		got, ok := birth.ParseDate(good)
		require.True(t, ok, good)
		require.Equal(t, good, got)
	}
	for _, bad := range []string{
		"", " ", "19", "201", "20190225", "2019-2-25", "2019-02-5", "2019-13", "2019-00", "2019-02-30", "2023-02-29", "0000",
		"0000-01-01", "2019-02-", "2019-", "-2019", "+2019", "2O19", "2019/02/25", "25.02.2019", "02-25-2019", "2019-02-25T",
		"2019-02-25Z", " 2019-02-25", "2019-02-25 ", "unknown", "٢٠١٩", "2019-02-25T13:00:00Z",
	} {
		got, ok := birth.ParseDate(bad)
		require.False(t, ok, "%q", bad)
		require.Empty(t, got, "what is no date is nothing")
	}
}

func TestYearsThatStandForNoDateAreNotDates(t *testing.T) {
	for _, unknown := range []string{"9999-09-09", "9999-12-31", "9999", "9999-09", "8888-08-08", "0001-01-01", "1900-01-01", "1900", "1899-12-31"} {
		_, ok := birth.ParseDate(unknown)
		require.False(t, ok, unknown)
		_, ok = birth.ParseDateTime(unknown + "T00:00:00Z")
		require.False(t, ok, unknown)
	}
}

func TestParseDateTimeKeepsTheOffsetAndDropsFractions(t *testing.T) {
	for stated, want := range map[string]string{
		"2019":                                "2019",
		"2019-02":                             "2019-02",
		"2019-02-25":                          "2019-02-25",
		"2019-02-25T13:00:00-07:00":           "2019-02-25T13:00:00-07:00",
		"2019-02-25T13:00:00Z":                "2019-02-25T13:00:00Z",
		"2019-02-25T13:00:00+00:00":           "2019-02-25T13:00:00Z",
		"2019-02-25T13:00:00":                 "2019-02-25T13:00:00",
		"2019-02-25T13:00":                    "2019-02-25T13:00:00",
		"2019-02-25T13:00-07:00":              "2019-02-25T13:00:00-07:00",
		"2019-02-25T13:00Z":                   "2019-02-25T13:00:00Z",
		"2019-02-25T13:00:15.123Z":            "2019-02-25T13:00:15Z",
		"2019-02-25T13:00:15.1234567":         "2019-02-25T13:00:15",
		"2019-02-25T13:00:15.123456789-07:00": "2019-02-25T13:00:15-07:00",
		"2016-12-31T23:59:60Z":                "2016-12-31T23:59:59Z",
		"2016-12-31T23:59:60.5":               "2016-12-31T23:59:59",
		"2019-02-25T13:00:00+14:00":           "2019-02-25T13:00:00+14:00",
		"2019-02-25T13:00:00-14:00":           "2019-02-25T13:00:00-14:00",
	} {
		got, ok := birth.ParseDateTime(stated)
		require.True(t, ok, stated)
		require.Equal(t, want, got, stated)
		again, ok := birth.ParseDateTime(got)
		require.True(t, ok, got)
		require.Equal(t, got, again, "read again")
	}
}

// No clock shows these times.
var badTimes = []string{
	"", "T13:00:00Z", "2019-02-25T", "2019-02-25T13", "2019-02-25T13Z", "2019-02-25 13:00:00", "2019-02-25t13:00:00z",
	"2019-02-30T13:00:00Z", "2019-02-25T24:00:00Z", "2019-02-25T25:00:00Z", "2019-02-25T13:60:00Z", "2019-02-25T13:60",
	"2019-02-25T13:00:61Z", "2019-02-25T13:00:00+15:00", "2019-02-25T13:00:00-24:00", "2019-02-25T13:00:00+0700",
	"2019-02-25T13:00:00+07", "2019-02-25T13:00:00 Z", " 2019-02-25T13:00:00Z", "2019-02-25T13:00:00Z ", "2019-02T13:00:00Z",
	"0000-02-25T13:00:00Z", "2019-02-25T13:00:00.Z", "2019-02-25T13:00:00.1234567890123456789Z", "Mon, 25 Feb 2019 13:00:00 GMT",
	"1551099600", "now", "2019-02-25T13:00:00Z; drop table births",
}

func TestInvalidDateTimesAreRefused(t *testing.T) {
	for _, bad := range badTimes {
		_, ok := birth.ParseDateTime(bad)
		require.False(t, ok, "%q", bad)
		_, ok = birth.Instant(bad)
		require.False(t, ok, "%q", bad)
	}
}

func TestAnInstantNeedsAnOffset(t *testing.T) {
	want := time.Date(2019, 2, 25, 20, 0, 0, 0, time.UTC)
	for _, good := range []string{
		"2019-02-25T13:00:00-07:00", "2019-02-25T20:00:00Z", "2019-02-25T20:00Z", "2019-02-26T09:00:00+13:00",
	} {
		got, ok := birth.Instant(good)
		require.True(t, ok, good)
		require.True(t, want.Equal(got), "%s is %s", good, got)
	}
	got, ok := birth.Instant("2019-02-25T20:00:00.5Z")
	require.True(t, ok)
	require.Equal(t, 500*time.Millisecond, got.Sub(want), "a stamp keeps its fraction")
	for _, none := range []string{"2019-02-25T13:00:00", "2019-02-25T13:00", "2019-02-25", "2019-02", "2019"} {
		_, ok := birth.Instant(none)
		require.False(t, ok, none)
	}
}
