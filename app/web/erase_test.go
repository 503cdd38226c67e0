package web_test

import (
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/review"
	"birthregistry/store"
)

func TestAnAdminErasesABirthWithAReasonAndThePassword(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Mother: "Zyxwvut", Weight: 3000}.Bundle())
	record := i.Record("26-1")
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	at := "/registry/records/" + record.ID + "/erase"
	require.Contains(t, b.Get("/registry/records/"+record.ID).Body, `href="`+at+`"`)
	require.NotContains(t, i.SignIn(i.Practice, auth.Provider).Get("/registry/records/"+record.ID).Body, at)
	page := b.Get(at)
	require.Equal(t, 200, page.StatusCode)
	require.Contains(t, page.Body, "What is erased")
	require.Contains(t, page.Body, "Earlier backups hold")
	basis := strconv.Itoa(record.Version)
	for name, form := range map[string]url.Values{
		"no reason":             {"basis": {basis}, "password": {password}},
		"a reason of one’s own": {"basis": {basis}, "reason": {"Zyxwvut asked"}, "password": {password}},
		"no password":           {"basis": {basis}, "reason": {"request"}},
		"a wrong password":      {"basis": {basis}, "reason": {"request"}, "password": {"not the right password"}},
	} {
		page := b.Post(at, form)
		require.Equal(t, 422, page.StatusCode, name)
		require.Contains(t, page.Body, "There is a problem", name)
	}
	both := b.Post(at, url.Values{"basis": {basis}, "password": {"not the right password"}}).Body
	require.Contains(t, both, `<a href="#reason">`, "both mistakes are shown at once")
	require.Contains(t, both, `<a href="#password">`)
	require.Equal(t, 409, b.Post(at, url.Values{"basis": {"7"}, "reason": {"request"}, "password": {password}}).StatusCode)
	require.Equal(t, 1, i.Count())
	done := b.Post(at, url.Values{"basis": {basis}, "reason": {"request"}, "password": {password}})
	require.Equal(t, 303, done.StatusCode)
	require.Contains(t, b.Get(done.Header.Get("Location")).Body, "The birth is erased.")
	require.Equal(t, 404, b.Get("/registry/records/"+record.ID).StatusCode)
	require.Zero(t, i.Count())
	trail, err := i.App.Auth.Trail.Entries(t.Context(), i.Practice, store.AuditFilter{Object: record.ID}, 0, false, 1)
	require.NoError(t, err)
	require.Equal(t, "record.erase-on-request", trail[0].Action)
	i.Clean()
}

func TestAnErasedBirthThatIsSentAgainIsShownOnHomeUntilAnAdminDecides(t *testing.T) {
	i := apptest.Start(t)
	bundle := apptest.Course{Chart: "26-1", Mother: "Zyxwvut", Weight: 3000}.Bundle()
	i.Push(bundle)
	record := i.Record("26-1")
	addUser(i, i.Practice, olive, auth.Admin)
	b, provider := signedIn(i, olive), i.SignIn(i.Practice, auth.Provider)
	const link = `<a href="/registry/erased">Erased births</a>`
	require.NotContains(t, b.Get("/registry/records").Body, link, "there is none yet")
	require.Contains(t, b.Get("/registry/records/"+record.ID+"/erase").Body, link)
	b.Post("/registry/records/"+record.ID+"/erase", url.Values{"basis": {"1"}, "reason": {"mistake"}, "password": {password}})
	require.Contains(t, b.Get("/registry/erased").Body, record.ID)
	require.Contains(t, b.Get("/registry/erased").Body, `<nav class="within"`, "a way back to the records")
	require.Contains(t, b.Get("/registry/records").Body, link, "found without a birth that was sent again")
	require.NotContains(t, provider.Get("/registry/records").Body, link, "only an admin decides there")
	require.NotContains(t, b.Get("/registry").Body, "erased birth that was sent again")

	out := i.Push(bundle)
	require.Len(t, out.Rejected, 1)
	require.Equal(t, "erased", out.Rejected[0].Outcome.Issue[0].Details.Coding[0].Code)
	require.Contains(t, b.Get("/registry").Body, "erased birth that was sent again")
	require.Contains(t, provider.Get("/registry").Body, "erased birth that was sent again")
	page := provider.Get("/registry/erased").Body
	require.Contains(t, page, "It was sent again 1 time")
	require.NotContains(t, page, "Allow it to be recorded again", "only an admin")
	page = b.Get("/registry/erased").Body
	lift := page[strings.Index(page, "/registry/erased/"):]
	keep := lift[:strings.IndexByte(lift, '"')]
	require.True(t, strings.HasSuffix(keep, "/keep"))
	require.Equal(t, 403, provider.Post(strings.Replace(keep, "keep", "lift", 1), nil).StatusCode)
	require.Equal(t, 303, b.Post(keep, nil).StatusCode)
	require.NotContains(t, b.Get("/registry").Body, "erased birth that was sent again")
	require.Equal(t, 303, b.Post(strings.Replace(keep, "keep", "lift", 1), nil).StatusCode)
	require.Len(t, i.Push(bundle).Accepted, 1)
	require.Equal(t, 404, b.Post(keep, nil).StatusCode)
	i.Clean()
}

