package web_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

// someWrong is a file with three wrong cells in two of 22 rows.
var someWrong = "Chart #,Mother last name,Mother first name,Baby DOB,Presentation\n" +
	"A-1,Secretname,Ann,2 March,sideways\nA-2,Novak,Eva,2 March,vertex\n" + rightRows(20)

func rightRows(n int) string {
	var rows strings.Builder
	for i := range n {
		fmt.Fprintf(&rows, "A-%d,Lee,Mi,2026-03-%02d,vertex\n", i+3, i+3)
	}
	return rows.String()
}

// fixing is the preview page on which wrong values are fixed.
type fixing struct {
	*testing.T
	b  *apptest.Browser
	at string
}

// post sends the boxes, each named by the text next to it, as a browser without JavaScript does.
func (f *fixing) post(typed map[string]string) apptest.Page {
	f.Helper()
	page := parsePage(f.T, f.b.Get(f.at))
	form := url.Values{"revision": {page.form().Get("revision")}}
	for text, value := range typed {
		name := ""
		for _, label := range page.all(func(n *html.Node) bool { return n.Data == "label" && wordsOf(n) == "Use instead of "+text }) {
			name, _ = attrOf(label, "for")
		}
		require.NotEmpty(f, name, "no box next to %s", text)
		form.Set(name, value)
	}
	return f.b.Post(f.at+"/fix", form)
}

func TestWrongValuesAreFixedInThePreviewWithoutJavaScript(t *testing.T) {
	i := apptest.Start(t)
	f := &fixing{T: t, b: i.SignIn(i.Practice, auth.Provider)}
	f.at = (&matcher{t: t, b: f.b}).through(upload(t, f.b, "march.csv", someWrong))
	page := f.b.Get(f.at).Body
	for _, text := range []string{
		"Baby DOB", "column D, read as Date of birth (newborn)", "in rows 2, 3", "in all 2 rows", "Presentation", "Choose one of: Vertex",
		"You can fix up to 100 values", "Import 20 births, keep 2 births with errors as drafts",
	} {
		require.Contains(t, page, text)
	}
	answer := f.post(map[string]string{"2 March": "2026-03-02", "sideways": "breach"})
	require.Equal(t, 303, answer.StatusCode, answer.Body)
	require.Equal(t, f.at, answer.Header.Get("Location"), "no value is in an address")
	page = f.b.Get(f.at).Body
	require.Contains(t, page, "<strong>breach</strong>", "what is typed can be wrong, too")
	require.NotContains(t, page, "in rows 2, 3")
	require.Equal(t, 303, f.post(map[string]string{"breach": "Breech"}).StatusCode)
	page = f.b.Get(f.at).Body
	for _, text := range []string{"Import 22 births", "Changed here", "is read as", "<strong>2 March</strong>", "in all rows", "<strong>sideways</strong>", "Breech", "Take back"} {
		require.Contains(t, page, text)
	}
	require.NotContains(t, page, "with errors")

	revision := parsePage(t, f.b.Get(f.at)).form().Get("revision")
	require.Equal(t, 303, f.b.Post(f.at+"/fix", url.Values{"revision": {revision}, "unfix": {"1"}}).StatusCode)
	require.Contains(t, f.b.Get(f.at).Body, ">1</span> with errors")
	stale := f.b.Post(f.at+"/fix", url.Values{"revision": {revision}, "unfix": {"0"}})
	require.Equal(t, 303, stale.StatusCode)
	require.Contains(t, f.b.Get(f.at).Body, "Nothing was changed")
	require.Equal(t, 303, f.post(map[string]string{"sideways": "breech"}).StatusCode)
	require.Equal(t, 303, f.b.Post(f.at+"/confirm", url.Values{}).StatusCode)
	done := imported(t, f.b, f.at)
	require.Contains(t, done.Body, ">22</span> births added")
	require.NotContains(t, done.Body, "Take back")
	require.Equal(t, "csv", sourcesOf(i, "A-1")["birth_date"], "the value counts as the file's")
	require.Equal(t, "csv", sourcesOf(i, "A-1")["fetal_presentation"])
	for _, text := range []string{"Secretname", "breach", "2 March", "sideways"} {
		require.NotContains(t, i.Log.String(), text)
	}
}

func TestTooManyOrTooLongFixesAreRefusedAndKeepWhatWasTyped(t *testing.T) {
	i := apptest.Start(t)
	f := &fixing{T: t, b: i.SignIn(i.Practice, auth.Scribe)}
	f.at = (&matcher{t: t, b: f.b}).through(upload(t, f.b, "march.csv", someWrong))
	refused := f.post(map[string]string{"2 March": "2026-03-02", "sideways": strings.Repeat("x", 201)})
	require.Equal(t, 422, refused.StatusCode)
	require.Contains(t, refused.Body, "A value must be one line of at most 200 characters")
	require.Contains(t, refused.Body, `value="2026-03-02"`)
	require.NotContains(t, f.b.Get(f.at).Body, "Changed here")
}

