package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/corpus"
	"birthregistry/app/records"
	"birthregistry/app/smart"
	"birthregistry/store"
)

// ehrLaunch is an installation with the test EHR (app/testehr), whose moods a test may list.
type ehrLaunch struct {
	*apptest.Installation
	t   *testing.T
	ehr *apptest.EHR
}

const (
	amara     = "okonkwo-amara" // a mother in app/testehr/charts
	public    = "registry-public"
	prefilled = "/registry/capture/prefill"
)

// openEHRLaunch starts both. options are further flags of the EHR.
func openEHRLaunch(t *testing.T, options ...string) *ehrLaunch {
	t.Helper()
	i := apptest.Start(t, func(c *app.Config) { c.Smart.Loopback = true })
	l := &ehrLaunch{i, t, apptest.StartEHR(t, i.URL, options...)}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(l.Log.String())
		}
	})
	l.list("", public)
	return l
}

// list registers the EHR in a mood, with one of its clients.
func (l *ehrLaunch) list(mood, client string, change ...func(*smart.Listing)) {
	l.t.Helper()
	entry := smart.Listing{EHR: store.EHR{Issuer: l.ehr.Base(mood), Label: "Test EHR", ClientID: client, Auth: store.AuthPublic}}
	for _, c := range l.ehr.Clients {
		switch {
		case c.ID != client:
		case c.Auth == "client_secret_basic":
			entry.Auth, entry.ClientSecret = store.AuthSecret, c.Secret
		case c.Auth == "private_key_jwt":
			entry.Auth = store.AuthKey
		}
	}
	for _, c := range change {
		c(&entry)
	}
	_, _, err := l.App.Smart.List(entry)
	require.NoError(l.t, err)
}

var addresses atomic.Int32

// browser returns a provider's browser with its own address, because callbacks are limited by
// address.
func (l *ehrLaunch) browser() *apptest.Browser {
	l.t.Helper()
	n := addresses.Add(1)
	return l.SignIn(l.Practice, auth.Provider).From(fmt.Sprintf("127.1.%d.%d", n/250, n%250+1))
}

// launch follows a launch up to the callback, without visiting it.
func (l *ehrLaunch) launch(b *apptest.Browser, mood, patient string, more url.Values) string {
	l.t.Helper()
	callback, last := b.Handshake(l.ehr.Press(mood, patient, more))
	require.NotEmpty(l.t, callback, "%s: the launch ends with %d on %s", mood, last.StatusCode, last.Request.URL.Path)
	return callback
}

// pull follows a launch to its end and returns the form.
func (l *ehrLaunch) pull(b *apptest.Browser, mood, patient string) apptest.Page {
	l.t.Helper()
	answer := b.Visit(l.launch(b, mood, patient, nil))
	require.Equal(l.t, http.StatusSeeOther, answer.StatusCode, "%s: %s", mood, text(answer))
	require.Equal(l.t, prefilled, answer.Header.Get("Location"), "and nowhere else")
	form := b.Get(prefilled)
	require.Equal(l.t, http.StatusOK, form.StatusCode)
	return form
}

// tokenCalls counts the requests to the token endpoints.
func (l *ehrLaunch) tokenCalls() int {
	return len(l.ehr.Journal(func(a apptest.Asked) bool { return strings.HasSuffix(a.Path, "/token") }))
}

// elements visits the elements of a page.
func elements(page apptest.Page, visit func(n *html.Node, attributes map[string]string)) {
	doc, err := html.Parse(strings.NewReader(page.Body))
	if err != nil {
		panic(err)
	}
	for n := range doc.Descendants() {
		attributes := map[string]string{}
		for _, a := range n.Attr {
			attributes[a.Key] = a.Val
		}
		visit(n, attributes)
	}
}

// value returns the value of a form's field.
func value(page apptest.Page, field string) (held string) {
	elements(page, func(n *html.Node, attributes map[string]string) {
		if attributes["id"] != field {
			return
		}
		held = attributes["value"]
		for option := range n.Descendants() {
			if option.Data == "option" {
				for _, a := range option.Attr {
					if a.Key == "selected" {
						held = attributeOf(option, "value")
					}
				}
			}
		}
	})
	return held
}

