package web_test

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store"
	"birthregistry/store/storetest"
)

// dom parses a page.
func dom(t *testing.T, page apptest.Page) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page.Body))
	require.NoError(t, err)
	return root
}

// marked finds the elements with a data-testid.
func marked(root *html.Node, id string) (all []*html.Node) {
	for n := range root.Descendants() {
		if attr(n, "data-testid") == id {
			all = append(all, n)
		}
	}
	return all
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// words returns the text of an element with white space collapsed.
func words(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data + " ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// link returns the address of the link with this text, or "".
func link(root *html.Node, text string) string {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "a" && words(n) == text {
			return attr(n, "href")
		}
	}
	return ""
}

// fact returns the text next to a label.
func fact(root *html.Node, label string) string {
	for n := range root.Descendants() {
		if n.Data == "dt" && words(n) == label {
			for d := n.NextSibling; d != nil; d = d.NextSibling {
				if d.Data == "dd" {
					return words(d)
				}
			}
		}
	}
	return ""
}

func rowsOf(t *testing.T, page apptest.Page) (rows []string) {
	t.Helper()
	require.Equal(t, 200, page.StatusCode, page.Body)
	for _, n := range marked(dom(t, page), "record") {
		rows = append(rows, words(n))
	}
	return rows
}

// recordPath returns the address of the record with a chart number.
func recordPath(i *apptest.Installation, chart string) string {
	return "/registry/records/" + i.Record(chart).ID
}

// noted counts the audit entries of an action on an object.
func noted(t *testing.T, i *apptest.Installation, action, object string) (n int) {
	t.Helper()
	require.NoError(t, i.App.DB.View(t.Context(), func(v *store.View) error {
		rows, err := v.Audits(i.Practice, store.AuditFilter{Object: object}, 0, false, 1000)
		for _, row := range rows {
			if row.Action == action {
				n++
			}
		}
		return err
	}))
	return n
}

func TestTheListShowsWhatPeopleLookForNewestFirst(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	empty := b.Get("/registry/records")
	require.Equal(t, 200, empty.StatusCode)
	require.Contains(t, empty.Body, "No records yet")
	require.NotEmpty(t, link(dom(t, empty), "Import a spreadsheet"))
	require.NotContains(t, empty.Body, "Filter and sort", "there is nothing to find")
	i.Push(apptest.Course{Chart: "26-1", Kids: 2}.Bundle())
	i.Push(apptest.Course{Chart: "26-2", Weight: 3000}.Bundle())
	i.Push(apptest.Course{Mother: "Diaz", Born: "2025-12-30T23:05:00-05:00"}.Bundle())
	rows := rowsOf(t, b.Get("/registry/records"))
	require.Len(t, rows, 3)
	require.Equal(t, "no chart number Dec 30, 2025, 11:05 PM A. D. EHR push 1 Incomplete", rows[0])
	require.Equal(t, "26-2 Mar 2, 2026, 4:18 AM A. O. EHR push 1 Possible duplicate Incomplete", rows[1])
	require.Contains(t, rows[2], "2 newborns")
	require.NotContains(t, strings.Join(rows, ""), "Okonkwo")
}

func TestFiltersArePartOfTheAddressAndAreShownAsSet(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "march"}.Bundle())
	i.Push(apptest.Course{Chart: "twin of march"}.Bundle())
	i.Push(apptest.Course{Chart: "december", Mother: "Diaz", Born: "2025-12-30"}.Bundle())
	i.Push(apptest.Course{Chart: "gone", Mother: "Ek"}.Bundle())
	i.Push(apptest.Course{Chart: "gone", Status: "entered-in-error"}.Bundle())
	b := i.SignIn(i.Practice, auth.Viewer)
	for query, want := range map[string][]string{
		"state=voided":             {"gone"},
		"state=active":             {"december", "twin of march", "march"},
		"state=merged":             nil,
		"source=fhir_push":         {"gone", "december", "twin of march", "march"},
		"source=manual":            nil,
		"year=2025":                {"december"},
		"year=2026&month=03":       {"gone", "twin of march", "march"},
		"duplicate=yes":            {"twin of march", "march"},
		"incomplete=yes&year=2025": {"december"},
		"attendant=unstated":       {"gone", "december", "twin of march", "march"},
		"attendant=midwife":        nil,
		"state=drop+table":         {"gone", "december", "twin of march", "march"},
		"older=nothing":            {"gone", "december", "twin of march", "march"},
	} {
		page := b.Get("/registry/records?" + query)
		rows := rowsOf(t, page)
		require.Len(t, rows, len(want), query)
		for n := range want {
			require.True(t, strings.HasPrefix(rows[n], want[n]), "%s: %s", query, rows[n])
		}
		if len(want) == 0 {
			require.Contains(t, page.Body, "No record matches", query)
			require.Contains(t, page.Body, `name="state"`, "the filter stays in sight")
		}
	}
	for _, query := range []string{"year=20", "year=abcd", "month=03"} {
		page := b.Get("/registry/records?" + query)
		require.Equal(t, 422, page.StatusCode, query)
		require.Contains(t, page.Body, "There is a problem")
		require.Contains(t, page.Body, "<title>Error: ")
		require.Contains(t, page.Body, `href="#year"`)
	}
	const unfolded = `class="panel filter" open`
	require.NotContains(t, b.Get("/registry/records?state=voided").Body, unfolded, "the records come first")
	require.Contains(t, b.Get("/registry/records?state=merged").Body, unfolded, "nothing matches")
	require.Contains(t, b.Get("/registry/records?year=20").Body, unfolded, "it has a mistake")
	gone := marked(dom(t, b.Get("/registry/records?state=voided")), "record")[0]
	require.Equal(t, "gone", attr(gone, "class"), "struck")
	require.Contains(t, words(gone), "Voided", "and said")
}