func TestAnErasedChartNumberInTheFormOrASpreadsheetIsAMistakeThere(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	record := i.Record("26-1")
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	b.Post("/registry/records/"+record.ID+"/erase", url.Values{"basis": {"1"}, "reason": {"mistake"}, "password": {password}})
	preview := upload(t, b, "births.csv", "chart_number,mother_family_name,birth_date\n26-1,Okonkwo,2026-03-02\n26-2,Haddad,2026-03-02\n")
	page := b.Get(preview.Header.Get("Location"))
	require.Contains(t, page.Body, "The practice has erased the birth with this chart number.")
	form := openForm(t, b, birthOf("Okonkwo"))
	form.Set("chart_number", "26-1")
	page = b.Post("/registry/capture", form)
	require.Equal(t, 422, page.StatusCode)
	require.Contains(t, parsePage(t, page).summary(), "chart_number")

	draft, form := draftOf(t, b, birthOf("Okonkwo")) // as the page itself sends it
	form.Set("chart_number", "26-1")
	page = b.Get(press(t, b, draft, "save", form))
	require.Equal(t, 422, page.StatusCode)
	require.Contains(t, page.Body, "The practice has erased the birth with this chart number.")
	require.Zero(t, i.Count())
}

func TestEverythingAboutABirthIsShownAndDownloadedForAClientWhoAsks(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Mother: "Zyxwvut", Weight: 3000}.Bundle())
	i.Push(apptest.Course{Chart: "26-1", Mother: "Zyxwvut", Weight: 3100}.Bundle())
	record := i.Record("26-1")
	path := "/registry/records/" + record.ID
	provider := i.SignIn(i.Practice, auth.Provider)
	require.Contains(t, provider.Get(path).Body, `href="`+path+`/everything"`)
	require.NoError(t, i.App.Auth.NoteAlone(auth.User{Name: "Otto Export", Practice: store.Practice{ID: i.Practice}}, "record.export", "1 records"))

	page := provider.Get(path + "/everything")
	require.Equal(t, 200, page.StatusCode)
	require.Less(t, len(page.Body), 100<<10)
	for _, text := range []string{"Zyxwvut", "Amended", "Recorded", "3,100", "Otto Export", "opened a record"} {
		require.Contains(t, page.Body, text)
	}
	require.Equal(t, 403, i.SignIn(i.Practice, auth.Viewer).Get(path+"/everything").StatusCode)

	file := provider.Post(path+"/everything", nil)
	require.Equal(t, 200, file.StatusCode)
	require.Contains(t, file.Header.Get("Content-Disposition"), ".json")
	doc := jsonOf(t, file)
	require.Len(t, doc["versions"], 2)
	require.Len(t, doc["downloads"], 1)
	require.Equal(t, record.ID, doc["record"].(map[string]any)["id"])
	old := doc["versions"].([]any)[1].(map[string]any)["record"].(map[string]any)
	require.EqualValues(t, 3000, old["children"].([]any)[0].(map[string]any)["birth_weight_g"].(map[string]any)["value"])
	require.Equal(t, 1, noted(t, i, "record.account", record.ID))
	require.Equal(t, 1, noted(t, i, "record.account-file", record.ID))
	require.Equal(t, "record.account-file", doc["audit"].([]any)[0].(map[string]any)["action"], "it is noted itself")
	require.Equal(t, "Downloaded everything about a birth", doc["audit"].([]any)[0].(map[string]any)["what"])
	require.NotRegexp(t, `"address"|"user"|127\.0\.0\.1`, file.Body, "a client is not given the network addresses and account numbers of staff")
}