func attributeOf(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// text returns the visible text of a page.
func text(page apptest.Page) string {
	var all []string
	elements(page, func(n *html.Node, _ map[string]string) {
		if n.Type == html.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style" {
			all = append(all, strings.Fields(n.Data)...)
		}
	})
	return strings.Join(all, " ")
}

// fillsIn requires that the form holds the values of Amara's chart.
func fillsIn(t *testing.T, form apptest.Page) {
	t.Helper()
	require.Equal(t, "Okonkwo", value(form, "mother_family_name"))
	require.Equal(t, "67.1", value(form, "mother_height_in")) // 170.5 cm, and not the height that was entered in error
	require.Equal(t, "145", value(form, "prepregnancy_weight_lb"))
	require.Equal(t, "2", value(form, "gravida"))
	require.Equal(t, "0", value(form, "previous_cesareans"), "zero is an answer")
}

// offers requires that the form holds Amara's name, but no value that an unread part of her
// chart could contradict: it only offers those next to their fields.
func offers(t *testing.T, form apptest.Page) {
	t.Helper()
	require.Equal(t, "Okonkwo", value(form, "mother_family_name"))
	for _, field := range []string{"prepregnancy_weight_lb", "gravida", "parity", "previous_cesareans", "last_menstrual_period"} {
		require.Empty(t, value(form, field), field)
	}
	require.Contains(t, text(form), "what is missing may contradict it")
}

func TestEachKindOfClientCompletesALaunch(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	for client, credentials := range map[string]string{public: "", "registry-secret": "basic", "registry-key": ""} {
		t.Run(client, func(t *testing.T) {
			l.list("", client)
			before := l.tokenCalls()
			fillsIn(t, l.pull(l.browser(), "", amara))
			calls := l.ehr.Journal(func(a apptest.Asked) bool { return a.Path == "/token" })[before:]
			require.Len(t, calls, 1, "one attempt a code")
			require.Equal(t, http.StatusOK, calls[0].Status)
			require.Equal(t, credentials, calls[0].Credentials)
		})
	}
	for _, read := range l.ehr.Journal(func(a apptest.Asked) bool { return strings.HasPrefix(a.Path, "/fhir/") }) {
		require.Equal(t, !strings.HasSuffix(read.Path, "/smart-configuration"), read.Credentials == "bearer", read.Path)
		require.NotContains(t, read.Query, "access_token")
	}
	require.NotEmpty(t, l.ehr.Journal(func(a apptest.Asked) bool { return a.Path == "/token" }))
}

func TestAWrongSecretEndsTheLaunch(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	l.list("", "registry-secret", func(e *smart.Listing) { e.ClientSecret = "wrong" })
	b := l.browser()
	answer := b.Visit(l.launch(b, "", amara, nil))
	require.Equal(t, http.StatusBadGateway, answer.StatusCode)
	require.Equal(t, 1, l.tokenCalls(), "and is not tried again")
}

func TestKeysAreRotatedWithoutAGap(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	l.list("", "registry-key")
	fillsIn(t, l.pull(l.browser(), "", amara))
	old := l.Do(http.MethodGet, "/smart/jwks.json", "")
	require.NoError(t, l.App.Smart.RotateKeys())
	both := l.Do(http.MethodGet, "/smart/jwks.json", "")
	require.Len(t, old.JSON(t)["keys"], 2)
	require.Len(t, both.JSON(t)["keys"], 4, "the pair before stays published")
	require.NotContains(t, string(both.Body), `"d":`)
	fillsIn(t, l.pull(l.browser(), "", amara)) // the EHR knows only the old ones
}