func TestTheListCanBePagedBothWaysAndKeepsTheFilter(t *testing.T) {
	i := apptest.Start(t)
	var bundles []string
	for n := range 120 {
		bundles = append(bundles, apptest.Course{Chart: fmt.Sprintf("%03d", n), Mother: fmt.Sprint("M", n)}.Bundle())
	}
	i.Push(apptest.Batch(bundles...))
	b := i.SignIn(i.Practice, auth.Viewer)
	one := b.Get("/registry/records?state=active")
	older := link(dom(t, one), "Older")
	require.Regexp(t, `^/registry/records\?older=[0-9a-f-]{36}&state=active$`, older)
	require.Empty(t, link(dom(t, one), "Newer"))
	two := b.Get(older)
	require.True(t, strings.HasPrefix(rowsOf(t, two)[0], "069"))
	three := b.Get(link(dom(t, two), "Older"))
	require.Len(t, rowsOf(t, three), 20)
	require.Empty(t, link(dom(t, three), "Older"))
	require.Equal(t, rowsOf(t, two), rowsOf(t, b.Get(link(dom(t, three), "Newer"))))
	require.Equal(t, rowsOf(t, one), rowsOf(t, b.Get(link(dom(t, two), "Newer"))))
}

func TestASearchIsKeptInTheSessionAndNeverInAnAddress(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "secret-26-1"}.Bundle())
	i.Push(apptest.Course{Chart: "secret-26-2", Mother: "Diaz"}.Bundle())
	i.Push(apptest.Course{Chart: "27-1", Mother: "Ek"}.Bundle())
	b := i.SignIn(i.Practice, auth.Provider)
	search := func(text, query string) apptest.Page {
		answer := b.Post("/registry/records/search"+query, url.Values{"q": {text}})
		require.Equal(t, 303, answer.StatusCode)
		location := answer.Header.Get("Location")
		require.NotContains(t, location, "secret")
		return b.Get(location)
	}
	page := search(" secret-26 ", "")
	require.Len(t, rowsOf(t, page), 2)
	require.Contains(t, page.Body, `value="secret-26"`)
	require.Len(t, rowsOf(t, b.Get("/registry/records?found=search")), 2, "it stays")
	require.Len(t, rowsOf(t, search("secret-26-2", "?state=active")), 1, "with the filter")
	require.Len(t, rowsOf(t, search(i.Record("27-1").ID, "")), 1, "by the record's number")
	none := search("nobody", "")
	require.Empty(t, rowsOf(t, none))
	require.Contains(t, none.Body, "No record matches")
	require.Len(t, rowsOf(t, i.SignIn(i.Practice, auth.Viewer).Get("/registry/records?found=search")), 3, "nobody else's")

	b.Post("/registry/records/search", url.Values{"q": {"secret"}, "clear": {"yes"}})
	require.Len(t, rowsOf(t, b.Get("/registry/records?found=search")), 3)
	search("secret", "")
	require.Len(t, rowsOf(t, search("", "")), 3, "nothing looks for nothing")
	search("secret", "")
	require.Len(t, rowsOf(t, search(strings.Repeat("x", 201), "")), 3)
	require.NotContains(t, i.Log.String(), "secret")
	other := b.Do("POST", "/registry/records/search", strings.NewReader("q=x"), map[string]string{"Sec-Fetch-Site": "cross-site"})
	require.Equal(t, 403, other.StatusCode)
}