func TestAPreviewFullOfErrorsAndFixesIsAtMost100KB(t *testing.T) {
	i := apptest.Start(t)
	f := &fixing{T: t, b: i.SignIn(i.Practice, auth.Provider)}
	var file strings.Builder
	file.WriteString("chart_number,mother_family_name,mother_given_names,birth_date,estimated_due_date,remarks\n")
	for n := range 200 {
		long := fmt.Sprintf("%s %d", strings.Repeat("wrong ", 16), n)
		fmt.Fprintf(&file, "A-%d,Lee,Mi,%s,%s,\n", n, long, long)
		fmt.Fprintf(&file, "B-%d,Lee,Mi,%s,%s,\n", n, long, long)
		fmt.Fprintf(&file, "C-%d,Lee,Mi,2026-03-02,2026-03-0%d,\n", n, n%9+1)
		fmt.Fprintf(&file, "D-%d,Lee,Mi,2026-03-02,2026-03-0%d,\n", n, n%9+1)
		fmt.Fprintf(&file, "E-%d,Lee,Mi,2026-03-02,2026-03-0%d,\n", n, n%9+1)
	}
	f.at = (&matcher{t: t, b: f.b}).through(upload(t, f.b, "march.csv", file.String()))
	for range 2 {
		page := f.b.Get(f.at)
		require.LessOrEqual(t, len(page.Body), 100_000)
		form := url.Values{"revision": {parsePage(t, page).form().Get("revision")}}
		for n := range 50 {
			form.Set(fmt.Sprint("fix", n), strings.Repeat("still wrong ", 8)+fmt.Sprint(n))
		}
		require.Equal(t, 303, f.b.Post(f.at+"/fix", form).StatusCode)
	}
	page := f.b.Get(f.at)
	require.Contains(t, page.Body, "Changed here")
	require.Contains(t, page.Body, "which is also wrong")
	require.LessOrEqual(t, len(page.Body), 100_000)
}

func TestAPreviewFullOfChangesAndErrorsOfRecordsOnFileIsAtMost100KB(t *testing.T) {
	i := apptest.Start(t)
	f := &fixing{T: t, b: i.SignIn(i.Practice, auth.Provider)}
	const head = "chart_number,mother_family_name,mother_given_names,birth_date,estimated_due_date\n"
	var first, second strings.Builder
	for n := range 300 {
		fmt.Fprintf(&first, "A-%d,Lee%d,Mi%d,2026-03-02,2026-03-01\n", n, n, n)
		due := fmt.Sprintf("%s %d", strings.Repeat("wrong ", 16), n%60)
		switch n % 30 {
		case 7:
			due = "2026-03-02"
		case 8:
			due = "2028-03-02"
		}
		fmt.Fprintf(&second, "A-%d,%s,Mi%d,2026-03-02,%s\n", n, []string{"Lee", "Other"}[n%2]+fmt.Sprint(n), n, due)
	}
	f.at = (&matcher{t: t, b: f.b}).through(upload(t, f.b, "first.csv", head+first.String()))
	require.Equal(t, 303, f.b.Post(f.at+"/confirm", nil).StatusCode)
	imported(t, f.b, f.at)
	f.at = (&matcher{t: t, b: f.b}).through(upload(t, f.b, "second.csv", head+second.String()))
	page := f.b.Get(f.at).Body
	require.Contains(t, page, "Records on file that change")
	require.Contains(t, page, "Open the record on file for row 3")
	require.LessOrEqual(t, len(page), 100_000)
}

func TestAnErrorWithAValueOnFileLinksToTheRecord(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	at := (&matcher{t: t, b: b}).through(upload(t, b, "first.csv", "chart_number,mother_birth_date,birth_date,last_menstrual_period,gravida\nA,1990-01-01,2026-03-02,2025-11-01,2\n"))
	require.Equal(t, 303, b.Post(at+"/confirm", nil).StatusCode)
	imported(t, b, at)
	record := regexp.MustCompile(`/registry/records/[0-9a-f-]{36}`).FindString(b.Get("/registry/records").Body)
	require.NotEmpty(t, record)
	page := b.Get((&matcher{t: t, b: b}).through(upload(t, b, "again.csv", "chart_number,mother_birth_date,birth_date,parity\nA,1990-01-01,2025-10-31,\n"))).Body
	require.Contains(t, page, "On file, not in this row: Last menstrual period.")
	require.Contains(t, page, `<a href="`+record+`">Open the record on file for row 2</a>`)
	page = b.Get((&matcher{t: t, b: b}).through(upload(t, b, "again.csv", "chart_number,birth_date,parity\nA,,4\n"))).Body
	require.Contains(t, page, "On file, not in this row: Pregnancies, this one included.")
	require.Contains(t, page, `<a href="`+record+`">Open the record on file <span class="unseen">of row 2</span></a>`)
}

func TestThePageThatMatchesColumnsSaysWhatNoColumnHolds(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	page := func(file string) string {
		return b.Get(upload(t, b, "march.csv", file).Header.Get("Location") + "/columns").Body
	}
	const date, chart = "No column holds the newborn’s date of birth", "No column holds a chart number"
	none := page("Mother last name,Mother first name,Date\nLee,Ann,2026-03-02\n")
	require.Contains(t, none, date)
	require.Contains(t, none, chart)
	asked := page("Chart #,Mother last name,DOB\n1,Lee,2026-03-02\n")
	require.NotContains(t, asked, date, "the page asks whether a column holds it")
	require.NotContains(t, asked, chart)
}

func TestTheQuestionAboutTheClockShowsTheCellThatMakesItNecessary(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	at := upload(t, b, "clock.csv", "Mother last name,Mother first name,Date of delivery,Time of birth\nLee,Ann,2026-03-02,4:18 PM\nNovak,Eva,2026-03-03,16:20\nOde,Uma,2026-03-04,4:25\n")
	page := b.Get(at.Header.Get("Location") + "/columns").Body
	require.Contains(t, page, "Row 4 has “4:25”, without AM or PM, but row 2 has “4:18 PM”.")
}
