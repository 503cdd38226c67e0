package sheet

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// onlyCell reads the one birth of a file with one further column.
func onlyCell(t *testing.T, column, cell string) *Course {
	t.Helper()
	all := mustRead(t, "x;mother_education;birth_date;"+column+"\nx;master;2026-03-02;\""+strings.ReplaceAll(cell, `"`, `""`)+"\"\n")
	require.Len(t, all, 1)
	return all[0]
}

// saysOf returns what a course states for a field, or "".
func saysOf(c *Course, field string) string {
	d := c.Readable()
	for _, values := range []birth.Values{d.Mother, d.Care, d.Children[0]} {
		if v, ok := values.Get(field); ok {
			return Written(birth.Must(field), v)
		}
	}
	return ""
}

func TestWhatASpreadsheetWritesInPlaceOfAValueIsAnErrorInEveryColumn(t *testing.T) {
	for _, column := range []string{
		"mother_family_name", "attendant_name", "facility_name", "mother_postal_code", "birth_weight_g", "last_menstrual_period",
		"doula_present", "delivery_method", "consent_granted", "chart_number", "transfer_reason",
	} {
		for _, cell := range []string{"#REF!", "#N/A", "#NAME?", "#VALUE!", "Lee #REF!", "########", "=B2&C2", "=TODAY()", "=7*453.6"} {
			c := onlyCell(t, column, cell)
			require.Len(t, c.Wrong, 1, "%s %s", column, cell)
			require.Equal(t, column, c.Wrong[0].Column)
			require.NotContains(t, c.Wrong[0].Text, "Write one of", cell)
			require.Empty(t, c.Chart)
		}
	}
	require.Equal(t, "=Olive", saysOf(onlyCell(t, "mother_family_name", "=Olive"), "mother_family_name"), "not a formula")
}

func TestATextThatStandsForAnotherTextIsNotAValue(t *testing.T) {
	for _, column := range []string{"mother_family_name", "child_given_names", "attendant_name", "facility_name"} {
		for _, cell := range []string{
			`"`, "same", "Same as above", "ditto", "see notes", "See chart", "TBD", "***", "XXXX", "xxx xxx", "[REDACTED]", "masked", "?",
			"PeÃ±a", "Pe\ufffda", "O&#39;Brien", "Pe&ntilde;a",
		} {
			c := onlyCell(t, column, cell)
			require.Len(t, c.Wrong, 1, "%s %s", column, cell)
			require.NotContains(t, c.Wrong[0].Text, "200 characters", cell)
		}
		for _, cell := range []string{"Peña", "Müller-Ñandú", "AT&T Clinic", "Xu", "Seely", "0012", "Null", "Nan", "Same Day Clinic", "Charter", "Ã"} {
			c := onlyCell(t, column, cell)
			require.Empty(t, c.Wrong, "%s %s", column, cell)
			require.Equal(t, cell, saysOf(c, column))
		}
	}
	for _, cell := range []string{"Y", "n", "yes", "X"} {
		require.Len(t, onlyCell(t, "facility_name", cell).Wrong, 1, cell)
		require.Len(t, onlyCell(t, "attendant_name", cell).Wrong, 1, cell)
	}
	require.Equal(t, "No", saysOf(onlyCell(t, "mother_family_name", "No"), "mother_family_name"), "a name")
}

func TestWordsForNoValueLeaveACellBlank(t *testing.T) {
	for _, column := range []string{"mother_family_name", "attendant_name", "facility_name", "birth_weight_g", "last_menstrual_period", "chart_number", "mother_postal_code"} {
		for _, cell := range []string{"N/A", "n/a", "unknown", "unk", "-", "--", "NULL", "null", "NaN", `\N`, "Not recorded", "(blank)"} {
			c := onlyCell(t, column, cell)
			require.Empty(t, c.Wrong, "%s %s", column, cell)
			require.Empty(t, c.Chart, cell)
			if column != chartColumn {
				require.Empty(t, saysOf(c, column), "%s %s", column, cell)
			}
		}
	}
	for target, fields := range map[string]string{
		birthTime: "birth_datetime", gestation: "gestational_age_weeks", apgarScores: "apgar_one_minute", motherName: "mother_given_names",
		attendant: "attendant_name",
	} {
		texts, wrong := stated(t, target, "", "unknown", fields)
		require.Zero(t, wrong, target)
		require.Equal(t, []string{""}, texts, target)
	}
	for _, column := range []string{"birth_weight_g", "prenatal_visit_count", "blood_loss_ml"} {
		require.Len(t, onlyCell(t, column, "none").Wrong, 1, "none may be 0")
	}
	require.Empty(t, onlyCell(t, "consent_granted", "unk").Wrong)
	require.False(t, onlyCell(t, "consent_granted", "unk").Readable().Consent.Recorded)
}