func TestEverythingAboutABirthNamesTheRecordsThatWereMergedIntoIt(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Mother: "Okonkwo", Weight: 3000}.Bundle())
	i.Push(apptest.Course{Chart: "26-2", Mother: "Okonkwo", Weight: 3100}.Bundle())
	stays, goes := i.Record("26-1"), i.Record("26-2")
	admin := i.SignIn(i.Practice, auth.Admin)
	_, err := i.App.Review.Merge(auth.User{ID: admin.User, Role: auth.Admin, Practice: store.Practice{ID: i.Practice}}, review.Pair{Stays: stays.ID, Goes: goes.ID, StaysVersion: 1, GoesVersion: 1}, "", nil)
	require.NoError(t, err)

	path := "/registry/records/" + stays.ID + "/everything"
	require.Contains(t, admin.Get(path).Body, `href="/registry/records/`+goes.ID+`/everything">26-2<`)
	doc := jsonOf(t, admin.Post(path, nil))
	merged := doc["merged"].([]any)[0].(map[string]any)
	require.Equal(t, goes.ID, merged["record"].(map[string]any)["id"])
	require.NotEmpty(t, merged["versions"])
	require.Contains(t, merged, "audit")
}

func jsonOf(t *testing.T, page apptest.Page) (doc map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(page.Body), &doc))
	return doc
}

func TestALongTrailOfABirthIsPaged(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	record := i.Record("26-1")
	for range 250 {
		require.NoError(t, i.App.Auth.NoteAlone(auth.User{Name: "Otto", Practice: store.Practice{ID: i.Practice}}, "record.read", record.ID))
	}
	b := i.SignIn(i.Practice, auth.Provider)
	at, rows := "/registry/records/"+record.ID+"/everything", 0
	for at != "" {
		page := b.Get(at)
		require.Less(t, len(page.Body), 100<<10)
		rows += strings.Count(page.Body, `data-testid="trail"`)
		at = ""
		if n := strings.Index(page.Body, "/everything?trail="); n >= 0 {
			rest := page.Body[n:]
			at = "/registry/records/" + record.ID + rest[:strings.IndexByte(rest, '"')]
		}
	}
	require.Equal(t, 250, rows)
	require.Len(t, jsonOf(t, b.Post("/registry/records/"+record.ID+"/everything", nil))["audit"], 254)
}

// The guide names the reader's choices in the words of the pages.
func TestTheGuideForAClientWhoAsksNamesWhatThePagesShow(t *testing.T) {
	i := apptest.Start(t)
	bundle := apptest.Course{Chart: "26-1", Weight: 3000}.Bundle()
	i.Push(bundle)
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	path := "/registry/records/" + i.Record("26-1").ID
	guide := text(b.Get("/docs/client"))
	says := func(address string, labels ...string) {
		t.Helper()
		page := text(b.Get(address))
		for _, label := range labels {
			require.Contains(t, page, label, address)
			require.Contains(t, guide, label, "the guide")
		}
	}
	says(path, "Everything about this birth", "Erase")
	says(path+"/everything", "Download all of it (JSON)")
	says(path+"/erase", "The client withdraws, or asks for erasure", "It is a test, or was entered by mistake")
	require.Equal(t, 303, b.Post(path+"/erase", url.Values{"basis": {"1"}, "reason": {"mistake"}, "password": {password}}).StatusCode)
	i.Push(bundle)
	says("/registry/erased", "Erased births", "Keep it erased", "Allow it to be recorded again")
	says("/registry", "Needs attention")
}

// text returns a page's text, without its markup.
func text(page apptest.Page) string {
	plain := regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page.Body, "")
	return strings.Join(strings.Fields(html.UnescapeString(plain)), " ")
}