func TestTheRecordShowsEveryValueWithItsSourceAndOpeningItIsNoted(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Kids: 2, Weight: 3000, Mother: "<script>alert(1)</script>", Extra: []string{
		`{"resourceType":"Practitioner","id":"p1","name":[{"family":"Lindqvist","given":["Eva"]}],"qualification":[{"code":{"text":"CNM"}}]}`,
		`{"resourceType":"Encounter","status":"finished","participant":[{"type":[{"coding":[{"code":"ATND"}]}],"individual":{"reference":"Practitioner/p1"}}]}`,
	}}.Bundle())
	path, id := recordPath(i, "26-1"), i.Record("26-1").ID
	b := i.SignIn(i.Practice, auth.Viewer)
	before := noted(t, i, "record.read", id)
	page := b.Get(path)
	require.Equal(t, 200, page.StatusCode)
	require.Equal(t, before+1, noted(t, i, "record.read", id))
	root := dom(t, page)
	require.NotContains(t, page.Body, "<script>alert")
	require.Contains(t, page.Body, "<h1>&lt;script&gt;alert(1)&lt;/script&gt;, ", "the mother's name")
	require.Contains(t, page.Body, "<title>Record – ", "which is not in the browser's history")
	require.Equal(t, "May 17, 1994", fact(root, "Mother's date of birth"))
	require.Contains(t, page.Body, "Chart 26-1 · version 1 · pushed by key test on "+today())
	require.NotContains(t, page.Body, "unless marked otherwise", "all came from there")
	require.NotContains(t, page.Body, "EHR push", "which is said once")
	require.Contains(t, fact(root, "Attending"), "Lindqvist")
	require.Equal(t, []string{"Born Mar 2, 2026, 4:18 AM UTC-05:00 Mar 2, 2026, 4:18 AM UTC-05:00", "Birth weight 3,000 g (6 lb 10 oz) not stated", "Live birth Yes Yes"},
		texts(t, page, "newborns"), "side by side")
	require.Equal(t, "Not recorded", fact(root, "Consent"))
	require.Equal(t, id, fact(root, "Record number"))
	require.NotEmpty(t, link(root, "See the ingestion"))
}

func TestActionsDependOnTheRoleAndTheState(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1"}.Bundle())
	path := recordPath(i, "26-1")
	offered := func(role auth.Role) (all []string) {
		root := dom(t, i.SignIn(i.Practice, role).Get(path))
		for _, text := range []string{"Amend", "Void", "Restore", "Audit trail of this record", "Compare versions"} {
			if link(root, text) != "" {
				all = append(all, text)
			}
		}
		return all
	}
	require.Equal(t, []string{"Amend", "Void", "Audit trail of this record", "Compare versions"}, offered(auth.Admin))
	require.Equal(t, []string{"Amend", "Void", "Compare versions"}, offered(auth.Provider))
	require.Equal(t, []string{"Compare versions"}, offered(auth.Viewer))
	i.Push(apptest.Course{Chart: "26-1", Status: "entered-in-error"}.Bundle())
	require.Equal(t, []string{"Restore", "Compare versions"}, offered(auth.Provider))
	require.Equal(t, []string{"Compare versions"}, offered(auth.Viewer))
	page := i.SignIn(i.Practice, auth.Viewer).Get(path)
	require.Contains(t, page.Body, "Retracted on")
	require.Contains(t, page.Body, "This record is not counted.")
}

func TestEachOfTwoPossibleDuplicatesLinksToTheOther(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1"}.Bundle())
	i.Push(apptest.Course{Chart: "26-2"}.Bundle())
	page := i.SignIn(i.Practice, auth.Viewer).Get(recordPath(i, "26-2"))
	pair := func(one, two string) string {
		return "/registry/duplicates/" + i.Record(one).ID + "/" + i.Record(two).ID
	}
	require.Equal(t, pair("26-2", "26-1"), link(dom(t, page), "Compare it with record 26-1"))
	page = i.SignIn(i.Practice, auth.Viewer).Get(recordPath(i, "26-1"))
	require.Contains(t, page.Body, "This may be the same birth as another record")
	require.Equal(t, pair("26-1", "26-2"), link(dom(t, page), "Compare it with record 26-2"))
}

