package sheet

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAMotherNamedLikeALineOfTotalsIsABirth(t *testing.T) {
	const head = "Last name,First name,Date of delivery,Sex,Birth weight (g)\n"
	for _, line := range []string{"Mean,Eve,2026-01-31,F,3400", "Total,Eve,1/31/2026,,", "Mean,,2026-01-31,F,3400", "Median,Eve,2026-01-31,F,3400"} {
		s := surveyed(t, head+"Lee,Ana,2026-01-02,F,3400\n"+line+"\n")
		require.Equal(t, 2, s.Rows, line)
		require.Empty(t, s.Skipped, line)
	}
	for _, line := range []string{"Total,,2026-01-31,,3400", "Total,12 births,2026-01-31,F 5,3400", "Average,,,,3400"} {
		s := surveyed(t, head+"Lee,Ana,2026-01-02,F,3400\n"+line+"\n")
		require.Equal(t, []int{3}, s.Skipped, line)
	}
}

func TestAPaddedCountIsReadUnlessItMayBeSeveralCounts(t *testing.T) {
	for column, want := range map[string]string{
		"prenatal_visit_count": "7", "plurality": "7", "birth_order": "7", "apgar_five_minute": "7", "previous_cesareans": "7",
		"gravida": "", "parity": "", "previous_live_births_living": "", "other_pregnancy_outcomes": "",
	} {
		require.Equal(t, want, saysOf(onlyCell(t, column, "007"), column), column)
	}
}

func TestTwinsOfOneMinuteAreTwoNewbornsIfThePluralitySaysSo(t *testing.T) {
	const head = "chart_number,mother_family_name,birth_datetime,child_sex,birth_weight_g,plurality\n"
	for name, c := range map[string]struct {
		rows   string
		copied bool
	}{
		"two weights":             {"1,Lee,2026-03-02 16:18,F,2400,2\n1,Lee,2026-03-02 16:18,F,2250,2\n", false},
		"stated once":             {"1,Lee,2026-03-02 16:18,F,2400,2\n1,Lee,2026-03-02 16:18,F,2250,\n", false},
		"stated in the other row": {"1,Lee,2026-03-02 16:18,F,2400,\n1,Lee,2026-03-02 16:18,F,2250,2\n", false},
		"a copy":                  {"1,Lee,2026-03-02 16:18,F,2400,2\n1,Lee,2026-03-02 16:18,F,2400,2\n", true},
		"one weight":              {"1,Lee,2026-03-02 16:18,F,2400,2\n1,Lee,2026-03-02 16:18,F,,2\n", true},
		"a single newborn":        {"1,Lee,2026-03-02 16:18,F,2400,1\n1,Lee,2026-03-02 16:18,F,2250,1\n", true},
		"a third row":             {"1,Lee,2026-03-02 16:18,F,2400,2\n1,Lee,2026-03-02 16:18,F,2250,2\n1,Lee,2026-03-02 16:18,F,2275,2\n", true},
	} {
		all := mustRead(t, head+c.rows)
		require.Len(t, all, 1, name)
		require.Equal(t, c.copied, all[0].Problem != nil, name)
	}
}

func TestAVoidRowMaySayWhenOrWhyOrWhoVoidedIt(t *testing.T) {
	for header, cells := range map[string]map[string]bool{
		"Status": {
			"VOID - wrong patient": true, "Voided 3/2/2026": true, "Voided by AB": true, "Deleted by mistake": true, "Entered in error (duplicate)": true,
			"Cancelled 3/2": true, "Voided x2, stool x1": false, "Delivered": false, "Alive": false, "Not voided": false, "Married": false, "Void of complaints": false,
		},
		"deleted_at": {
			"2026-03-02 10:15:00": true, "2026-03-02": true, "3/2/2026": true, "2026-03-02T10:15:00Z": true, "NULL": false, "": false,
			"0000-00-00 00:00:00": false, "1900-01-01": false, "9999-12-31": false,
		},
		"Deleted": {"3/2/26": true, "N": false},
	} {
		for cell, void := range cells {
			var one *Course
			l := &Layout{Delimiter: ';', Row: 1, Columns: []Column{{Header: "Last", Name: "mother_family_name"}, {Header: "Born", Name: "birth_date"}, {Header: header}}}
			require.NoError(t, Format{Encoding: UTF8, Layout: l}.Read(strings.NewReader("Last;Born;"+header+"\nLee;2026-03-02;"+cell+"\n"),
				func(Header) error { return nil }, func(c *Course) error { one = c; return nil }))
			require.Equal(t, void, one.Problem != nil, "%s %s", header, cell)
		}
	}
}

func TestAReasonAfterItsSourceIsAReason(t *testing.T) {
	const column = "transfer_reason"
	require.Empty(t, onlyCell(t, column, "Per EHR note: slow progress").Wrong)
	require.Len(t, onlyCell(t, column, "See chart for details").Wrong, 1)
	require.Len(t, onlyCell(t, "facility_name", "See chart: 12").Wrong, 1)
}

func TestADashForTheScoreAtTenMinutesLeavesTheOtherScores(t *testing.T) {
	for _, cell := range []string{"8/9/-", "8 / 9 / --", "8/9/–"} {
		texts, wrong := stated(t, apgarScores, "", cell, "apgar_one_minute", "apgar_five_minute", "apgar_ten_minute")
		require.Zero(t, wrong, cell)
		require.Equal(t, []string{"8", "9", ""}, texts, cell)
	}
}