// Vendors differ in ways that lose no value.
func TestEveryVendorsWayOfLaunchingFillsInTheForm(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	for _, mood := range []string{
		"epic", "oracle", "hapi", "relative", "small-pages", "v1", "nameless", "classic", "relative-endpoints", "busy",
	} {
		t.Run(mood, func(t *testing.T) {
			l.list(mood, public, func(e *smart.Listing) {
				if mood == "oracle" { // this vendor signs people in on another host than its FHIR server
					e.Hosts = []string{strings.Replace(strings.TrimPrefix(l.ehr.Address, "http://"), "127.0.0.1", "localhost", 1)}
				}
			})
			form := l.pull(l.browser(), mood, amara)
			fillsIn(t, form)
			require.NotContains(t, text(form), "Not everything could be read")
		})
	}
}

// athenahealth serves further pages from another host: the values already read stay, and the
// form says that there are more.
func TestPKCEIsUsedWhereItIsNotAdvertisedAndAPageThatCannotBeFollowedIsNamed(t *testing.T) {
	t.Parallel()
	charts := t.TempDir()
	writeChart(t, charts, 30)
	l := openEHRLaunch(t, "--charts", charts)
	l.list("athena", public)
	form := l.pull(l.browser(), "athena", "many")
	require.NotContains(t, text(form), "Not everything could be read", "the newest height is on the first page")
	require.Equal(t, "66.9", value(form, "mother_height_in"))
}

func TestAPartOfTheChartThatCannotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	for mood, part := range map[string]string{
		"no-observations": "Measurements", "broken-observations": "Measurements",
		"garbage": "Measurements", "no-conditions": "Diagnoses", "first-page-only": "Measurements",
	} {
		t.Run(mood, func(t *testing.T) {
			l.list(mood, public)
			form := l.pull(l.browser(), mood, amara)
			require.Equal(t, "Okonkwo", value(form, "mother_family_name"))
			require.Contains(t, text(form), "Not everything could be read")
			require.Contains(t, text(form), part)
			for _, field := range []string{"gravida", "previous_cesareans", "last_menstrual_period"} {
				require.Empty(t, value(form, field), "%s: the rest of the chart may contradict it", field)
			}
		})
	}
	t.Run("a scope that the clinician did not grant", func(t *testing.T) {
		b := l.browser()
		callback := l.consents(b, url.Values{"answer": {"share"}, "scope": {"patient/Patient.r", "patient/Observation.rs"}})
		require.Equal(t, http.StatusSeeOther, b.Visit(callback).StatusCode)
		form := b.Get(prefilled)
		offers(t, form)
		require.Equal(t, "67.1", value(form, "mother_height_in"), "no diagnosis or visit could change that")
		require.Contains(t, text(form), "Diagnoses were not read")
		require.Contains(t, text(form), "Visits were not read")
	})
	t.Run("the clinician refused", func(t *testing.T) {
		b := l.browser()
		answer := b.Visit(l.consents(b, url.Values{"answer": {"deny"}}))
		require.Equal(t, http.StatusForbidden, answer.StatusCode)
		require.NotContains(t, answer.Body, "The clinician refused", "its words are not the service's")
	})
	t.Run("no patient", func(t *testing.T) {
		l.list("no-patient", public)
		b := l.browser()
		require.Equal(t, http.StatusBadGateway, b.Visit(l.launch(b, "no-patient", amara, nil)).StatusCode)
	})
	t.Run("the token ends under way", func(t *testing.T) {
		l.list("expires", public)
		b := l.browser()
		answer := b.Visit(l.launch(b, "expires", amara, nil))
		require.Equal(t, http.StatusBadGateway, answer.StatusCode)
		require.Contains(t, text(answer), "again from the EHR")
	})
}

// consents answers the EHR's question whether to share the chart, and returns the callback.
func (l *ehrLaunch) consents(b *apptest.Browser, answer url.Values) string {
	l.t.Helper()
	_, page := b.Handshake(l.ehr.Press("", amara, url.Values{"ask": {"1"}}))
	require.Contains(l.t, page.Body, "Share this chart?")
	callback, last := b.Answer(page.Request.URL.String(), answer)
	require.NotEmpty(l.t, callback, "%s", text(last))
	return callback
}