func TestVersionsAreListedComparedAndReadOnly(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3000, Stamp: "2026-03-03T10:00:00Z"}.Bundle())
	i.Push(apptest.Course{Chart: "26-1", Weight: 3400, Stamp: "2026-03-04T10:00:00Z"}.Bundle())
	path, id := recordPath(i, "26-1"), i.Record("26-1").ID
	b := i.SignIn(i.Practice, auth.Provider)
	page := b.Get(path + "/versions")
	require.Equal(t, 200, page.StatusCode)
	var rows []string
	for _, n := range marked(dom(t, page), "version") {
		rows = append(rows, words(n))
	}
	require.Len(t, rows, 2)
	require.Regexp(t, `^Version 2 Current Amended key test the ingestion .* EHR push Mar 4, 2026, 10:00 AM UTC$`, rows[0])
	require.Regexp(t, `^Version 1 Recorded key test the ingestion`, rows[1])

	compared := b.Get(path + "/compare?a=1&b=2")
	require.Equal(t, 200, compared.StatusCode)
	differ := marked(dom(t, compared), "difference")
	require.Len(t, differ, 1)
	require.Equal(t, "Newborn 1: Birth weight 3,000 g EHR push 3,400 g EHR push", words(differ[0]))
	require.Regexp(t, `Unchanged: \d+`, compared.Body)
	require.Equal(t, 303, b.Get(path+"/compare?a=x&b=2").StatusCode)
	require.Equal(t, 404, b.Get(path+"/compare?a=1&b=9").StatusCode)

	first := b.Get(path + "/versions/1")
	require.Equal(t, 200, first.StatusCode)
	require.Contains(t, first.Body, "This is version 1")
	require.Equal(t, "3,000 g (6 lb 10 oz)", fact(dom(t, first), "Birth weight"))
	for _, action := range []string{"Amend", "Void"} {
		require.Empty(t, link(dom(t, first), action), "you cannot change it")
	}
	require.Equal(t, path, b.Get(path+"/versions/2").Header.Get("Location"), "the present one has its own address")
	for _, none := range []string{"/versions/3", "/versions/0", "/versions/x"} {
		require.Equal(t, 404, b.Get(path+none).StatusCode, none)
	}
	require.Equal(t, 3, noted(t, i, "record.read", id), "history, comparison and version are noted, what is not shown is not")
}

func TestARecordIsVoidedAndRestoredOnceWithAReasonAndAName(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1"}.Bundle())
	path, id := recordPath(i, "26-1"), i.Record("26-1").ID
	b, other := i.SignIn(i.Practice, auth.Provider), i.SignIn(i.Practice, auth.Admin)
	page := b.Get(path + "/void")
	require.Contains(t, page.Body, "Void record 26-1</button>", "the button names the record")
	require.Equal(t, 409, b.Get(path+"/restore").StatusCode)

	missing := b.Post(path+"/void", url.Values{"reason": {"  "}, "basis": {"1"}})
	require.Equal(t, 422, missing.StatusCode)
	require.Contains(t, missing.Body, `href="#reason"`)
	long := strings.Repeat("é", 501)
	kept := b.Post(path+"/void", url.Values{"reason": {long}, "basis": {"1"}})
	require.Equal(t, 422, kept.StatusCode)
	require.Contains(t, kept.Body, long, "what was typed is kept")
	require.Equal(t, 1, i.Record("26-1").Version)

	done := b.Post(path+"/void", url.Values{"reason": {"Entered <twice>"}, "basis": {"1"}})
	require.Equal(t, 303, done.StatusCode)
	require.Equal(t, path, done.Header.Get("Location"))
	require.Equal(t, 1, noted(t, i, "record.void", id))
	shown := b.Get(path)
	require.Contains(t, shown.Body, "Record 26-1 is voided.")
	require.Contains(t, shown.Body, "Reason: Entered &lt;twice&gt;")
	require.NotContains(t, b.Get(path).Body, "Record 26-1 is voided.", "it is said once")
	again := other.Post(path+"/void", url.Values{"reason": {"Me too"}, "basis": {"1"}})
	require.Equal(t, 409, again.StatusCode, "somebody was faster")
	require.Equal(t, 2, i.Record("26-1").Version)

	require.Equal(t, 422, other.Post(path+"/restore", url.Values{}).StatusCode)
	require.Equal(t, 303, other.Post(path+"/restore", url.Values{"reason": {"It was right"}}).StatusCode)
	require.EqualValues(t, "active", i.Record("26-1").State)
	require.Equal(t, 1, noted(t, i, "record.restore", id))
	require.Equal(t, 409, other.Post(path+"/restore", url.Values{"reason": {"Again"}}).StatusCode)
	require.NotContains(t, i.Log.String(), "twice")
	history := b.Get(path + "/versions")
	require.Contains(t, history.Body, "It was right")
	require.Contains(t, history.Body, "Restored")
}