func TestANumberThatASpreadsheetHasChangedIsNoChartNumberAndNoZIPCode(t *testing.T) {
	for cell, fine := range map[string]bool{
		"1.23E+05": false, "1E+11": false, "12345.0": false, "?": false, "pending": false, "see chart": false,
		"12E5": true, "0012": true, "A-1.0": true, "17.2": true, "2026-17": true, "E+1": true,
	} {
		c := onlyCell(t, chartColumn, cell)
		require.Equal(t, fine, len(c.Wrong) == 0, cell)
		require.Equal(t, fine, c.Chart == cell, cell)
	}
	for cell, fine := range map[string]bool{
		"2139": false, "501": false, "9.72E+04": false, "97201.0": false, "02139": true, "97201-1234": true, "972011234": true, "K1A 0B1": true,
		"see notes": false, "same": false, "XXXXX": false, "[REDACTED]": false,
	} {
		require.Equal(t, fine, len(onlyCell(t, "mother_postal_code", cell).Wrong) == 0, cell)
	}
}

func TestDaysAfterUnknownWeeksAreNoGestation(t *testing.T) {
	for _, cell := range []string{"99w0d", "99+0", "99w 3d"} {
		texts, wrong := stated(t, gestation, "", cell, "gestational_age_weeks", "gestational_age_days")
		require.Zero(t, wrong, cell)
		require.Equal(t, []string{"", ""}, texts, cell)
	}
}

func TestAScoreThatIsLeftOutDoesNotMoveTheNextScoreToItsMinute(t *testing.T) {
	fields := []string{"apgar_one_minute", "apgar_five_minute", "apgar_ten_minute"}
	for _, cell := range []string{"8//9", "8/-/9", "8,,9", "/8/9", "8/9/", "-/9", "8--9", "8/9/9/9"} {
		texts, wrong := stated(t, apgarScores, "", cell, fields...)
		require.Equal(t, 1, wrong, cell)
		require.NotContains(t, texts, "0", cell)
	}
	for _, cell := range []string{"8/9", "8 / 9", "8,9", "8, 9", "8-9", "8 9"} {
		texts, wrong := stated(t, apgarScores, "", cell, fields...)
		require.Zero(t, wrong, cell)
		require.Equal(t, []string{"8", "9", ""}, texts, cell)
	}
	texts, _ := stated(t, apgarScores, "", "8 - 9 - 10", fields...)
	require.Equal(t, []string{"8", "9", "10"}, texts)
}

func TestAPartOfADayIsNotATimeOfBirth(t *testing.T) {
	for _, cell := range []string{"0.25", ".25", "0,25", "0.33", "0.1791666667"} {
		texts, wrong := stated(t, birthTime, clock24, cell, "birth_datetime")
		require.Equal(t, 1, wrong, cell)
		require.Equal(t, []string{""}, texts, cell)
	}
	texts, _ := stated(t, birthTime, clock24, "16.18", "birth_datetime")
	require.Equal(t, []string{"2026-03-02T16:18:00"}, texts)
}

func TestASuffixOrCredentialsAfterACommaAreNotGivenNames(t *testing.T) {
	for _, cell := range []string{"Leo Smith, Jr.", "Leo Smith, III", "Smith, Sr", "Jane Smith, RN", "Jane Smith, CNM"} {
		texts, wrong := stated(t, childName, givenFirst, cell, "child_family_name", "child_given_names")
		require.Equal(t, 1, wrong, cell)
		require.Equal(t, []string{"", ""}, texts, cell)
	}
	for cell, want := range map[string][]string{
		"Smith, Leo Jr": {"Smith", "Leo Jr"}, "Smith, LM": {"Smith", "LM"}, "De La Cruz, Ana": {"De La Cruz", "Ana"}, "Smith, unknown": {"Smith", ""},
	} {
		texts, wrong := stated(t, childName, givenFirst, cell, "child_family_name", "child_given_names")
		require.Zero(t, wrong, cell)
		require.Equal(t, want, texts, cell)
	}
	for cell, want := range map[string][]string{
		"Jane Rivers CPM, LM": {"Jane Rivers", "CPM, LM"}, "Rivers, Jane CNM": {"Rivers, Jane", "CNM"}, "Jane Rivers, CPM, LM": {"Jane Rivers", "CPM, LM"},
		"Rivers, Jane": {"Rivers, Jane", ""},
	} {
		texts, _ := stated(t, attendant, "", cell, "attendant_name", "attendant_credentials")
		require.Equal(t, want, texts, cell)
	}
}

