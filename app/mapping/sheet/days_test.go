package sheet

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestADateWithATimeOfFourDigitsIsReadAsHospitalsWriteIt(t *testing.T) {
	c := calendar{order: MonthFirst}
	for text, want := range map[string]string{
		"2026-03-02 0418": "2026-03-02T04:18:00", "3/2/2026 1618": "2026-03-02T16:18:00", "2 Mar 2026, 0005": "2026-03-02T00:05:00",
		"Mar 2 2026": "2026-03-02", "Mar 02 2026": "2026-03-02", "2 Mar 2026": "2026-03-02", "March 2, 2026": "2026-03-02",
		"2026-03-02 2418": "", "2026-03-02 0460": "", "2026-03 0418": "", "2026 0418": "", "0418": "", "2026-03-02 418": "",
	} {
		at, _, ok := c.dateTime(text)
		require.Equal(t, want != "", ok, text)
		if ok {
			require.Equal(t, want, at, text)
		}
	}
}

func TestTheDayZeroOfASpreadsheetIsNoDate(t *testing.T) {
	for text, want := range map[string]string{
		"12/30/1899 4:18:00": "4:18:00", "12/30/1899 4:18:00 AM": "4:18:00 AM", "1899-12-30T16:18:00": "16:18:00", "1/0/1900 4:18": "4:18",
		"12/30/1899": "12/30/1899", "12/30/1989 4:18": "12/30/1989 4:18", "112/30/1899 4:18": "112/30/1899 4:18",
	} {
		require.Equal(t, want, TextOf(text))
	}
}
