package sheet

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

func TestEachWrongCellIsNamedWithoutItsContent(t *testing.T) {
	for name, c := range map[string]struct{ column, cell, says string }{
		"a word for a number":    {"birth_weight_g", "secret heavy", "Write a whole number from 100 to 9998 in grams, or in pounds and ounces, such as 7 lb 2 oz"},
		"a unit":                 {"birth_weight_g", "3400 ml", "in grams"},
		"out of range":           {"birth_weight_g", "12345", "from 100 to 9998"},
		"an ambiguous comma":     {"birth_weight_g", `"3,400"`, "Write a whole number"},
		"a comma and a unit":     {"birth_weight_g", `"3,400 g"`, "Write a whole number"},
		"a decimal comma":        {"mother_height_in", `"66,5"`, "with a decimal point"},
		"a broken number":        {"gestational_age_weeks", "39.5", "Write a whole number"},
		"a year of two digits":   {"birth_date", "3/2/26", "four digits"},
		"a day that is none":     {"birth_date", "2026-02-30", "2026-03-02"},
		"an Excel serial number": {"birth_date", "46083", "A spreadsheet stores dates as numbers"},
		"an hour that is none":   {"birth_datetime", "2026-03-02 25:00", "4:18 AM"},
		"the end of a day":       {"birth_datetime", "2026-03-02 24:00", "00:00 of the next day"},
		"the end of a day, 3/2":  {"birth_datetime", "3/2/2026 24:00", "00:00 of the next day"},
		"half past AM":           {"birth_datetime", "3/2/2026 13:00 AM", "4:18 AM"},
		"an unknown value":       {"delivery_method", "secretmethod", "data dictionary"},
		"one unknown of two":     {"risk_factors", "eclampsia; secret", "separated by semicolons"},
		"perhaps":                {"mother_married", "perhaps", "yes or no"},
		"a consent of some kind": {"consent_granted", "maybe", "yes or no"},
		"a long name":            {"mother_family_name", strings.Repeat("secret ", 40), "200 characters"},
		"a chart of two lines":   {"chart_number", "\"12\n34\"", "one line"},
		"an own field's number":  {"x_visits", "secret", "number in digits"},
	} {
		t.Run(name, func(t *testing.T) {
			all := mustRead(t, "mother_given_names,"+c.column+"\nZora,"+c.cell+"\n",
				birth.CustomField{Key: "visits", Kind: birth.CustomNumber})
			require.Len(t, all, 1)
			require.Equal(t, UnreadableRow, all[0].Problem)
			require.Nil(t, all[0].Draft)
			require.Len(t, all[0].Wrong, 1)
			wrong := all[0].Wrong[0]
			require.Equal(t, 2, wrong.Row)
			require.Contains(t, "birth_datetime,birth_date,"+c.column, wrong.Column)
			require.NotEmpty(t, wrong.Column)
			require.Contains(t, wrong.Text, c.says)
			require.NotContains(t, wrong.Text, "secret")
			require.NotContains(t, wrong.Text, c.cell)
		})
	}
}

func TestNumbersAreReadAsPeopleAndTheirSpreadsheetsWriteThem(t *testing.T) {
	for name, c := range map[string]struct {
		delimiter, column, cell string
		want                    float64
	}{
		"pounds and ounces":                   {",", "birth_weight_g", "7 lb 2 oz", 3232},
		"pounds, and ounces without a unit":   {",", "birth_weight_g", "7#2", 3232},
		"the unit behind":                     {",", "birth_weight_g", "3400 g", 3400},
		"feet and inches":                     {",", "mother_height_in", "5 ft 6 in", 66},
		"a decimal comma between tabs":        {"\t", "mother_height_in", "66,5", 66.5},
		"a decimal comma between semicolons":  {";", "mother_height_in", "66,5", 66.5},
		"a decimal comma and a unit":          {";", "birth_weight_g", "3,45 kg", 3450},
		"an amount of thousands":              {";", "birth_weight_g", "3,450 g", 0},
		"a decimal comma between commas":      {",", "birth_weight_g", `"3,45 kg"`, 0},
		"a thousand between tabs is no one":   {"\t", "blood_loss_ml", "1,000", 0},
		"a thousand between semicolons is no": {";", "blood_loss_ml", "1,000", 0},
	} {
		t.Run(name, func(t *testing.T) {
			file := strings.Join([]string{"mother_given_names", c.column}, c.delimiter) + "\nZora" + c.delimiter + c.cell + "\n"
			course := mustRead(t, file)[0]
			if c.want == 0 {
				require.Len(t, course.Wrong, 1)
				return
			}
			require.Empty(t, course.Wrong)
			value, stated := slices.Concat(course.Draft.Mother, course.Draft.Care, course.Draft.Children[0]).Get(c.column)
			require.True(t, stated)
			require.EqualValues(t, c.want, value.Number)
		})
	}
}

func TestAWrongRowIsAnErrorOfItsCourseOnly(t *testing.T) {
	all := mustRead(t, "chart_number,mother_family_name,birth_weight_g\n"+
		"T,Okonkwo,2500\nT,,x\nS,Lee,3000\nT,Okonkwo,2500\n,Novak,3100\n,Novak,3200\nU,Ode,1\nV,Ode,3000,extra\nW\nX,Ada,\nX,Eve,\n")
	var got []string
	for _, c := range all {
		line := c.Accepted
		for _, w := range c.Wrong {
			line += fmt.Sprintf("; %d %s %.28s", w.Row, w.Column, w.Text)
		}
		got = append(got, line)
	}
	require.Equal(t, []string{
		"Row 2; 3 birth_weight_g Write a whole number from 10",
		"Row 4",
		"Row 5; 5 chart_number This chart number is also in",
		"Row 6", "Row 7",
		"Row 8; 8 birth_weight_g Write a whole number from 10",
		"Row 9; 9  The row has more cells than ",
		"Row 10; 10  The row says nothing about a",
		"Row 11; 12 mother_family_name It contradicts the row above",
	}, got)
}