func TestSeveralCountsInOneNumberAreNotACount(t *testing.T) {
	for _, cell := range []string{"0010", "0011", "011"} { // term, preterm, losses, living
		c := onlyCell(t, "parity", cell)
		require.Len(t, c.Wrong, 1, cell)
		require.Empty(t, saysOf(c, "parity"), cell)
	}
	require.Equal(t, "2", saysOf(onlyCell(t, "parity", "02"), "parity"))
}

func TestNoneNextToAnotherChoiceIsAnError(t *testing.T) {
	require.Len(t, onlyCell(t, "risk_factors", "none; eclampsia").Wrong, 1)
	require.Len(t, onlyCell(t, "newborn_conditions", "nicu; none").Wrong, 1)
}

func TestATimeInUTCDoesNotShowTheDayOfBirth(t *testing.T) {
	for at, wrong := range map[string]int{
		"2026-03-03T02:18:00Z": 1, "2026-03-03 02:18:00+00:00": 1, "2026-03-02T20:18:00-06:00": 0, "2026-03-02 20:18": 0,
	} {
		c := mustRead(t, "mother_family_name,birth_datetime\nLee,"+at+"\n")[0]
		require.Len(t, c.Wrong, wrong, at)
		require.Equal(t, wrong == 0, saysOf(c, "birth_date") != "", at)
	}
	c := mustRead(t, "mother_family_name,birth_datetime,birth_date\nLee,2026-03-03T02:18:00Z,2026-03-02\n")[0]
	require.Empty(t, c.Wrong)
	require.Equal(t, "2026-03-02", saysOf(c, "birth_date"))
}

func TestFeetWithADecimalFractionAreNotReadAndOtherMarksForFeetAndInchesAre(t *testing.T) {
	for cell, want := range map[string]string{
		"5.4 ft": "", "5.4'": "", "5’4”": "64", "5′4″": "64", "5'4''": "64", "5 ft. 4 in.": "64",
	} {
		require.Equal(t, want, saysOf(onlyCell(t, "mother_height_in", cell), "mother_height_in"), cell)
	}
	require.Equal(t, "3402", saysOf(onlyCell(t, "birth_weight_g", "7 lb. 8 oz."), "birth_weight_g"))
	require.Empty(t, saysOf(onlyCell(t, "birth_weight_g", "7 lb.5"), "birth_weight_g"))
}

func TestAGestationalAgeInDaysIsRead(t *testing.T) {
	texts, wrong := stated(t, gestation, "", "276 days", "gestational_age_weeks", "gestational_age_days")
	require.Zero(t, wrong)
	require.Equal(t, []string{"39", "3"}, texts)
	_, wrong = stated(t, gestation, "", "276", "gestational_age_weeks")
	require.Equal(t, 1, wrong)
	s := surveyed(t, "chart_number,mother_family_name,birth_date,GA (days)\n1,Lee,2026-03-02,276\n2,Ode,2026-03-03,280\n")
	require.Empty(t, s.Layout.Columns[3].Name, "these are not the days after the weeks")
}

func TestAnswersAreNotGuessedToBeAFacilityOrAnAttendant(t *testing.T) {
	for _, header := range []string{"Hospital", "Midwife"} {
		s := surveyed(t, "chart_number,mother_family_name,birth_date,"+header+"\n1,Lee,2026-03-02,Y\n2,Ode,2026-03-03,N\n")
		require.Empty(t, s.Layout.Columns[3].Name, header)
	}
}

func TestTwoRowsAboutOneNewbornAreNotTwins(t *testing.T) {
	const head, ordered = "chart_number,mother_family_name,birth_date,birth_datetime,child_sex,birth_weight_g", ",birth_order"
	for name, c := range map[string]struct {
		more, rows string
		copied     bool
	}{
		"a copy":                 {"", "1,Lee,,2026-03-02 16:18,F,3400\n1,Lee,,2026-03-02 16:18,F,3400\n", true},
		"a copy without a time":  {"", "1,Lee,2026-03-02,,F,3400\n1,lee,2026-03-02,,F,3400\n", true},
		"a corrected weight":     {"", "1,Lee,,2026-03-02 16:18,F,3400\n1,Lee,,2026-03-02 16:18,F,3450\n", true},
		"one order for both":     {ordered, "1,Lee,,2026-03-02 16:18,F,3400,1\n1,Lee,,2026-03-02 16:18,F,3400,1\n", true},
		"twins with their order": {ordered, "1,Lee,,2026-03-02 16:18,F,2400,1\n1,Lee,,2026-03-02 16:18,F,2400,2\n", false},
		"twins in an export":     {ordered, "1,Lee,,2026-03-02 16:18,F,2400,\n1,Lee,,2026-03-02 16:18,F,2400,\n", false},
		"a boy and a girl":       {"", "1,Lee,,2026-03-02 16:18,F,2400\n1,Lee,,2026-03-02 16:18,M,2400\n", false},
		"two times":              {"", "1,Lee,,2026-03-02 16:18,F,2400\n1,Lee,,2026-03-02 16:25,F,2400\n", false},
		"two weights":            {"", "1,Lee,2026-03-02,,F,2400\n1,Lee,2026-03-02,,F,2450\n", false},
		"nothing more":           {"", "1,Lee,2026-03-02,,F,\n1,Lee,2026-03-02,,F,\n", false},
	} {
		all := mustRead(t, head+c.more+"\n"+c.rows)
		require.Len(t, all, 1, name)
		require.Equal(t, c.copied, all[0].Problem != nil, name)
		if c.copied {
			require.Contains(t, all[0].Wrong[0].Text, "seems to be about the same newborn", name)
			require.Equal(t, 3, all[0].Wrong[len(all[0].Wrong)-1].Row, name)
		}
	}
}

