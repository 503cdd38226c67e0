package mapping

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"

	"birthregistry/app/birth"
)

// sniffed tells the encoding of a file that comes in pieces of any size.
func sniffed(file []byte, piece int) (Encoding, error) {
	var s Sniffer
	for at := 0; at < len(file); at += piece {
		if _, err := s.Write(file[at:min(at+piece, len(file))]); err != nil {
			return "", err
		}
	}
	return s.Encoding()
}

// readCSV reads a whole file as an import does.
func readCSV(file []byte, custom ...birth.CustomField) (header CSVHeader, all []*CSVCourse, err error) {
	encoding, err := sniffed(file, 7)
	if err != nil {
		return header, nil, err
	}
	err = CSV{Encoding: encoding, Custom: custom}.Read(bytes.NewReader(file), func(h CSVHeader) error {
		header = h
		return nil
	}, func(c *CSVCourse) error {
		all = append(all, c)
		return nil
	})
	return header, all, err
}

func mustReadCSV(t *testing.T, file string, custom ...birth.CustomField) []*CSVCourse {
	t.Helper()
	_, all, err := readCSV([]byte(file), custom...)
	require.NoError(t, err)
	return all
}

// told writes out what a course says, masked, or what is wrong with it.
func told(c *CSVCourse) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s chart=%q\n", c.Accepted, c.Chart)
	for _, w := range c.Wrong {
		fmt.Fprintf(&b, "  row %d %s: %s\n", w.Row, w.Column, w.Text)
	}
	if c.Draft == nil {
		return b.String()
	}
	d := birth.Mask(*c.Draft).Draft()
	for _, group := range append([]birth.Values{d.Mother, d.Care}, d.Children...) {
		b.WriteString("  --\n")
		for _, s := range group {
			fmt.Fprintf(&b, "  %s=%s %s\n", s.Field.Name, s.Value.JSON(s.Field.Kind), s.Value.Source)
		}
	}
	for _, key := range []string{"doula", "visits"} {
		if text, said := c.Custom[key]; said {
			fmt.Fprintf(&b, "  x_%s=%s\n", key, text)
		}
	}
	if d.Consent != (birth.Consent{}) {
		fmt.Fprintf(&b, "  consent %v %s\n", d.Consent.Granted, d.Consent.DateTime)
	}
	return b.String()
}

func said16(text string, order func([]byte, uint16) []byte) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = order(b, unit)
	}
	return b
}

// The same births, written in every way that spreadsheets write them.
const births = "chart_number,Mother's family name,mother_given_names,birth_date,birth_weight_g,child_sex,risk_factors,attendant_name\n" +
	"A-1,Muñoz,Zoë,2026-03-02,3400,F,eclampsia;Gestational diabetes,\"Lindqvist, Carla\"\n" +
	"A-2,O’Brien,Änne,3/4/2026,2980,male,,\n"