// A launch needs no session; the values it found wait until the person signs in.
func TestTheChartWaitsForTheSignIn(t *testing.T) {
	t.Parallel()
	i, _ := practice(t, func(c *app.Config) { c.Smart.Loopback = true })
	l := &ehrLaunch{i, t, apptest.StartEHR(t, i.URL)}
	l.list("", public)
	b := l.Stranger().From("127.2.0.1")
	answer := b.Visit(l.launch(b, "", amara, nil))
	require.Equal(t, prefilled, answer.Header.Get("Location"))
	require.Equal(t, "/sign-in", b.Get(prefilled).Header.Get("Location"))
	signedIn := b.Post("/sign-in", url.Values{"email": {robin}, "password": {password}})
	require.Equal(t, http.StatusSeeOther, signedIn.StatusCode)
	require.Equal(t, prefilled, signedIn.Header.Get("Location"))
	fillsIn(t, b.Get(prefilled))
	other := l.SignIn(l.Practice, auth.Provider)
	require.NotContains(t, other.Get(prefilled).Body, "Okonkwo", "nobody else sees it")
}

// If an EHR ignores a search parameter, the launch detects it, loses no value, and names it on
// the form and in birthregistry ehr check.
func TestAnEHRThatIgnoresSearchParametersIsDetectedAndNamed(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	for mood, shown := range map[string]string{
		"": "", "first-code": "looks for only some codes of a list", "ignores-codes": "does not search measurements by code",
		"ignores-codes-and-categories": "does not search measurements by category", "unsorted": "", "no-sort": "",
	} {
		t.Run(mood, func(t *testing.T) {
			l.list(mood, public)
			form := l.pull(l.browser(), mood, amara)
			fillsIn(t, form)
			require.NotContains(t, text(form), "Not everything could be read")
			ehr, err := l.App.Smart.Find(t.Context(), l.ehr.Base(mood))
			require.NoError(t, err)
			var found []string
			for _, f := range l.App.Smart.Survey(t.Context(), ehr) {
				if f.Check == "searches" {
					found = append(found, f.State+" "+f.Text)
				}
			}
			if shown == "" {
				require.NotContains(t, text(form), "This EHR")
				require.Equal(t, []string{"ok the last launch found that its answers match the searches"}, found)
				return
			}
			require.Contains(t, text(form), shown)
			require.NotEmpty(t, found)
			for _, f := range found {
				require.Contains(t, f, "note the last launch found: ")
			}
		})
	}
}

func TestAThousandObservationsAreReadInFewRequests(t *testing.T) {
	t.Parallel()
	charts := t.TempDir()
	writeChart(t, charts, 1000)
	l := openEHRLaunch(t, "--charts", charts)
	l.list("small-pages", public)
	form := l.pull(l.browser(), "small-pages", "many")
	require.Equal(t, "66.9", value(form, "mother_height_in"), "yesterday's")
	require.NotContains(t, text(form), "Not everything could be read")
	asked := l.ehr.Journal(func(a apptest.Asked) bool { return strings.Contains(a.Path, "/fhir") && a.Credentials == "bearer" })
	require.LessOrEqual(t, len(asked), 15, "20 entries a page")
	t.Logf("%d requests for 1,000 Observations, 20 a page", len(asked))

	l.list("unsorted", public) // it sends the oldest first, whatever the search asks for
	form = l.pull(l.browser(), "unsorted", "many")
	require.Equal(t, "66.9", value(form, "mother_height_in"), "yesterday's is on the last of 50 pages")
	all := l.ehr.Journal(func(a apptest.Asked) bool { return strings.HasPrefix(a.Path, "/unsorted/fhir/Observation") })
	require.Greater(t, len(all), 50, "an order that is not shown is not believed")
}

// typedInto returns the values that a browser would send with a page's form.
func typedInto(page apptest.Page) url.Values {
	form := url.Values{}
	elements(page, func(n *html.Node, attributes map[string]string) {
		name := attributes["name"]
		_, checked := attributes["checked"]
		switch {
		case name == "" || name == "do":
		case n.Data == "select":
			form.Set(name, value(page, attributes["id"]))
		case attributes["type"] == "checkbox" || attributes["type"] == "radio":
			if checked {
				form.Add(name, attributes["value"])
			}
		case n.Data == "input":
			form.Add(name, attributes["value"])
		}
	})
	return form
}

