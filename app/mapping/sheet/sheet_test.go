package sheet

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"

	"birthregistry/app/birth"
)

// sniffed returns the encoding of a file that arrives in pieces of any size.
func sniffed(file []byte, piece int) (Encoding, error) {
	var s Sniffer
	for at := 0; at < len(file); at += piece {
		if _, err := s.Write(file[at:min(at+piece, len(file))]); err != nil {
			return "", err
		}
	}
	return s.Encoding()
}

// readFile reads a whole file as an import does.
func readFile(file []byte, custom ...birth.CustomField) (header Header, all []*Course, err error) {
	encoding, err := sniffed(file, 7)
	if err != nil {
		return header, nil, err
	}
	err = Format{Encoding: encoding, Custom: custom}.Read(bytes.NewReader(file), func(h Header) error {
		header = h
		return nil
	}, func(c *Course) error {
		all = append(all, c)
		return nil
	})
	return header, all, err
}

func mustRead(t *testing.T, file string, custom ...birth.CustomField) []*Course {
	t.Helper()
	_, all, err := readFile([]byte(file), custom...)
	require.NoError(t, err)
	return all
}

// described returns what a masked course states, or what is wrong with it, as text.
func described(c *Course) string {
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
		if text, stated := c.Custom[key]; stated {
			fmt.Fprintf(&b, "  x_%s=%s\n", key, text)
		}
	}
	if d.Consent != (birth.Consent{}) {
		fmt.Fprintf(&b, "  consent %v %s\n", d.Consent.Granted, d.Consent.DateTime)
	}
	return b.String()
}

func utf16Of(text string, order func([]byte, uint16) []byte) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		b = order(b, unit)
	}
	return b
}

// The same births in every form in which programs write spreadsheets.
const births = "chart_number,Mother's family name,mother_given_names,birth_date,birth_weight_g,child_sex,risk_factors,attendant_name\n" +
	"A-1,Muñoz,Zoë,2026-03-02,3400,F,eclampsia;Gestational diabetes,\"Lindqvist, Carla\"\n" +
	"A-2,O’Brien,Änne,3/4/2026,2980,male,,\n"

func TestSpreadsheetsOfEveryProgramReadTheSame(t *testing.T) {
	swap := func(from, to string) string { return strings.ReplaceAll(births, from, to) }
	semicolons := strings.NewReplacer("eclampsia;Gestational diabetes", `"eclampsia;Gestational diabetes"`, ",", ";", `"Lindqvist, Carla"`, `"Lindqvist, Carla"`)
	western, err := charmap.Windows1252.NewEncoder().String(births)
	require.NoError(t, err)
	tabs := strings.NewReplacer(`"Lindqvist, Carla"`, "Lindqvist, Carla", ",", "\t").Replace(births)
	want := mustRead(t, births)
	require.Len(t, want, 2)
	for name, file := range map[string][]byte{
		"UTF-8":                        []byte(births),
		"UTF-8 with a byte order mark": []byte("\ufeff" + births),
		"UTF-16 little endian": utf16Of(births, func(b []byte, u uint16) []byte {
			return append(b, byte(u), byte(u>>8))
		}),
		"UTF-16 big endian": utf16Of(births, func(b []byte, u uint16) []byte {
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
			_, got, err := readFile(file)
			require.NoError(t, err)
			require.Len(t, got, len(want))
			for i := range want {
				require.Equal(t, described(want[i]), described(got[i]))
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
			header, all, err := readFile(body, custom...)
			var got strings.Builder
			fmt.Fprintf(&got, "delimiter %q, %d known, ignored %v\n", header.Delimiter, len(header.Known), header.Ignored)
			for _, c := range all {
				got.WriteString(described(c))
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

func TestATextThatIsTooLongSaysHowManyOfItsCharactersFit(t *testing.T) {
	for text, most := range map[string]int{"x": 200, "ü": 100} {
		all := mustRead(t, "mother_family_name,birth_date,x_note\n"+strings.Repeat(text, 201)+",2026-03-02,"+strings.Repeat(text, 201)+"\n",
			birth.CustomField{Key: "note", Label: "Note", Kind: birth.CustomText})
		require.Len(t, all[0].Wrong, 2, "nothing is cut")
		for _, cell := range all[0].Wrong {
			require.Equal(t, fmt.Sprintf("The text is too long: shorten the text to %d characters.", most), cell.Text)
		}
		fits := strings.Repeat(text, most)
		require.Empty(t, mustRead(t, "mother_family_name\n"+fits+"\n")[0].Wrong)
	}
}

func TestTwinsAreConsecutiveRows(t *testing.T) {
	all := mustRead(t, "chart_number,mother_family_name,birth_datetime,birth_order\n"+
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
