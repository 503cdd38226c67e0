package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/records"
)

// chartsOf returns the chart numbers that a list shows, in its order.
func chartsOf(t *testing.T, page apptest.Page) (charts []string) {
	t.Helper()
	require.Equal(t, 200, page.StatusCode)
	for _, row := range marked(dom(t, page), "record") {
		chart, _, _ := strings.Cut(words(row), " ")
		charts = append(charts, chart)
	}
	return charts
}

func TestAMotherIsFoundByHerNameWhichReachesNoAddressAndNoLog(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "1", Mother: "Okafor"}.Bundle())
	i.Push(apptest.Course{Chart: "2", Mother: "García-Oyelaran"}.Bundle())
	i.Push(apptest.Course{Chart: "3", Mother: "Ek"}.Bundle())
	b := i.SignIn(i.Practice, auth.Viewer)
	find := func(text string) []string {
		answer := b.Post("/registry/records/search", url.Values{"q": {text}})
		require.Equal(t, 303, answer.StatusCode)
		require.Equal(t, "/registry/records?found=search", answer.Header.Get("Location"))
		return chartsOf(t, b.Get("/registry/records?found=search"))
	}
	require.Equal(t, []string{"1"}, find("okafor"))
	require.Equal(t, []string{"1"}, find("oka"))
	require.Equal(t, []string{"2"}, find("Garcia oyel"))
	require.Equal(t, []string{"3"}, find("ek"))
	require.Empty(t, find("okafor garcia"))
	for _, part := range []string{"okafor", "Okafor", "oyel", "garcia"} {
		require.NotContains(t, i.Log.String(), part)
	}
}

func TestASearchLimitsNoOtherListThanItsOwn(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "1", Mother: "Okafor", Born: "2026-03-02"}.Bundle())
	i.Push(apptest.Course{Chart: "2", Mother: "Ek", Born: "2026-04-02"}.Bundle())
	i.Push(apptest.Course{Chart: "3", Mother: "Okafor", Born: "2025-04-02"}.Bundle())
	b := i.SignIn(i.Practice, auth.Admin)
	b.Post("/registry/records/search", url.Values{"q": {"okafor"}})
	found := b.Get("/registry/records?found=search&year=2026&sort=birth")
	require.Equal(t, []string{"1"}, chartsOf(t, found))
	require.Contains(t, words(marked(dom(t, found), "record")[0]), "Okafor, Amara", "a search shows the name, as Find does")
	require.NotContains(t, b.Get("/registry/records?year=2026").Body, "Amara")
	require.Contains(t, found.Body, "Only those that the search finds and that match the filter: born: 2026.")
	require.Contains(t, found.Body, `name="found" value="search"`, "the form with the filter keeps the search")
	for _, label := range []string{"Born", "Download these as CSV", "1"} {
		require.Contains(t, link(dom(t, found), label), "found=search", label)
	}
	require.Equal(t, "/registry/records?found=search&sort=birth&year=2026", link(dom(t, b.Get(link(dom(t, found), "1"))), "Back to the list"))
	require.Contains(t, b.Get("/registry/records/export?found=search").Body, "Only those that the search finds.")
	require.Contains(t, b.Get("/registry/records/export?found=search").Body, "Download 2 records<")

	require.Equal(t, []string{"2", "1"}, chartsOf(t, b.Get("/registry/records?measure=cesarean&part=unknown&from=2026-01&to=2026-12")), "the births of a figure")
	all := b.Get(link(dom(t, found), "Show all records"))
	require.Equal(t, []string{"3", "2", "1"}, chartsOf(t, all))
	require.NotContains(t, all.Body, "Only those")
	require.Contains(t, b.Get("/registry/records/export").Body, "Download 3 records<")
}

func TestASearchWithMoreResultsThanFindShowsGivesInitialsOnly(t *testing.T) {
	i := apptest.Start(t)
	for n := range 11 {
		i.Push(apptest.Course{Chart: fmt.Sprint("A", n+10), Mother: "Okafor", Born: "2026-03-02", Weight: 3000 + 50*n}.Bundle())
	}
	b := i.SignIn(i.Practice, auth.Viewer)
	for text, named := range map[string]bool{"A": false, "Mar 2026": false, "okafor": false, "A1": true, "A20": true} {
		b.Post("/registry/records/search", url.Values{"q": {text}})
		found := b.Get("/registry/records?found=search")
		require.NotEmpty(t, chartsOf(t, found), text)
		require.Equal(t, named, strings.Contains(found.Body, "Okafor, Amara"), text)
	}
}

