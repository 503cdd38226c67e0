package app_test

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/birth"
	"birthregistry/app/corpus"
	"birthregistry/app/records"
	"birthregistry/store"
)

// TestRealDocumentsAreAcceptedAndMapped pushes every file of a folder of real Bundles
// (BUNDLE_CORPUS), each to a practice of its own, and compares what is stored with a second,
// independent reading of the file.
func TestRealDocumentsAreAcceptedAndMapped(t *testing.T) {
	t.Parallel()
	folder, files := corpus.Folder(t, corpus.Bundles)
	if folder == "" {
		return
	}
	i := apptest.Start(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(path.Base(file), ".json"), func(t *testing.T) { pushReal(t, i, file, corpus.Read(t, folder, file)) })
	}
	i.Clean()
}

func pushReal(t *testing.T, i *apptest.Installation, file string, text []byte) {
	var doc map[string]any
	require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(string(text), "\ufeff")), &doc))
	courses := documents(doc)
	practice := i.AddPractice(path.Base(file))
	key := "Bearer " + i.Mint(practice, "ingest:write", "ingest:read")
	receipt := i.Receipt(i.Post(string(text), "Authorization", key), "Authorization", key)
	require.Equal(t, store.Completed, receipt.Status, "none fails")
	out, err := receipt.ParseOutcome()
	require.NoError(t, err)
	if len(courses) == 0 {
		require.Empty(t, out.Accepted)
		require.NotEmpty(t, out.Rejected)
		require.NotEmpty(t, out.Rejected[0].Outcome.Issue[0].Diagnostics, "it says why")
		return
	}
	require.Empty(t, out.Rejected)
	require.Len(t, out.Accepted, len(courses))
	for n, course := range courses {
		r, err := records.New(i.App.DB, i.App.Vault).Show(t.Context(), practice, out.Accepted[n].Submission, 0, true)
		require.NoError(t, err)
		course.compare(t, r)
	}
}

// document is a Bundle with one mother and one child, read independently of the program.
type document struct {
	chart  string
	mother map[string]any
	child  map[string]any
	byCode map[string]map[string]any // Observations by their codes
}

// documents finds the courses of care in a Bundle, including nested ones.
func documents(bundle map[string]any) (found []document) {
	d := document{byCode: map[string]map[string]any{}}
	mothers := 0
	if identifier, ok := bundle["identifier"].(map[string]any); ok {
		d.chart, _ = identifier["value"].(string)
	}
	entries, _ := bundle["entry"].([]any)
	for _, e := range entries {
		resource, _ := e.(map[string]any)["resource"].(map[string]any)
		switch resource["resourceType"] {
		case "Bundle":
			found = append(found, documents(resource)...)
		case "Patient":
			profile := strings.ToLower(string(must(json.Marshal(resource["meta"]))))
			switch {
			case strings.Contains(profile, "mother"):
				mothers++
				d.mother = resource
			case strings.Contains(profile, "child"), strings.Contains(profile, "fetus"):
				d.child = resource
			}
		case "Observation":
			codings, _ := resource["code"].(map[string]any)["coding"].([]any)
			if len(codings) > 0 {
				code, _ := codings[0].(map[string]any)["code"].(string)
				if d.byCode[code] == nil {
					d.byCode[code] = resource
				}
			}
		}
	}
	if mothers == 1 && d.child != nil {
		found = append(found, d)
	}
	return found
}

func must(b []byte, _ error) []byte { return b }

func (d document) compare(t *testing.T, r records.Record) {
	t.Helper()
	require.Equal(t, strings.TrimSpace(d.chart), r.ChartNumber)
	child := r.Children[0]
	for code, field := range map[string]string{
		"8339-4": "birth_weight_g", "11884-4": "gestational_age_weeks",
		"9272-6": "apgar_one_minute", "9274-2": "apgar_five_minute", "9271-8": "apgar_ten_minute",
	} {
		stated, there := number(d.byCode[code])
		value, ok := valueOf(child, field)
		require.Equal(t, there, ok, field)
		require.EqualValues(t, stated, value.Number, field)
	}
	date, _ := d.child["birthDate"].(string)
	value, _ := valueOf(child, "birth_date")
	require.Equal(t, date, value.Text)
	if element, ok := d.child["_birthDate"].(map[string]any); ok {
		for _, e := range element["extension"].([]any) {
			if at, ok := e.(map[string]any)["valueDateTime"].(string); ok {
				value, _ := valueOf(child, "birth_datetime")
				require.Equal(t, at, value.Text)
			}
		}
	}
	born, _ := d.mother["birthDate"].(string)
	value, _ = valueOf(r.Mother, "mother_birth_date")
	require.Equal(t, born, value.Text)
	for _, name := range []struct {
		of     map[string]any
		values records.Values
		field  string
	}{{d.mother, r.Mother, "mother_family_name"}, {d.child, child, "child_family_name"}} {
		names, _ := name.of["name"].([]any)
		if len(names) > 0 {
			family, _ := names[0].(map[string]any)["family"].(string)
			value, _ := valueOf(name.values, name.field)
			require.Equal(t, strings.TrimPrefix(family, "UNK"), value.Text, name.field)
		}
	}
}

// number reads valueQuantity or valueInteger; a negative number means unknown.
func number(observation map[string]any) (float64, bool) {
	n, ok := observation["valueInteger"].(float64)
	if quantity, is := observation["valueQuantity"].(map[string]any); is {
		n, ok = quantity["value"].(float64)
	}
	if n < 0 {
		return 0, false
	}
	return n, ok
}

func valueOf(values records.Values, field string) (birth.Value, bool) {
	for _, v := range values {
		if v.Field.Name == field {
			return v.Value, true
		}
	}
	return birth.Value{}, false
}