func TestAFormKeepsTheEHRsSourcesThroughASecondLaunchAndForHours(t *testing.T) {
	t.Parallel()
	l := openEHRLaunch(t)
	b := l.browser()
	mother := typedInto(l.pull(b, "", amara))
	baby := typedInto(l.pull(b, "", "okonkwo-baby"))
	require.NotEqual(t, mother.Get("prefill"), baby.Get("prefill"))
	const hours = 5 * time.Hour
	behind(t, l.Config.DB, fmt.Sprintf(`update prefills set created_at = created_at - %[1]d, used_at = used_at - %[1]d`, hours.Milliseconds()))
	require.NoError(t, l.App.Smart.Sweep())

	mother.Set("gravida", "3") // she says that the EHR has this value wrong
	saved := b.Post("/registry/capture", mother)
	require.Equal(t, http.StatusSeeOther, saved.StatusCode, text(saved))
	sources := func(values records.Values) map[string]birth.Source {
		all := map[string]birth.Source{}
		for _, v := range values {
			all[v.Field.Name] = v.Value.Source
		}
		return all
	}
	of := sources(l.Record("B-000001").Mother)
	require.Equal(t, birth.EHRPull, of["parity"])
	require.Equal(t, birth.EHRPull, of["mother_height_in"])
	require.Equal(t, birth.Manual, of["gravida"])
	for field, text := range map[string]string{"mother_family_name": "Okonkwo", "person.0.name": "Jordan Lee", "person.0.role": "midwife"} {
		baby.Set(field, text)
	}
	saved = b.Post("/registry/capture", baby)
	require.Equal(t, http.StatusSeeOther, saved.StatusCode, "and the second is there still: %s", text(saved))
	require.Equal(t, birth.EHRPull, sources(l.Record("B-000002").Children[0])["birth_weight_g"])
}

// The charts are real ones; the mapping's tests check the values.
func TestEveryChartOfTheCorpusFillsAForm(t *testing.T) {
	t.Parallel()
	folder, _ := corpus.Folder(t, corpus.Charts)
	if folder == "" {
		t.Skip("left out: no corpus of charts is named; .ci/run does")
	}
	l := openEHRLaunch(t, "--charts", folder)
	l.list("epic", public)
	require.GreaterOrEqual(t, len(l.ehr.Patients), 8)
	for _, patient := range l.ehr.Patients {
		for _, mood := range []string{"", "epic"} {
			form := l.pull(l.browser(), mood, patient)
			require.Contains(t, form.Body, `id="chart"`, patient)
		}
	}
}

// writeChart writes the chart of a patient called "many" into a folder: one height for each of
// the last n days, with the narrative that EHRs include.
func writeChart(t testing.TB, folder string, n int) {
	t.Helper()
	var all strings.Builder
	all.WriteString(`{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","id":"many",` +
		`"name":[{"use":"official","family":"Okonkwo","given":["Amara"]}],"gender":"female","birthDate":"1994-05-17"}}`)
	for i := range n {
		fmt.Fprintf(&all, `,{"resource":{"resourceType":"Observation","id":"height-%[1]d","status":"final","subject":{"reference":"Patient/many"},`+
			`"text":{"status":"generated","div":%[3]q},`+
			`"category":[{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/observation-category","code":"vital-signs"}]}],`+
			`"code":{"coding":[{"system":"http://loinc.org","code":"8302-2","display":"Body height"}],"text":"Body height"},`+
			`"effectiveDateTime":"{-%[1]dd}","valueQuantity":{"value":170.%[2]d,"unit":"cm","system":"http://unitsofmeasure.org","code":"cm"}}}`,
			i+1, i%10, strings.Repeat("narrative ", 200))
	}
	all.WriteString("]}")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "many.json"), []byte(all.String()), 0o600))
}