func TestAVoidIsRefusedIfTheRecordHasChangedMeanwhile(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1"}.Bundle())
	i.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	b := i.SignIn(i.Practice, auth.Provider)
	for _, basis := range []string{"1", "", "x", "-1"} {
		page := b.Post(recordPath(i, "26-1")+"/void", url.Values{"reason": {"Entered twice"}, "basis": {basis}})
		require.Equal(t, 409, page.StatusCode, basis)
		require.Contains(t, page.Body, "Nothing was changed")
	}
	require.Equal(t, 2, i.Record("26-1").Version)
}

func TestAnExportIsConfirmedNotedAndOnlyForAdmins(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Mother: "=cmd()", Kids: 2}.Bundle())
	i.Push(apptest.Course{Chart: "26-2", Mother: "Diaz", Born: "2025-01-02"}.Bundle())
	b := i.SignIn(i.Practice, auth.Admin)
	page := b.Get("/registry/records/export")
	require.Equal(t, 200, page.StatusCode)
	require.Contains(t, page.Body, "Download 2 records")
	require.Contains(t, page.Body, "patient data")
	require.NotContains(t, page.Body, "Diaz")
	require.Zero(t, noted(t, i, "record.export", "2 records"), "looking at the page exports nothing")
	file := b.Post("/registry/records/export", url.Values{})
	require.Equal(t, 200, file.StatusCode)
	require.Equal(t, "text/csv; charset=utf-8", file.Header.Get("Content-Type"))
	require.Regexp(t, `^attachment; filename="records-\d{4}-\d\d-\d\d\.csv"$`, file.Header.Get("Content-Disposition"))
	require.Equal(t, "no-store", file.Header.Get("Cache-Control"))
	rows, err := csv.NewReader(strings.NewReader(file.Body)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 4)
	require.Contains(t, file.Body, "'=cmd()")
	require.Equal(t, 1, noted(t, i, "record.export", "2 records"))

	require.Contains(t, b.Get("/registry/records/export?year=2025").Body, "Download 1 record<")
	require.Contains(t, b.Get("/registry/records/export?year=2025").Body, "born: 2025")
	filtered := b.Post("/registry/records/export?year=2025", url.Values{})
	require.NotContains(t, filtered.Body, "cmd()")
	require.Contains(t, filtered.Body, "Diaz")
	for _, role := range []auth.Role{auth.Provider, auth.Viewer, auth.Scribe} {
		other := i.SignIn(i.Practice, role)
		require.Equal(t, 403, other.Get("/registry/records/export").StatusCode, role)
		require.Equal(t, 403, other.Post("/registry/records/export", url.Values{}).StatusCode, role)
	}
}

func TestAnExportOfOtherRecordsThanThePageShowedIsConfirmedAgain(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Mother: "Okafor"}.Bundle())
	i.Push(apptest.Course{Chart: "26-2", Mother: "Diaz"}.Bundle())
	b := i.SignIn(i.Practice, auth.Admin)
	b.Post("/registry/records/search", url.Values{"q": {"okafor"}})
	require.Contains(t, b.Get("/registry/records/export?found=search").Body, `name="count" value="1"`)
	b.Post("/registry/records/search", url.Values{"clear": {"yes"}}) // in another tab
	answer := b.Post("/registry/records/export?found=search", url.Values{"count": {"1"}})
	require.Equal(t, 303, answer.StatusCode)
	again := b.Get(answer.Header.Get("Location"))
	require.Contains(t, again.Body, "Nothing was downloaded")
	require.Contains(t, again.Body, "Download 2 records<")
	require.Zero(t, noted(t, i, "record.export", "2 records"))
	require.Equal(t, 200, b.Post("/registry/records/export", url.Values{"count": {"2"}}).StatusCode)
	i.Clean()
}