func TestARowThatAnotherColumnCallsVoidIsAnError(t *testing.T) {
	for header, cells := range map[string]map[string]bool{
		"Status":        {"VOIDED": true, "Entered in error": true, "*deleted*": true, "Active": false, "Complete": false, "": false},
		"Record_Status": {"void": true, "ok": false},
		"Deleted?":      {"Y": true, "x": true, "1": true, "N": false, "0": false, "": false},
		"is_deleted":    {"TRUE": true, "FALSE": false},
		"Voided":        {"Y": false, "x3": false}, // the newborn has
		"Notes":         {"voided x2": false, "void": false},
	} {
		for cell, void := range cells {
			var one *Course
			l := &Layout{Delimiter: ',', Row: 1, Columns: []Column{{Header: "Last", Name: "mother_family_name"}, {Header: "Born", Name: "birth_date"}, {Header: header}}}
			require.NoError(t, Format{Encoding: UTF8, Layout: l}.Read(strings.NewReader("Last,Born,"+header+"\nLee,2026-03-02,"+cell+"\n"),
				func(Header) error { return nil }, func(c *Course) error { one = c; return nil }))
			require.Equal(t, void, one.Problem != nil, "%s %s", header, cell)
			if void {
				require.Contains(t, one.Wrong[0].Text, "Column C says that this row is void")
			}
		}
	}
}

func TestTotalsHeadersAndFootersWithADateAreNotBirths(t *testing.T) {
	const head = "Last name,First name,Date of delivery,Sex,Birth weight (g)\n"
	for _, line := range []string{
		"Total,,2026-01-31,,3400", "Grand total:,,1/31/2026,,", "LAST NAME,FIRST NAME ,DATE OF DELIVERY,SEX,BIRTH WEIGHT (G)", "January,,,,",
		"Report run on 3/31/2026 4:15 PM,,,,",
	} {
		s := surveyed(t, head+"Lee,Ana,2026-01-02,F,3400\n"+line+"\n")
		require.Equal(t, []int{3}, s.Skipped, line)
		require.Equal(t, 1, s.Rows, line)
	}
	for _, line := range []string{"Totala,Eve,2026-01-31,F,3400", "March,Eve,2026-01-31,F,3400", ",,2026-01-31 4:15 PM,,"} {
		s := surveyed(t, head+"Lee,Ana,2026-01-02,F,3400\n"+line+"\n")
		require.Equal(t, 2, s.Rows, line)
	}
}

func TestCharactersWithoutWidthAroundACellAreNotPartOfIt(t *testing.T) {
	c := mustRead(t, "chart_number,mother_family_name,birth_date\n\u200b17\ufeff,Lee\u200b,2026-03-02\n")[0]
	require.Equal(t, "17", c.Chart)
	require.Equal(t, "Lee", saysOf(c, "mother_family_name"))
}

func TestManyBlankRowsAreNamedAsTheReasonThatAFileIsTooLong(t *testing.T) {
	_, _, err := readFile([]byte("chart_number,mother_family_name\n1,Lee\n" + strings.Repeat(",\n", MaxRows+1)))
	require.ErrorContains(t, err, "Blank rows count, too")
}

func TestANumberWithACommaSaysThatTheCommaIsInTheWay(t *testing.T) {
	for _, cell := range []string{"3,430", "3,430 g"} {
		c := mustRead(t, fmt.Sprintf("mother_family_name,birth_date,birth_weight_g\nLee,2026-03-02,%q\n", cell))[0]
		require.Contains(t, c.Wrong[0].Text, "Leave out the comma", cell)
	}
}
