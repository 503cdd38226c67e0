package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/birth"
)

// endlessly repeats a text and counts how much was read.
type endlessly struct {
	text string
	read int
}

func (e *endlessly) Read(p []byte) (int, error) {
	n := copy(p, strings.Repeat(e.text, len(p)/len(e.text)+1))
	e.read += n
	return n, nil
}

func TestAnEndlessRowIsNotReadToItsEnd(t *testing.T) {
	for name, begins := range map[string]string{
		"a cell": "chart_number,birth_date\nA,", "a quoted cell": "chart_number,birth_date\nA,\"",
		"many cells": "chart_number,birth_date\n", "a header": "chart_number,\"birth_date",
	} {
		t.Run(name, func(t *testing.T) {
			body := &endlessly{text: "xxxxxxxxxx"}
			if name == "many cells" {
				body.text = "x,"
			}
			err := Format{Encoding: UTF8}.Read(io.MultiReader(strings.NewReader(begins), io.LimitReader(body, 100<<20)),
				func(Header) error { return nil }, func(*Course) error { return nil })
			problem := (*Problem)(nil)
			require.ErrorAs(t, err, &problem)
			require.Less(t, body.read, 2<<20)
		})
	}
}

func TestExactlyAHundredThousandRowsAreReadAndOneMoreIsRefused(t *testing.T) {
	read := func(rows int64) (courses int, err error) {
		body := io.LimitReader(&endlessly{text: "A\n"}, 2*rows)
		err = Format{Encoding: UTF8}.Read(io.MultiReader(strings.NewReader("birth_date\n"), body),
			func(Header) error { return nil }, func(*Course) error {
				courses++
				return nil
			})
		return courses, err
	}
	courses, err := read(100_000)
	require.NoError(t, err)
	require.Equal(t, 100_000, courses)
	_, err = read(100_001)
	require.ErrorContains(t, err, "The file has more than 100,000 rows after the header. Split it into several files.")
}

func TestTheFirstErrorOfTheReceiverStopsReading(t *testing.T) {
	enough := errors.New("enough")
	calls := 0
	err := Format{Encoding: UTF8}.Read(strings.NewReader(births), func(Header) error { return nil }, func(*Course) error {
		calls++
		return enough
	})
	require.ErrorIs(t, err, enough)
	require.Equal(t, 1, calls)
}

func TestNoTwoColumnsHaveTheSameName(t *testing.T) {
	index := Format{}.index()
	for _, column := range (Format{}).columns() {
		require.Equal(t, column.name, index[plain(column.name)].name)
		require.Equal(t, column.name, index[plain(column.label)].name, "the label of %s", column.name)
		if column.field != nil {
			for _, o := range column.field.Options {
				code, ok := readOption(column.field, o.Label)
				require.True(t, ok)
				require.Equal(t, o.Code, code, "%s: the label of %s", column.name, o.Code)
			}
		}
	}
}

func TestTheTemplateIsReadBackAndTheDictionaryKnowsEveryColumn(t *testing.T) {
	c := Format{Custom: []birth.CustomField{{Key: "visits", Kind: birth.CustomNumber, Label: "Visits"}, {Key: "gone", Retired: true}}}
	var template, dictionary bytes.Buffer
	require.NoError(t, c.Template(&template))
	require.NoError(t, c.Dictionary(&dictionary))
	header, _, err := readFile(append(template.Bytes(), "A\r\n"...), c.Custom...)
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

func TestWrittenCellsAreNeverFormulasAndReadBackUnchanged(t *testing.T) {
	for _, cell := range []string{
		"=1+1", "+1+1", "-1-cmd", "@SUM(A1)", "＝1+1", "＋1+1", "－1-cmd", "＠SUM(A1)", "plain", "with, comma", `with "quotes"`,
		"two\nlines", "0012", "'0012", "'=1+1", "''＝1+1", `="x"`, "'Abd",
	} {
		var file bytes.Buffer
		w := NewWriter(&file)
		require.NoError(t, w.Row("mother_family_name", "x"))
		require.NoError(t, w.Row(cell, "x"))
		require.NotRegexp(t, `\n"?[=+@＝＋－＠-]`, file.String())
		all := mustRead(t, file.String())
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
	one := mustRead(t, head+"A,Okonkwo,,,2500,\n")[0]
	_, problem := one.Amend(on)
	require.Equal(t, FewerNewborns, problem)

	both := mustRead(t, head+"A,Okonkwo,3,2,2450,Olive\nA,,,1,2500,\n")[0]
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

	three := mustRead(t, "chart_number,birth_date\nA,2026-03-02\nA,2026-03-02\nA,2026-03-02\n")[0]
	d, problem = three.Amend(on)
	require.Nil(t, problem)
	require.Len(t, d.Children, 3)
	require.Equal(t, "3 csv", source(d.Care, "plurality"))
}

func FuzzCSVNeverPanicsAndNeverRepeatsACell(f *testing.F) {
	f.Add([]byte(births))
	f.Add([]byte("sep=;\n\"a\";b\r\rc"))
	f.Fuzz(func(t *testing.T, file []byte) {
		_, all, err := readFile(file)
		if err != nil {
			require.ErrorAs(t, err, new(*Problem))
		}
		for _, c := range all {
			require.True(t, (c.Draft == nil) == (len(c.Wrong) > 0))
		}
	})
}

// A program may read an export by its columns' positions.
func TestNoColumnMovesWhenTheSpineGrows(t *testing.T) {
	published, err := os.ReadFile("testdata/columns.edition-1.txt")
	require.NoError(t, err)
	before := strings.Fields(string(published))
	c := Format{Custom: []birth.CustomField{{Key: "visits", Kind: birth.CustomNumber, Label: "Visits"}}}
	now := c.Names()
	require.Equal(t, append(before, "x_visits"), now[:len(before)+1])
	require.NotEmpty(t, now[len(before)+1:])
	for _, name := range now[len(before)+1:] {
		transfer := slices.ContainsFunc(birth.TransferMembers, func(m birth.TransferMember) bool { return m.Name == name })
		require.True(t, transfer || birth.Must(name).Edition == 1, name)
	}
}