func TestAnInterruptedExportDoesNotLookComplete(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1"}.Bundle())
	b := i.SignIn(i.Practice, auth.Admin)
	require.NoError(t, b.Download("/registry/records/export", url.Values{}))
	storetest.Exec(t, i.Config.DB, "update versions set patient = x'00'")
	require.Error(t, b.Download("/registry/records/export", url.Values{}))
	i.Logs("a download failed midway")
}

func TestAScribeReadsNoRecordAndAViewerChangesNone(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1"}.Bundle())
	path, id := recordPath(i, "26-1"), i.Record("26-1").ID
	scribe, viewer := i.SignIn(i.Practice, auth.Scribe), i.SignIn(i.Practice, auth.Viewer)
	for _, read := range []string{"", "/versions", "/versions/1", "/compare?a=1&b=1", "/void", "/restore"} {
		require.Equal(t, 403, scribe.Get(path+read).StatusCode, read)
	}
	require.Equal(t, 403, scribe.Get("/registry/records").StatusCode)
	require.Equal(t, 403, scribe.Post("/registry/records/search", url.Values{"q": {"26"}}).StatusCode)
	require.Zero(t, noted(t, i, "record.read", id))
	for _, change := range []string{"/void", "/restore"} {
		require.Equal(t, 403, viewer.Get(path+change).StatusCode)
		require.Equal(t, 403, viewer.Post(path+change, url.Values{"reason": {"x"}, "basis": {"1"}}).StatusCode)
	}
	require.Equal(t, 1, i.Record("26-1").Version)
	require.Equal(t, 303, i.Stranger().Get(path).StatusCode)
}

func TestAnotherPracticesRecordIsNotFound(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1"}.Bundle())
	id := i.Record("26-1").ID
	b := i.SignIn(i.AddPractice("Hillside"), auth.Admin)
	for _, name := range []string{id, uuid.NewString(), "26-1", strings.ToUpper(id), "x", "%00", "..%2f.."} {
		path := "/registry/records/" + name
		for _, page := range []string{"", "/versions", "/versions/1", "/compare?a=1&b=1", "/void", "/restore"} {
			require.Equal(t, 404, b.Get(path+page).StatusCode, path+page)
		}
		for _, page := range []string{"/void", "/restore"} {
			require.Equal(t, 404, b.Post(path+page, url.Values{"reason": {"x"}, "basis": {"1"}}).StatusCode, path+page)
		}
	}
	require.Empty(t, rowsOf(t, b.Get("/registry/records")))
	require.Empty(t, rowsOf(t, b.Get("/registry/records?older="+id)))
	require.Zero(t, noted(t, i, "record.read", id))
	require.Equal(t, 1, i.Record("26-1").Version)
}

var inline = regexp.MustCompile(`(?i)<script(?:[^>]*)>[^<]|<style|\sstyle=|\son[a-z]+=|javascript:`)

func TestRecordPagesCarryNoInlineCodeHaveOneHeadingAndLabelTheirFields(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1"}.Bundle())
	i.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	i.Push(apptest.Course{Chart: "26-2", Mother: "Diaz"}.Bundle())
	i.Push(apptest.Course{Chart: "26-2", Status: "entered-in-error"}.Bundle())
	path := recordPath(i, "26-1")
	b := i.SignIn(i.Practice, auth.Admin)
	for _, address := range []string{
		"/registry/records", "/registry/records?state=voided", "/registry/records?year=x", "/registry/records/export",
		path, path + "/versions", path + "/versions/1", path + "/compare?a=1&b=2", path + "/void",
		recordPath(i, "26-2") + "/restore", recordPath(i, "26-2"), "/registry/audit", "/registry/audit?record=x",
	} {
		page := b.Get(address)
		require.Less(t, page.StatusCode, 423, address)
		require.NotRegexp(t, inline, page.Body, address)
		headings, ids, labels := 0, map[string]bool{}, map[string]bool{}
		root := dom(t, page)
		for n := range root.Descendants() {
			if n.Data == "h1" {
				headings++
			}
			if id := attr(n, "id"); id != "" {
				require.False(t, ids[id], "%s: id %s twice", address, id)
				ids[id] = true
			}
			if n.Data == "label" {
				labels[attr(n, "for")] = true
			}
		}
		require.Equal(t, 1, headings, address)
		for n := range root.Descendants() {
			field := n.Data == "select" || n.Data == "textarea" || n.Data == "input" && attr(n, "type") != "hidden"
			if n.Type == html.ElementNode && field {
				require.True(t, labels[attr(n, "id")], "%s: %s has no label", address, attr(n, "name"))
			}
		}
	}
}
