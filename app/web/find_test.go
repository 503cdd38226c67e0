package web_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

const attendedByRivers = `{"resourceType":"Practitioner","id":"%s","name":[{"family":"Rivers","given":["Jane"]}],"qualification":[{"code":{"text":"CPM"}}]}`

func attended(chart, mother, practitioner string) string {
	return apptest.Course{Chart: chart, Mother: mother, Extra: []string{
		strings.Replace(attendedByRivers, "%s", practitioner, 1),
		`{"resourceType":"Encounter","status":"finished","participant":[{"type":[{"coding":[{"code":"ATND"}]}],"individual":{"reference":"Practitioner/` + practitioner + `"}}]}`,
	}}.Bundle()
}

// newestIngestion returns the ID of the ingestion that was received last.
func newestIngestion(b *apptest.Browser) string {
	const at = `href="/registry/ingestions/0`
	_, path, _ := strings.Cut(b.Get("/registry/ingestions").Body, at)
	id, _, _ := strings.Cut(path, `"`)
	return "0" + id
}

func TestTheSearchBoxOfEveryPageFindsBirthsProvidersAndIngestions(t *testing.T) {
	i := apptest.Start(t)
	i.Push(attended("chart-7", "Okafor", "p1"))
	i.Push(attended("chart-71", "Rivera", "p2")) // another ID of the same person
	b := i.SignIn(i.Practice, auth.Viewer)
	ingestion := newestIngestion(b)
	require.Contains(t, b.Get("/registry").Body, `action="/registry/find"`)
	find := func(text string) apptest.Page {
		answer := b.Post("/registry/find", url.Values{"q": {text}})
		require.Equal(t, 303, answer.StatusCode)
		require.Equal(t, "/registry/find", answer.Header.Get("Location"))
		return b.Get("/registry/find")
	}
	straight := func(text string) string {
		answer := b.Post("/registry/find", url.Values{"q": {text}})
		require.Equal(t, 303, answer.StatusCode)
		return answer.Header.Get("Location")
	}

	page := find(" oka ")
	births := marked(dom(t, page), "birth")
	require.Len(t, births, 1)
	require.Contains(t, words(births[0]), "Okafor, Amara chart-7 ")
	require.Empty(t, marked(dom(t, page), "provider"))
	require.Contains(t, page.Body, `value="oka"`)

	page = find("river")
	require.Len(t, marked(dom(t, page), "birth"), 1)
	providers := marked(dom(t, page), "provider")
	require.Len(t, providers, 1, "one person with two ids")
	require.Contains(t, words(providers[0]), "Jane Rivers")
	require.Equal(t, 200, b.Get(link(dom(t, page), words(providers[0].FirstChild))).StatusCode)

	require.Len(t, marked(dom(t, find("chart-")), "birth"), 2)
	require.Contains(t, find("nobody").Body, "Nothing matches")
	require.Equal(t, "/registry/records/"+i.Record("chart-7").ID, straight("chart-7"), "a whole chart number")
	require.Equal(t, "/registry/records/"+i.Record("chart-7").ID, straight(i.Record("chart-7").ID))
	require.Equal(t, "/registry/ingestions/"+ingestion, straight(ingestion))
	require.Equal(t, "/registry/ingestions/"+ingestion, straight(i.URL+"/api/registry/fhir/ingestions/"+ingestion))
	require.Contains(t, find("0199d3a1-7c4e-7b52-9d6f-3f0c8f6a1b27").Body, "Nothing matches")
	for _, part := range []string{"oka", "Okafor", "river", "Rivers", "chart-7"} {
		require.NotContains(t, i.Log.String(), part)
	}
}

func TestTheSearchTextBelongsToOneSessionAndOnePractice(t *testing.T) {
	i := apptest.Start(t)
	i.Push(attended("chart-7", "Okafor", "p1"))
	b := i.SignIn(i.Practice, auth.Provider)
	ingestion := newestIngestion(b)
	b.Post("/registry/find", url.Values{"q": {"okafor"}})
	require.Len(t, marked(dom(t, b.Get("/registry/find")), "birth"), 1)
	require.Empty(t, marked(dom(t, i.SignIn(i.Practice, auth.Provider).Get("/registry/find")), "birth"))
	b.Post("/registry/find", url.Values{"q": {""}})
	require.Empty(t, marked(dom(t, b.Get("/registry/find")), "birth"), "nothing looks for nothing")

	foreign := i.SignIn(practiceWith(t, i, false, true), auth.Admin)
	for _, text := range []string{"okafor", "rivers", "chart-7", i.Record("chart-7").ID, ingestion} {
		answer := foreign.Post("/registry/find", url.Values{"q": {text}})
		require.Equal(t, "/registry/find", answer.Header.Get("Location"))
		require.Contains(t, foreign.Get("/registry/find").Body, "Nothing matches")
	}
	scribe := i.SignIn(i.Practice, auth.Scribe)
	require.NotContains(t, scribe.Get("/registry").Body, "/registry/find")
	require.Equal(t, 403, scribe.Post("/registry/find", url.Values{"q": {"chart-7"}}).StatusCode)
	require.Equal(t, 403, scribe.Get("/registry/find").StatusCode)
}

func TestManyResultsLeadToTheListOfRecordsWithTheSameSearch(t *testing.T) {
	i := apptest.Start(t)
	for _, chart := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"} {
		i.Push(apptest.Course{Chart: "C-" + chart, Mother: "Okafor", Born: "2026-03-02"}.Bundle())
	}
	b := i.SignIn(i.Practice, auth.Viewer)
	b.Post("/registry/find", url.Values{"q": {"okafor"}})
	page := b.Get("/registry/find")
	require.Len(t, marked(dom(t, page), "birth"), 10)
	require.Contains(t, page.Body, "All 11 records")
	answer := b.Post("/registry/records/search", url.Values{"q": {"okafor"}})
	require.Len(t, rowsOf(t, b.Get(answer.Header.Get("Location"))), 11)
}