func TestASearchByDateStaysWithinTheBirthsOfAFigure(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "1", Mother: "Okafor", Born: "2026-03-02"}.Bundle())
	i.Push(apptest.Course{Chart: "2", Mother: "Ek", Born: "2026-04-02"}.Bundle())
	b := i.SignIn(i.Practice, auth.Viewer)
	b.Post("/registry/records/search", url.Values{"q": {"Mar 2, 2026"}})
	require.Equal(t, []string{"1"}, chartsOf(t, b.Get("/registry/records?found=search&measure=cesarean&part=unknown&from=2026-03&to=2026-03")))
	require.Empty(t, chartsOf(t, b.Get("/registry/records?found=search&measure=cesarean&part=unknown&from=2026-04&to=2026-04")))
}

func TestBirthsAreFoundByTheirMonthWithinTheFilter(t *testing.T) {
	i := apptest.Start(t)
	for chart, born := range map[string]string{
		"1": "2026-03-02", "2": "2026-04-02", "2026-03": "2025-03-02", "MAR-2026": "2025-03-02", "2026 MAY": "2025-05-02",
	} {
		i.Push(apptest.Course{Chart: chart, Mother: "M" + chart, Born: born}.Bundle())
	}
	b := i.SignIn(i.Practice, auth.Viewer)
	find := func(text, filter string) []string {
		b.Post("/registry/records/search", url.Values{"q": {text}})
		return chartsOf(t, b.Get("/registry/records?found=search"+filter))
	}
	require.Equal(t, []string{"1"}, find("Mar 2026", ""))
	require.NotContains(t, b.Get("/registry/records?found=search").Body, "match the filter")
	require.Equal(t, []string{"1"}, find("march 2026", "&year=2026"))
	require.Empty(t, find("Mar 2026", "&year=2025"))
	require.Empty(t, find("Mar 2026", "&year=2026&month=04"))
	for _, chart := range []string{"2026-03", "MAR-2026", "2026 MAY"} {
		first, _, _ := strings.Cut(chart, " ")
		require.Equal(t, []string{first}, find(chart, ""), "this may be a chart number")
		require.Contains(t, b.Post("/registry/find", url.Values{"q": {chart}}).Header.Get("Location"), "/registry/records/")
	}
	b.Post("/registry/find", url.Values{"q": {"Apr 2026"}})
	require.Len(t, marked(dom(t, b.Get("/registry/find")), "birth"), 1)
}

func TestTheListIsSortedByCreationMonthOfBirthAndChangeBothWaysAndSaysHowManyThereAre(t *testing.T) {
	i := apptest.Start(t)
	for n, born := range []string{"2026-03-02", "2025-12-30", "2026-01-05"} {
		i.Push(apptest.Course{Chart: fmt.Sprint(n + 1), Mother: fmt.Sprint("M", n), Born: born}.Bundle())
	}
	i.Push(apptest.Course{Chart: "1", Mother: "M0", Born: "2026-03-02", Weight: 3000}.Bundle())
	b := i.SignIn(i.Practice, auth.Viewer)
	for sort, want := range map[string][]string{
		"":           {"3", "2", "1"},
		"created-up": {"1", "2", "3"},
		"birth":      {"1", "3", "2"},
		"birth-up":   {"2", "3", "1"},
		"change":     {"1", "3", "2"},
		"change-up":  {"2", "3", "1"},
	} {
		page := b.Get("/registry/records?sort=" + sort)
		require.Equal(t, want, chartsOf(t, page), sort)
		require.Equal(t, "3 records", words(marked(dom(t, page), "total")[0]))
	}
	require.Equal(t, "/registry/records?sort=birth", link(dom(t, b.Get("/registry/records")), "Born"))
	require.Equal(t, "/registry/records?sort=birth-up", link(dom(t, b.Get("/registry/records?sort=birth")), "Born"))
	require.Contains(t, b.Get("/registry/records?sort=birth").Body, `aria-sort="descending"`)
	require.Equal(t, "1 record", words(marked(dom(t, b.Get("/registry/records?year=2025")), "total")[0]))
}

