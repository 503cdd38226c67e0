package web_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

// codeOf returns the name of the only rejection of a push.
func codeOf(t *testing.T, i *apptest.Installation, body string) string {
	t.Helper()
	out := i.Push(body)
	require.Empty(t, out.Accepted)
	require.Len(t, out.Rejected, 1)
	issue := out.Rejected[0].Outcome.Issue[0]
	return issue.Code + " " + issue.Details.Coding[0].Code
}

// deleting returns a Bundle with one DELETE entry.
func deleting(address string) string {
	doc, _ := json.Marshal(map[string]any{
		"resourceType": "Bundle", "type": "transaction",
		"entry": []any{map[string]any{"request": map[string]any{"method": "DELETE", "url": address}}},
	})
	return string(doc)
}

// withChart puts a chart number into a Bundle, written as JSON writes it.
func withChart(chart string, c apptest.Course) string {
	c.Chart = "CHART"
	doc, _ := json.Marshal(chart)
	return strings.Replace(c.Bundle(), `"CHART"`, string(doc), 1)
}

func TestDeletingAnObservationWithTheChartNumberDoesNotVoidTheRecord(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "4711"}.Bundle())
	for _, address := range []string{"Observation/4711", "https://ehr.example.org/fhir/Observation/4711", "Patient/4711", "Encounter?identifier=4711"} {
		require.Equal(t, "required no-chart-number", codeOf(t, i, deleting(address)), address)
	}
	require.EqualValues(t, "active", i.Record("4711").State)
	require.True(t, i.Push(deleting(`Bundle?identifier=urn:charts|4711`)).Accepted[0].Retracted)
	i.Clean()
}

func TestAChartNumberWithAControlCharacterInsideIsRefusedFromEverySource(t *testing.T) {
	i := apptest.Start(t)
	first := i.Push(apptest.Course{Chart: "A-1", Mother: "Okonkwo", Weight: 3400}.Bundle()).Accepted[0]
	b := i.SignIn(i.Practice, auth.Admin)
	for _, odd := range []string{"A\u0007-1", "A-\u001b1", "A-\u00851", "\u0001A-1", "A-1\u007f", "A\n-1"} {
		require.Equal(t, "value bad-chart-number", codeOf(t, i, withChart(odd, apptest.Course{Mother: "Diaz", Weight: 2000})), "%q", odd)
		require.Equal(t, "value bad-chart-number", codeOf(t, i, withChart(odd, apptest.Course{Status: "entered-in-error", Mothers: -1, Kids: -1})), "%q", odd)
		require.Equal(t, "value bad-chart-number", codeOf(t, i, deleting("Bundle?identifier="+url.QueryEscape(odd))), "%q", odd)
		require.Equal(t, "value bad-chart-number", codeOf(t, i, deleting("Bundle/"+url.PathEscape(odd))), "%q", odd)

		form := openForm(t, b, birthOf("Diaz"))
		form.Set("chart_number", odd)
		answer := b.Post("/registry/capture", form)
		require.Equal(t, 422, answer.StatusCode, "%q", odd)
		require.Contains(t, parsePage(t, answer).summary()["chart_number"], "write it on one line")

		sent := upload(t, b, "births.csv", "chart_number,mother_family_name,birth_date,birth_weight_g\n\""+odd+"\",Diaz,2026-03-02,2000\n")
		require.Equal(t, 303, sent.StatusCode, sent.Body)
		require.Contains(t, b.Get(sent.Header.Get("Location")).Body, "Write the chart number on one line")

		require.Equal(t, 303, b.Post("/registry/records/search", url.Values{"q": {odd}}).StatusCode)
		require.NotContains(t, b.Get("/registry/records?found=search").Body, first.Submission, "nor is the other record found by it")
	}
	require.Equal(t, 1, i.Count())
	r := i.Record("A-1")
	require.Equal(t, 1, r.Version)
	require.EqualValues(t, "active", r.State)
	i.Clean()
}

func TestAChartNumberWithAnInvisibleCharacterIsAnotherNumberFromEverySource(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "A-1", Mother: "Okonkwo", Weight: 3400}.Bundle())
	b := i.SignIn(i.Practice, auth.Admin)
	for _, odd := range []string{"A\u200b-1", "A\u200d-1", "\u202eA-1", "A\u00a0-1", "Ａ-1", "a-1"} {
		require.False(t, i.Push(withChart(odd, apptest.Course{Mother: "M" + odd, Weight: 2000})).Accepted[0].Amended, "%q", odd)
		sent := upload(t, b, "births.csv", "chart_number,mother_family_name,birth_date,birth_weight_g\n"+odd+"x,Diaz,2026-03-02,2000\n")
		at := sent.Header.Get("Location")
		require.Equal(t, 303, b.Post(at+"/confirm", url.Values{}).StatusCode)
		imported(t, b, at)
		require.Equal(t, odd+"x", i.Record(odd+"x").ChartNumber)
	}
	require.Equal(t, 1, i.Record("A-1").Version)
	i.Clean()
}

func TestTwoRecordsWithSimilarChartNumbersAreDistinguished(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	require.Equal(t, 303, b.Post("/registry/capture", openForm(t, b, birthOf("Okonkwo"))).StatusCode)
	given := i.Record("B-000001").ID
	require.True(t, i.Record("B-000001").Given)
	out := i.Push(apptest.Course{Chart: "B-000001", Mother: "Haddad", Weight: 2000}.Bundle())
	require.False(t, out.Accepted[0].Amended)
	sent := out.Accepted[0].Submission
	require.Equal(t, 1, i.Record(given).Version)

	require.Equal(t, 303, b.Post("/registry/records/search", url.Values{"q": {"B-000001"}}).StatusCode)
	list := b.Get("/registry/records?found=search")
	require.Contains(t, list.Body, given)
	require.Contains(t, list.Body, sent)
	require.Contains(t, b.Get("/registry/records/"+given).Body, "B-000001, assigned by the registry")
	require.NotContains(t, b.Get("/registry/records/"+sent).Body, "assigned by the registry")

	form := openForm(t, b, birthOf("Diaz"))
	form.Set("chart_number", "B-000001")
	require.Equal(t, 422, b.Post("/registry/capture", form).StatusCode)
	require.Equal(t, "unknown-chart", strings.Fields(codeOf(t, i, deleting("Bundle/B-000002")))[1])
	require.True(t, i.Push(deleting("Bundle/B-000001")).Accepted[0].Retracted)
	require.EqualValues(t, "voided", i.Record(sent).State)
	require.EqualValues(t, "active", i.Record(given).State)
	i.Clean()
}