func TestADateThatCouldBeEitherDayIsAnErrorUntilThatIsProvenOrAnswered(t *testing.T) {
	const head = "birth_date,mother_birth_date,birth_datetime,x_visit\n"
	for name, c := range map[string]struct {
		rows  string
		order DateOrder
		asked bool
		wrong string
	}{
		"month first":             {"05/04/2026,,,\n4/13/2026,,,\n", MonthFirst, false, ""},
		"day first further on":    {"05/04/2026,,,\n13/04/2026,,,\n", DayFirst, false, ""},
		"in another column":       {"05/04/2026,,,\n,25/12/1990,,\n", "", true, "2 birth_date not certain;"},
		"with a time":             {",,5/4/2026 4:18,\n,,13/4/2026 16:18,\n", DayFirst, false, ""},
		"in an own field":         {",,,5/4/2026\n,,,13/4/2026\n", DayFirst, false, ""},
		"what is certain":         {"2026-04-05,5/5/1990,,\n4/13/2026,12/25/1990,,\n", MonthFirst, false, ""},
		"one order in each":       {"5/4/2026,,,\n4/13/2026,25/12/1990,,\n", "", true, "2 birth_date not certain;"},
		"no proof at all":         {"32/13/2026,,,\n5/4/2026,,,\n", "", true, "2 birth_date Write;3 birth_date not certain;"},
		"with dots, hyphens":      {"5.4.2026,,,\n5-4-2026,,,\n", "", true, "2 birth_date not certain;3 birth_date not certain;"},
		"with the name of months": {"5 Apr 2026,\"Dec 25, 1990\",,\n13-Apr-2026,1990/5/25,,\n", "", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			format := Format{Encoding: UTF8, Custom: []birth.CustomField{{Key: "visit", Kind: birth.CustomDate}}}
			s, err := format.Survey(strings.NewReader(head + c.rows))
			require.NoError(t, err)
			require.Equal(t, c.order, s.Layout.Dates)
			require.Equal(t, c.asked, format.Questions(s, &s.Layout).Dates)
			format.Layout = &s.Layout
			wrong := ""
			require.NoError(t, format.Read(strings.NewReader(head+c.rows), func(Header) error { return nil }, func(course *Course) error {
				for _, w := range course.Wrong {
					wrong += fmt.Sprintf("%d %s %s;", w.Row, w.Column, map[bool]string{true: "not certain", false: "Write"}[w.Text == eitherDayText])
				}
				return nil
			}))
			require.Equal(t, c.wrong, wrong)
		})
	}
}

func TestThirteenRowsWithOneChartNumberAreRefused(t *testing.T) {
	all := mustRead(t, "chart_number,birth_date\n"+strings.Repeat("1,2026-03-02\n", 15))
	require.Len(t, all, 2)
	for _, c := range all {
		require.NotEmpty(t, c.Wrong)
	}
	require.Len(t, all[0].Rows, 13)
}

func TestAFileThatIsNotCSVIsRefusedWithItsKindNamed(t *testing.T) {
	for name, c := range map[string]struct{ file, says string }{
		"nothing":                 {"", "The file is empty"},
		"blank lines":             {"\n\n\n", "The file is empty"},
		"a workbook":              {"PK\x03\x04\x14\x00\x06\x00rest of the file", "an Excel workbook"},
		"an old workbook":         {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest of the file", "an old Excel workbook"},
		"a PDF":                   {"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "a PDF document"},
		"a picture":               {"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "a picture"},
		"a web page":              {"<!DOCTYPE html><html></html>", "a web page"},
		"a Bundle":                {`{"resourceType":"Bundle"}`, "a JSON file"},
		"a NUL":                   {"chart_number,birth_date\nA,2026\x00-03-02\n", "NUL characters"},
		"UTF-16 without a mark":   {"c\x00h\x00a\x00r\x00t\x00", "NUL characters"},
		"an unknown encoding":     {"chart_number,birth_date\n\x81\xff,\n", "encoding is not certain"},
		"no header row":           {"A-1,Okonkwo,2026-03-02\n", "Name one of them as the template does"},
		"a header only":           {"chart_number,birth_date\n,\n", "a header and no rows"},
		"two headers of one name": {"chart_number,Birth weight,birth_weight_g\nA,1,2\n", "Columns B and C both have the header of birth_weight_g"},
		"ten thousand columns":    {"chart_number" + strings.Repeat(",x", 9999) + "\nA\n", "more than 1000 columns"},
		"a quote left open":       {"chart_number,birth_date\nA,2026\n\"B,2026\nC,2026\n", "Row 3: A quotation mark opened on line 3"},
		"a quote in the header":   {"chart_number,\"birth_date\nA,2026\n", "Row 1: A quotation mark opened on line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := readFile([]byte(c.file))
			problem := (*Problem)(nil)
			require.ErrorAs(t, err, &problem)
			require.Contains(t, err.Error(), c.says)
			require.NotContains(t, err.Error(), "Okonkwo")
		})
	}
}

func TestNoControlCharacterIsWrittenIntoAFile(t *testing.T) {
	var file strings.Builder
	require.NoError(t, NewWriter(&file).Row("a\x00b", "\x00=1+1", "two\nlines", "\x1b"))
	require.Equal(t, "\ufeffab,'=1+1,\"two\nlines\",\r\n", file.String())
}