func TestTheListIsFilteredByWhatIsMissing(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "1", Weight: 3000}.Bundle())
	i.Push(apptest.Course{Chart: "2", Mother: "Ek", Weight: 3100}.Bundle())
	b := i.SignIn(i.Practice, auth.Viewer)
	require.Empty(t, chartsOf(t, b.Get("/registry/records?missing=birth_weight_g")))
	require.Equal(t, []string{"2", "1"}, chartsOf(t, b.Get("/registry/records?missing=attendant_type")))
	require.Equal(t, []string{"2", "1"}, chartsOf(t, b.Get("/registry/records?missing=gestational_age_weeks&sort=birth")))
	require.Equal(t, []string{"2", "1"}, chartsOf(t, b.Get("/registry/records?missing=anything")))
}

func TestTheColumnsOfTheListAreChosenAndRemembered(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "1"}.Bundle())
	b := i.SignIn(i.Practice, auth.Viewer)
	require.NotEmpty(t, link(dom(t, b.Get("/registry/records")), "Born"))
	answer := b.Post("/registry/records/columns?sort=change", url.Values{"column": {"changed", "mother", "no such"}})
	require.Equal(t, "/registry/records?sort=change", answer.Header.Get("Location"))
	root := dom(t, b.Get("/registry/records"))
	require.Empty(t, link(root, "Born"))
	require.NotEmpty(t, link(root, "Changed"))
	require.True(t, strings.HasPrefix(words(marked(root, "record")[0]), "1 A. O. "))
	b.Post("/registry/records/columns", url.Values{})
	require.NotEmpty(t, link(dom(t, b.Get("/registry/records")), "Born"), "none are the usual ones")
}

func TestTheBirthsOfAFigureAreThoseThatTheStatisticsCount(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "1", Born: "2026-03-02"}.Bundle())
	i.Push(apptest.Course{Chart: "2", Mother: "Ek", Born: "2026-04-02"}.Bundle())
	i.Push(apptest.Course{Chart: "3", Mother: "Diaz", Born: "2025-04-02"}.Bundle())
	i.Push(apptest.Course{Chart: "4", Mother: "Gone", Born: "2026-04-02"}.Bundle())
	i.Push(apptest.Course{Chart: "4", Status: "entered-in-error"}.Bundle())
	b := i.SignIn(i.Practice, auth.Viewer)
	list := func(part, from, to string) []string {
		return chartsOf(t, b.Get("/registry/records?measure=cesarean&part="+part+"&from="+from+"&to="+to))
	}
	require.Equal(t, []string{"2", "1"}, list("unknown", "2026-01", "2026-12"), "no method is stated")
	require.Equal(t, []string{"2"}, list("unknown", "2026-04", "2026-04"))
	require.Empty(t, list("numerator", "2026-01", "2026-12"))
	require.Empty(t, list("denominator", "2026-01", "2026-12"))
	require.Len(t, list("nosuch", "2026-01", "2026-12"), 4, "an unknown choice is ignored")
	page := b.Get("/registry/records?measure=cesarean&part=unknown&from=2026-01&to=2026-12")
	require.Contains(t, page.Body, "Cesarean, not known, ")
	require.Equal(t, "/registry/statistics/cesarean?from=2026-01&to=2026-12", link(dom(t, page), "Back to Cesarean"), "of the same months")
	require.NotContains(t, page.Body, "the figure counts newborns")
	require.Contains(t, b.Get("/registry/records?measure=preterm&part=unknown&from=2026-01&to=2026-12").Body, "the figure counts newborns, so twins are only one record here")
	require.NotContains(t, b.Get("/registry/records").Body, "Back to ")
	of := "?report=2026&by=1&part=" + string(records.Undated)
	require.Equal(t, "/registry/report?by=1&year=2026", link(dom(t, b.Get("/registry/records"+of)), "Back to the report of 2026"))
}