func TestEveryWayInWhichSpreadsheetsWriteIsReadTheSame(t *testing.T) {
	swap := func(from, to string) string { return strings.ReplaceAll(births, from, to) }
	semicolons := strings.NewReplacer("eclampsia;Gestational diabetes", `"eclampsia;Gestational diabetes"`, ",", ";", `"Lindqvist, Carla"`, `"Lindqvist, Carla"`)
	western, err := charmap.Windows1252.NewEncoder().String(births)
	require.NoError(t, err)
	tabs := strings.NewReplacer(`"Lindqvist, Carla"`, "Lindqvist, Carla", ",", "\t").Replace(births)
	want := mustReadCSV(t, births)
	require.Len(t, want, 2)
	for name, file := range map[string][]byte{
		"UTF-8":                        []byte(births),
		"UTF-8 with a byte order mark": []byte("\ufeff" + births),
		"UTF-16 little endian": said16(births, func(b []byte, u uint16) []byte {
			return append(b, byte(u), byte(u>>8))
		}),
		"UTF-16 big endian": said16(births, func(b []byte, u uint16) []byte {
			return append(b, byte(u>>8), byte(u))
		}),
		"Windows-1252":            []byte(western),
		"CRLF":                    []byte(swap("\n", "\r\n")),
		"CR":                      []byte(swap("\n", "\r")),
		"no line end at the end":  []byte(strings.TrimSuffix(births, "\n")),
		"semicolons":              []byte(semicolons.Replace(births)),
		"tabs":                    []byte(strings.ReplaceAll(tabs, "Lindqvist\t Carla", "Lindqvist, Carla")),
		"sep=, before it":         []byte("sep=,\n" + births),
		"sep=; before it":         []byte("sep=;\r\n" + semicolons.Replace(births)),
		"empty columns behind":    []byte(swap("\n", ",,,\n")),
		"empty rows behind":       []byte(births + ",,,,,,,\n\n ,\n"),
		"everything in quotes":    []byte(quoted(births)),
		"text kept from formulas": []byte(strings.Replace(swap("A-1", `"=""A-1"""`), "3400", "'3400", 1)),
		"names in capitals":       []byte(strings.Replace(births, "chart_number", "Chart Number", 1)),
	} {
		t.Run(name, func(t *testing.T) {
			_, got, err := readCSV(file)
			require.NoError(t, err)
			require.Len(t, got, len(want))
			for i := range want {
				require.Equal(t, told(want[i]), told(got[i]))
			}
		})
	}
}

// quoted puts quotation marks around every cell.
func quoted(file string) string {
	var b strings.Builder
	for line := range strings.Lines(file) {
		line = strings.Replace(strings.TrimSpace(line), `"Lindqvist, Carla"`, "Lindqvist# Carla", 1)
		b.WriteString(`"` + strings.ReplaceAll(strings.ReplaceAll(line, ",", `","`), "#", ",") + `"` + "\n")
	}
	return b.String()
}

func TestGoldenCSVFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.csv")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			body, err := os.ReadFile(file)
			require.NoError(t, err)
			custom := []birth.CustomField{
				{Key: "doula", Label: "Doula's name", Kind: birth.CustomText},
				{Key: "visits", Label: "Visits", Kind: birth.CustomNumber},
			}
			header, all, err := readCSV(body, custom...)
			var got strings.Builder
			fmt.Fprintf(&got, "delimiter %q, %d known, ignored %v\n", header.Delimiter, len(header.Known), header.Ignored)
			for _, c := range all {
				got.WriteString(told(c))
			}
			if err != nil {
				fmt.Fprintf(&got, "file: %v\n", err)
			}
			golden := strings.TrimSuffix(file, ".csv") + ".read.txt"
			if os.Getenv("UPDATE_GOLDEN") != "" {
				require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got.String())
		})
	}
}

func TestTwinsAreRowsThatFollowEachOther(t *testing.T) {
	all := mustReadCSV(t, "chart_number,mother_family_name,birth_datetime,birth_order\n"+
		"T,Okonkwo,2026-03-02 04:30,2\nT,,2026-03-02 04:18,1\nS,Lee,2026-03-05,\n")
	require.Len(t, all, 2)
	d := all[0].Draft
	require.Equal(t, "2026-03-02T04:18:00", d.Children[0].Text("birth_datetime"), "by order of birth")
	require.Len(t, d.Children, 2)
	plurality, _ := d.Care.Get("plurality")
	require.EqualValues(t, 2, plurality.Number)
	require.Equal(t, "Row 2", all[0].Accepted)
	require.Equal(t, "Row 4", all[1].Accepted)
}

