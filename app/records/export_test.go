package records_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/mapping/sheet"
	"birthregistry/store"
)

// export exports the records and returns the file and its rows by column.
func (d *session) export(p store.Practice, f store.Filter) (file []byte, header []string, rows []map[string]string) {
	d.T.Helper()
	var b bytes.Buffer
	n, err := d.records.Export(context.Background(), p, f, &b)
	require.NoError(d.T, err)
	counted, err := d.records.Count(context.Background(), p.ID, f)
	require.NoError(d.T, err)
	require.Equal(d.T, counted, n)
	all, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(b.String(), "\ufeff"))).ReadAll()
	require.NoError(d.T, err)
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, cell := range cells {
			row[all[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return b.Bytes(), all[0], rows
}

func TestAnExportHasTheTemplatesColumnsAndOneRowForEachNewborn(t *testing.T) {
	d := open(t)
	d.field("room", "Room")
	d.Push(apptest.Course{Chart: "26-1", Kids: 2, Weight: 3000}.Bundle())
	d.Push(apptest.Course{Chart: "26-2", Mother: "Diaz"}.Bundle())
	d.amend("26-1", func(e *changes.Form) {
		state(&e.Draft.Mother, "induction_agents", birth.Value{Set: []string{"oxytocin", "balloon"}})
		state(&e.Draft.Mother, "labor_augmented", birth.Value{Flag: false})
		e.Custom = map[string]string{"room": "Blue"}
		e.Draft.Consent = birth.Consent{Granted: true, DateTime: "2026-03-01"}
	})
	_, header, rows := d.export(store.Practice{ID: d.Practice}, store.Filter{})
	var template bytes.Buffer
	format := sheet.Format{Custom: []birth.CustomField{{Key: "room", Label: "Room", Kind: birth.CustomText}}}
	require.NoError(t, format.Template(&template))
	require.Equal(t, strings.TrimSpace(strings.TrimPrefix(template.String(), "\ufeff")), strings.Join(header, ","))
	require.Len(t, rows, 3, "twins have two")
	require.Equal(t, []string{"26-1", "26-1", "26-2"}, []string{rows[0]["chart_number"], rows[1]["chart_number"], rows[2]["chart_number"]})
	require.Equal(t, "3000", rows[0]["birth_weight_g"])
	require.Empty(t, rows[1]["birth_weight_g"])
	for _, row := range rows[:2] {
		require.Equal(t, "oxytocin; balloon", row["induction_agents"])
		require.Equal(t, "no", row["labor_augmented"])
		require.Equal(t, "Okonkwo", row["mother_family_name"])
		require.Equal(t, "Blue", row["x_room"])
		require.Equal(t, "yes", row["consent_granted"])
		require.Equal(t, "2026-03-01", row["consent_date_time"])
		require.Equal(t, "2026-03-02T04:18:00-05:00", row["birth_datetime"])
	}
}

func TestAnExportCanBeImportedAgainAndChangesNothing(t *testing.T) {
	d := open(t)
	d.Push(apptest.Course{Chart: "26-1", Kids: 2, Weight: 3000, Mother: `=HYPERLINK("http://evil")`}.Bundle())
	d.Push(apptest.Course{Chart: "+26-2", Mother: "Díaz, \"Ana\"\n@home"}.Bundle())
	file, _, _ := d.export(store.Practice{ID: d.Practice, Sandbox: true}, store.Filter{})
	var sniffer sheet.Sniffer
	_, err := sniffer.Write(file)
	require.NoError(t, err)
	encoding, err := sniffer.Encoding()
	require.NoError(t, err)
	read := 0
	err = sheet.Format{Encoding: encoding}.Read(bytes.NewReader(file), func(sheet.Header) error { return nil }, func(c *sheet.Course) error {
		read++
		require.Nil(t, c.Problem, "%v", c.Wrong)
		onFile := d.Record(c.Chart)
		again := birth.Mask(*c.Draft).Draft()
		require.Len(t, again.Children, len(onFile.Children))
		for _, v := range onFile.Mother {
			value, stated := again.Mother.Get(v.Field.Name)
			require.True(t, stated && value.Equal(v.Value), v.Field.Name)
		}
		for i, child := range onFile.Children {
			for _, v := range child {
				value, stated := again.Children[i].Get(v.Field.Name)
				require.True(t, stated && value.Equal(v.Value), v.Field.Name)
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 2, read)
}

func TestNoCellOfAnExportIsAFormula(t *testing.T) {
	d := open(t)
	for n, evil := range []string{"=1+1", "+1+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)"} {
		d.Push(apptest.Course{Chart: fmt.Sprint(evil[:1], "c", n), Mother: evil}.Bundle())
	}
	d.Push(apptest.Course{Chart: "-5", Mother: "Diaz"}.Bundle())
	_, _, rows := d.export(store.Practice{ID: d.Practice}, store.Filter{})
	require.Len(t, rows, 5)
	require.Equal(t, "-5", rows[4]["chart_number"], "a number is no formula")
	for _, row := range rows[:4] {
		require.Equal(t, byte('\''), row["mother_family_name"][0])
		for column, cell := range row {
			require.NotRegexp(t, `^[=+@\t\r]`, cell, column)
		}
	}
}

func TestAnExportOfASandboxSaysSoInItsFirstColumn(t *testing.T) {
	d := open(t)
	d.Push(apptest.Course{Chart: "1"}.Bundle())
	_, header, rows := d.export(store.Practice{ID: d.Practice, Sandbox: true}, store.Filter{})
	require.Equal(t, "sandbox", header[0])
	require.Equal(t, "yes", rows[0]["sandbox"])
	_, header, _ = d.export(store.Practice{ID: d.Practice}, store.Filter{})
	require.NotContains(t, header, "sandbox")
}

func TestAnExportHoldsOnlyRecordsThatCountUnlessAskedForOthers(t *testing.T) {
	d := open(t)
	var bundles []string
	for n := range 2*200 + 3 { // more than one read returns
		bundles = append(bundles, apptest.Course{Chart: fmt.Sprintf("%03d", n), Mother: fmt.Sprint("M", n)}.Bundle())
	}
	d.Push(apptest.Batch(bundles...))
	_, err := d.App.Changes.Void(d.carla, d.id("007"), "Entered twice", 1)
	require.NoError(t, err)
	_, _, rows := d.export(store.Practice{ID: d.Practice}, store.Filter{})
	require.Len(t, rows, 402)
	require.Equal(t, "000", rows[0]["chart_number"], "oldest first")
	require.Equal(t, "402", rows[401]["chart_number"])
	_, _, rows = d.export(store.Practice{ID: d.Practice}, store.Filter{State: birth.Voided})
	require.Len(t, rows, 1)
	require.Equal(t, "007", rows[0]["chart_number"])
	_, _, rows = d.export(store.Practice{ID: d.Practice}, store.Filter{Born: "2026"})
	require.Len(t, rows, 402)
	_, _, rows = d.export(store.Practice{ID: d.AddPractice("Hillside")}, store.Filter{})
	require.Empty(t, rows, "another practice has none of them")
}
