package records_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/app/imports"
	"birthregistry/assets"
	"birthregistry/store"
)

// again exports everything and returns the preview of importing it again.
func (d *session) again() imports.Preview {
	d.T.Helper()
	file, _, _ := d.export(store.Practice{ID: d.Practice}, store.Filter{})
	i, err := d.App.Imports.Upload(context.Background(), d.carla, "again.csv", bytes.NewReader(file))
	require.NoError(d.T, err)
	require.NoError(d.T, d.App.Imports.Drop(context.Background(), d.carla, i.ID))
	return i.About.Preview
}

func TestImportingAnExportOfTheSamplesChangesNothing(t *testing.T) {
	entries, err := assets.Samples.ReadDir("samples")
	require.NoError(t, err)
	for _, e := range entries {
		t.Run(e.Name(), func(t *testing.T) {
			d := open(t)
			body, err := assets.Samples.ReadFile("samples/" + e.Name())
			require.NoError(t, err)
			d.Push(string(body))
			n, err := d.records.Count(t.Context(), d.Practice, store.Filter{})
			require.NoError(t, err)
			if strings.Contains(e.Name(), "retraction") {
				require.Zero(t, n, "there is nothing to take back")
				return
			}
			require.Positive(t, n)
			found := d.again()
			require.Empty(t, found.Cells)
			require.Equal(t, n, found.Unchanged, "%+v", found.First)
			require.Equal(t, n, found.Items())
		})
	}
}

func TestImportingAnExportChangesNothingHoweverOddTheRecord(t *testing.T) {
	for name, change := range map[string]func(*birth.Draft){
		"two dates": func(d *birth.Draft) {
			state(&d.Children[0], "birth_date", birth.Value{Text: "2026-03-03"})
		},
		"a time of birth without its date": func(d *birth.Draft) { d.Children[0].Drop("birth_date") },
		"credentials without a role": func(d *birth.Draft) {
			d.Care.Drop("attendant_type")
			state(&d.Care, "attendant_credentials", birth.Value{Text: "CNM"})
		},
		"twins that nobody counted": func(d *birth.Draft) {
			d.Care.Drop("plurality")
			for i := range d.Children {
				d.Children[i].Drop("birth_order")
			}
		},
		"text like a formula": func(d *birth.Draft) {
			state(&d.Mother, "mother_family_name", birth.Value{Text: "＝'=1+1"})
			state(&d.Mother, "mother_given_names", birth.Value{Text: `'="x"`})
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			d.Push(apptest.Course{Chart: "26-1", Kids: 2, Weight: 3000}.Bundle())
			d.amend("26-1", func(e *changes.Form) { change(&e.Draft) })
			found := d.again()
			require.Empty(t, found.Cells)
			require.Equal(t, 1, found.Unchanged, "%+v", found)
		})
	}
}