func TestEachWrongCellIsNamedWithoutItsContent(t *testing.T) {
	for name, c := range map[string]struct{ column, cell, says string }{
		"a word for a number":      {"birth_weight_g", "secret heavy", "Write a whole number from 100 to 9999 in g"},
		"a unit":                   {"birth_weight_g", "3400 g", "without the unit"},
		"out of range":             {"birth_weight_g", "99999", "from 100 to 9999"},
		"an ambiguous comma":       {"birth_weight_g", `"3,400"`, "Write a whole number"},
		"a broken number":          {"gestational_age_weeks", "39.5", "Write a whole number"},
		"a year of two digits":     {"birth_date", "3/2/26", "four digits"},
		"a day that is none":       {"birth_date", "2026-02-30", "2026-03-02"},
		"an Excel serial number":   {"birth_date", "46083", "2026-03-02"},
		"an hour that is none":     {"birth_datetime", "2026-03-02 25:00", "4:18 AM"},
		"half past AM":             {"birth_datetime", "3/2/2026 13:00 AM", "4:18 AM"},
		"an unknown value":         {"delivery_method", "secretmethod", "data dictionary"},
		"one unknown of two":       {"risk_factors", "eclampsia; secret", "; between them"},
		"perhaps":                  {"mother_married", "perhaps", "yes or no"},
		"a consent of some kind":   {"consent_granted", "maybe", "yes or no"},
		"a long name":              {"mother_family_name", strings.Repeat("secret ", 40), "200 characters"},
		"a chart of two lines":     {"chart_number", "\"12\n34\"", "one line"},
		"an own field's number":    {"x_visits", "secret", "number in digits"},
		"another day than that of": {"birth_datetime,birth_date", "2026-03-02 04:18,2026-03-03", "not the day"},
	} {
		t.Run(name, func(t *testing.T) {
			all := mustReadCSV(t, "mother_given_names,"+c.column+"\nZora,"+c.cell+"\n",
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

func TestAWrongRowIsAnErrorOfItsWholeCourseAndOfNoOther(t *testing.T) {
	all := mustReadCSV(t, "chart_number,mother_family_name,birth_weight_g\n"+
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
		"Row 5; 5 chart_number This chart number stands in ",
		"Row 6", "Row 7",
		"Row 8; 8 birth_weight_g Write a whole number from 10",
		"Row 9; 9  The row has more cells than ",
		"Row 10; 10  The row says nothing about a",
		"Row 11; 12 mother_family_name It contradicts the row above",
	}, got)
}

func TestThirteenRowsOfOneChartNumberAreNoBirth(t *testing.T) {
	all := mustReadCSV(t, "chart_number,birth_date\n"+strings.Repeat("1,2026-03-02\n", 15))
	require.Len(t, all, 2)
	for _, c := range all {
		require.NotEmpty(t, c.Wrong)
	}
	require.Len(t, all[0].Rows, 13)
}

func TestWhatIsNoCSVFileIsSaidByName(t *testing.T) {
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
		"an unknown encoding":     {"chart_number,birth_date\n\x81\xff,\n", "encoding that is not known"},
		"no header row":           {"A-1,Okonkwo,2026-03-02\n", "Use the template"},
		"a header only":           {"chart_number,birth_date\n,\n", "a header and no rows"},
		"two headers of one name": {"chart_number,Birth weight,birth_weight_g\nA,1,2\n", "Columns B and C both have the header of birth_weight_g"},
		"ten thousand columns":    {"chart_number" + strings.Repeat(",x", 9999) + "\nA\n", "more than 1000 columns"},
		"a quote left open":       {"chart_number,birth_date\nA,2026\n\"B,2026\nC,2026\n", "Row 3: A quotation mark opened on line 3"},
		"a quote in the header":   {"chart_number,\"birth_date\nA,2026\n", "Row 1: A quotation mark opened on line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := readCSV([]byte(c.file))
			problem := (*CSVProblem)(nil)
			require.ErrorAs(t, err, &problem)
			require.Contains(t, err.Error(), c.says)
			require.NotContains(t, err.Error(), "Okonkwo")
		})
	}
}

// endlessly repeats a text and counts what was read.
type endlessly struct {
	text string
	read int
}

func (e *endlessly) Read(p []byte) (int, error) {
	n := copy(p, strings.Repeat(e.text, len(p)/len(e.text)+1))
	e.read += n
	return n, nil
}

func TestARowWithoutAnEndIsNotReadToItsEnd(t *testing.T) {
	for name, begins := range map[string]string{
		"a cell": "chart_number,birth_date\nA,", "a quoted cell": "chart_number,birth_date\nA,\"",
		"many cells": "chart_number,birth_date\n", "a header": "chart_number,\"birth_date",
	} {
		t.Run(name, func(t *testing.T) {
			body := &endlessly{text: "xxxxxxxxxx"}
			if name == "many cells" {
				body.text = "x,"
			}
			err := CSV{Encoding: UTF8}.Read(io.MultiReader(strings.NewReader(begins), io.LimitReader(body, 100<<20)),
				func(CSVHeader) error { return nil }, func(*CSVCourse) error { return nil })
			problem := (*CSVProblem)(nil)
			require.ErrorAs(t, err, &problem)
			require.Less(t, body.read, 2<<20)
		})
	}
}

func TestMoreRowsThanTheLimitAreRefused(t *testing.T) {
	rows := io.LimitReader(&endlessly{text: "A\n"}, 2*MaxCSVRows+2)
	err := CSV{Encoding: UTF8}.Read(io.MultiReader(strings.NewReader("birth_date\n"), rows),
		func(CSVHeader) error { return nil }, func(*CSVCourse) error { return nil })
	require.ErrorContains(t, err, "more than 100000 rows")
}

func TestTheFirstErrorOfTheReceiverStopsTheReading(t *testing.T) {
	enough := errors.New("enough")
	calls := 0
	err := CSV{Encoding: UTF8}.Read(strings.NewReader(births), func(CSVHeader) error { return nil }, func(*CSVCourse) error {
		calls++
		return enough
	})
	require.ErrorIs(t, err, enough)
	require.Equal(t, 1, calls)
}

func TestNoTwoColumnsAreWrittenTheSameWay(t *testing.T) {
	index := CSV{}.index()
	for _, column := range (CSV{}).columns() {
		require.Equal(t, column.name, index[plain(column.name)].name)
		require.Equal(t, column.name, index[plain(column.label)].name, "the label of %s", column.name)
		if column.field != nil {
			for _, o := range column.field.Options {
				code, ok := csvOption(column.field, o.Label)
				require.True(t, ok)
				require.Equal(t, o.Code, code, "%s: the label of %s", column.name, o.Code)
			}
		}
	}
}

func TestTheTemplateIsReadBackAndTheDictionaryKnowsEveryColumn(t *testing.T) {
	c := CSV{Custom: []birth.CustomField{{Key: "visits", Kind: birth.CustomNumber, Label: "Visits"}, {Key: "gone", Retired: true}}}
	var template, dictionary bytes.Buffer
	require.NoError(t, c.Template(&template))
	require.NoError(t, c.Dictionary(&dictionary))
	header, _, err := readCSV(append(template.Bytes(), "A\r\n"...), c.Custom...)
	require.NoError(t, err)
	require.Empty(t, header.Ignored)
	require.Len(t, header.Known, len(c.columns()))
	for _, name := range header.Known {
		require.Contains(t, dictionary.String(), "\n"+name+",")
	}
	for _, f := range birth.Spine {
		if !f.Derived {
			require.Contains(t, header.Known, f.Name)
		}
	}
	require.NotContains(t, header.Known, "x_gone")
}

func TestWhatIsWrittenRunsNowhereAndReadsBack(t *testing.T) {
	for _, cell := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "plain", "with, comma", `with "quotes"`, "two\nlines", "0012"} {
		var file bytes.Buffer
		w := NewCSVWriter(&file)
		require.NoError(t, w.Row("mother_family_name", "x"))
		require.NoError(t, w.Row(cell, "x"))
		require.NotRegexp(t, `\n"?[=+@-]`, file.String())
		all := mustReadCSV(t, file.String())
		require.Equal(t, strings.Join(strings.Fields(cell), " "), birth.Mask(*all[0].Draft).Draft().Mother.Text("mother_family_name"))
	}
}

func TestARecordOnFileIsAmendedByWhatTheFileStates(t *testing.T) {
	on := birth.Draft{IGVersion: "2.0.0", Consent: birth.Consent{Granted: true}, Transfers: []birth.Transfer{{Type: "neonatal"}}}
	set := func(v *birth.Values, name string, value birth.Value) {
		value.Source = birth.FHIRPush
		v.Set(birth.Must(name), value)
	}
	on.Children = make([]birth.Values, 2)
	set(&on.Mother, "mother_family_name", birth.Value{Text: "Okonkwo"})
	set(&on.Mother, "gravida", birth.Value{Number: 2})
	set(&on.Care, "plurality", birth.Value{Number: 2})
	set(&on.Care, "attendant_name", birth.Value{Text: "Carla"})
	set(&on.Care, "attendant_credentials", birth.Value{Text: "CNM"})
	set(&on.Children[0], "birth_order", birth.Value{Number: 1})
	set(&on.Children[1], "birth_order", birth.Value{Number: 2})
	set(&on.Children[1], "birth_weight_g", birth.Value{Number: 2400})
	on.Providers = []birth.Provider{{Key: "1", Name: "Carla", Attending: true}}

	head := "chart_number,mother_family_name,gravida,birth_order,birth_weight_g,attendant_name\n"
	one := mustReadCSV(t, head+"A,Okonkwo,,,2500,\n")[0]
	_, problem := one.Amend(on)
	require.Equal(t, FewerNewborns, problem)

	both := mustReadCSV(t, head+"A,Okonkwo,3,2,2450,Olive\nA,,,1,2500,\n")[0]
	d, problem := both.Amend(on)
	require.Nil(t, problem)
	source := func(v birth.Values, name string) string {
		value, _ := v.Get(name)
		return fmt.Sprint(value.Text, value.Number, " ", value.Source)
	}
	require.Equal(t, "Okonkwo0 fhir_push", source(d.Mother, "mother_family_name"), "the same value keeps its source")
	require.Equal(t, "3 csv", source(d.Mother, "gravida"))
	require.Equal(t, "2500 csv", source(d.Children[0], "birth_weight_g"))
	require.Equal(t, "2450 csv", source(d.Children[1], "birth_weight_g"))
	require.Equal(t, "2 fhir_push", source(d.Care, "plurality"))
	require.Equal(t, "Olive0 csv", source(d.Care, "attendant_name"))
	require.False(t, d.Care.Has("attendant_credentials"), "they were the other's")
	require.False(t, d.Providers[0].Attending)
	require.True(t, d.Consent.Granted, "nothing was said about it")
	require.Equal(t, on.Transfers, d.Transfers)
	require.True(t, on.Providers[0].Attending, "the basis is left as it is")
	weight, _ := on.Children[1].Get("birth_weight_g")
	require.EqualValues(t, 2400, weight.Number, "the basis is left as it is")

	three := mustReadCSV(t, "chart_number,birth_date\nA,2026-03-02\nA,2026-03-02\nA,2026-03-02\n")[0]
	d, problem = three.Amend(on)
	require.Nil(t, problem)
	require.Len(t, d.Children, 3)
	require.Equal(t, "3 csv", source(d.Care, "plurality"))
}

func FuzzCSVNeverPanicsAndNeverRepeatsACell(f *testing.F) {
	f.Add([]byte(births))
	f.Add([]byte("sep=;\n\"a\";b\r\rc"))
	f.Fuzz(func(t *testing.T, file []byte) {
		_, all, err := readCSV(file)
		if err != nil {
			require.ErrorAs(t, err, new(*CSVProblem))
		}
		for _, c := range all {
			require.True(t, (c.Draft == nil) == (len(c.Wrong) > 0))
		}
	})
}
