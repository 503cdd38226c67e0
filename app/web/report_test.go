package web_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	spine "birthregistry/app/birth"
	"birthregistry/app/changes"
	"birthregistry/store"
)

const reportPath = "/registry/report"

// identified adds each kind of identifier of 45 CFR 164.514(b)(2)(i) to the people of a
// Bundle, as senders write them.
func identified(t *testing.T, bundle string) string {
	t.Helper()
	var doc map[string]any
	require.NoError(t, json.Unmarshal([]byte(bundle), &doc))
	number := func(kind, value string) map[string]any {
		return map[string]any{"type": map[string]any{"coding": []any{map[string]any{"system": "http://terminology.hl7.org/CodeSystem/v2-0203", "code": kind}}}, "system": "urn:" + kind, "value": value}
	}
	for _, entry := range doc["entry"].([]any) {
		resource := entry.(map[string]any)["resource"].(map[string]any)
		if resource["resourceType"] != "Patient" {
			continue
		}
		resource["telecom"] = []any{
			map[string]any{"system": "phone", "value": "CANARY-D"},
			map[string]any{"system": "fax", "value": "CANARY-E"},
			map[string]any{"system": "email", "value": "canary-f@example.org"},
			map[string]any{"system": "url", "value": "https://canary-n.example.org"},
		}
		ids, _ := resource["identifier"].([]any)
		resource["identifier"] = append(
			ids, number("SS", "CANARY-G"), number("MR", "CANARY-H"), number("MB", "CANARY-I"), number("AN", "CANARY-J"), number("DL", "CANARY-K"),
			number("VIN", "CANARY-L"), number("SNO", "CANARY-M"), number("IP", "192.0.2.99"), number("BIO", "CANARY-P"), number("XX", "CANARY-R"),
		)
		resource["photo"] = []any{map[string]any{"contentType": "image/png", "data": "Q0FOQVJZLVE=", "title": "CANARY-Q"}}
		resource["contact"] = []any{map[string]any{"name": map[string]any{"family": "CANARY-A"}}}
		resource["address"] = []any{map[string]any{"line": []any{"CANARY-B Street"}, "city": "CANARY-B City", "postalCode": "97201-4711", "state": "OR"}}
	}
	raw, err := json.Marshal(doc)
	require.NoError(t, err)
	return string(raw)
}

// consenting grants consent for every record on file.
func consenting(t *testing.T, i *apptest.Installation, who auth.User) {
	t.Helper()
	found, err := store.Read(t.Context(), i.App.DB, func(v *store.View) ([]store.Record, error) { return v.Records(i.Practice, 0, 1000) })
	require.NoError(t, err)
	for _, r := range found {
		base, err := i.App.Changes.BaseVersion(t.Context(), i.Practice, r.UUID)
		require.NoError(t, err)
		form := changes.Form{Draft: base.Draft, UUID: r.UUID, BaseVersion: base.Record.Version}
		form.Draft.Consent = spine.Consent{Recorded: true, Granted: true}
		_, err = i.App.Changes.Save(who, form)
		require.NoError(t, err)
	}
}

// filer returns a user of the practice who writes records.
func filer(t *testing.T, i *apptest.Installation) auth.User {
	t.Helper()
	who := auth.Operator(store.Practice{ID: i.Practice})
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) (err error) {
		who.ID, err = tx.AddUser("filer@example.org", "Filer")
		return err
	}))
	return who
}

// typed returns a birth with a canary in each text of the spine, and with dates that only the
// limited data set may have.
func typed() spine.Draft {
	var d spine.Draft
	state := func(name, text string) {
		f := spine.Must(name)
		v := spine.Value{Text: text, Source: spine.Manual}
		switch f.About {
		case spine.Mother:
			d.Mother.Set(f, v)
		case spine.Care:
			d.Care.Set(f, v)
		default:
			d.Children[0].Set(f, v)
		}
	}
	d.Children = []spine.Values{{}}
	for _, f := range spine.Spine {
		if f.Kind == spine.Text && !f.Derived {
			state(f.Name, "CANARY "+f.Name)
		}
	}
	state("mother_postal_code", "03601")
	state("mother_birth_date", "1990-04-17")
	state("birth_datetime", "2026-05-17T11:47:00-05:00")
	state("birth_date", "2026-05-17")
	state("last_menstrual_period", "2025-08-17")
	state("attendant_title", "cpm")
	d.Transfers = []spine.Transfer{{Type: "intrapartum", Reason: "CANARY reason", DateTime: "2026-05-17T10:47:00-05:00", Source: spine.Manual}}
	return d
}

func TestTheDeIdentifiedReportHasNoneOfThe18IdentifiersWhateverTheSource(t *testing.T) {
	i := apptest.Start(t)
	who := filer(t, i)
	i.Push(identified(t, apptest.Course{Chart: "CANARY-H26-1", Mother: "Canaryname", Kids: 2, Weight: 3000, Born: "2026-05-17T11:47:00-05:00"}.Bundle()))
	_, err := i.App.Changes.Save(who, changes.Form{Draft: typed()})
	require.NoError(t, err)
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	file := upload(t, b, "may.csv", "chart_number,mother_family_name,mother_given_names,birth_date,birth_weight_g,facility_name,mother_postal_code,transfer_reason,transfer_type\n"+
		"CANARY-C1,CANARY,CANARY,2026-05-17,3400,CANARY House,97201-4711,CANARY reason,intrapartum\n")
	require.Equal(t, 303, file.StatusCode, file.Body)
	at := file.Header.Get("Location")
	require.Equal(t, 303, b.Post(at+"/confirm", url.Values{}).StatusCode)
	imported(t, b, at)
	consenting(t, i, who)

	sent := downloaded(t, b)
	require.Contains(t, sent.Header.Get("Content-Disposition"), "report-safe-harbor-2026")
	lines := strings.Split(strings.TrimSpace(sent.Body), "\r\n")
	require.Len(t, lines, 1+4, "twins, one that was typed, one from a file")
	for _, canary := range []string{
		"canary", "97201", "03601", "4711", "192.0.2.99", "Q0FOQVJZ", "2026-", "1990-", "2025-", "11:47", "T10", "-05-17", "/17/", "ehr", "http",
	} {
		require.NotContains(t, strings.ToLower(sent.Body), strings.ToLower(canary))
	}
	require.Contains(t, sent.Body, "000", "a restricted postal code")
	require.Contains(t, sent.Body, "972")
	require.NotRegexp(t, regexp.MustCompile(`\d{4}-\d{2}`), sent.Body, "no date but years")
	require.NotRegexp(t, regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}`), sent.Body, "no id of a record")

	limited := b.Post(reportPath+"/limited?year=2026", url.Values{"reason": {"research"}, "password": {password}})
	require.Equal(t, 200, limited.StatusCode, limited.Body)
	require.Contains(t, limited.Body, "2026-05-17")
	require.Contains(t, limited.Body, "97201")
	for _, canary := range []string{"canary", "4711", "192.0.2.99"} {
		require.NotContains(t, strings.ToLower(limited.Body), canary)
	}
}

func TestAReportSaysWhatIsMissingAndLinksToIt(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	i.Push(apptest.Course{Chart: "26-2", Mother: "Diaz"}.Bundle())
	b := i.SignIn(i.Practice, auth.Admin)
	page := b.Get(reportPath + "?year=2026&attended=5")
	require.Equal(t, 200, page.StatusCode, page.Body)
	root := dom(t, page)
	require.Contains(t, words(marked(root, "completeness")[0]), "Attended 5 2 3 missing")
	gaps := words(marked(root, "gaps")[0])
	require.Contains(t, gaps, "2 births without the mother’s consent")
	listed := b.Get("/registry/records?report=2026&part=without-consent")
	require.Contains(t, listed.Body, "26-1")
	require.Contains(t, listed.Body, "26-2")
	require.Contains(t, page.Body, "nothing to report yet", "no birth has consent")

	consenting(t, i, filer(t, i))
	page = b.Get(reportPath + "?year=2026&attended=2")
	require.Contains(t, words(marked(dom(t, page), "completeness")[0]), "Attended 2 2 Complete")
	made := b.Get(reportPath + "/file?year=2026&attended=2")
	require.Equal(t, 200, made.StatusCode, made.Body)
	sent := downloaded(t, b)
	sum := sha256.Sum256([]byte(sent.Body))
	require.Contains(t, made.Body, hex.EncodeToString(sum[:]), "the page to print names the file")
	require.Contains(t, words(marked(dom(t, made), "participation")[0]), "2 (2 by own count)")
	require.Contains(t, made.Body, "may recognize them", "two births are fewer than five alike")

	for _, wrong := range []string{"?year=26", "?year=2026&attended=many", "?year=2026&assisted=-1"} {
		require.Equal(t, 422, b.Get(reportPath+wrong).StatusCode, wrong)
	}
	require.Equal(t, 404, b.Get(reportPath+"/file?year=x").StatusCode)
	require.Equal(t, 404, b.Get(reportPath+"/columns?form=x").StatusCode)
	require.Contains(t, b.Get(reportPath+"/columns?form=safe-harbor").Body, "a name (A)")
}

func TestAReportOfTheRunningYearSaysThatTheYearIsNotOver(t *testing.T) {
	i := apptest.Start(t)
	now := time.Now()
	for _, born := range []time.Time{now.AddDate(0, 0, -1), now.AddDate(-1, 0, -1)} {
		i.Push(apptest.Course{Chart: fmt.Sprint(born.Year()), Mother: fmt.Sprint("M", born.Year()), Weight: 3000, Born: born.Format(time.DateOnly)}.Bundle())
	}
	consenting(t, i, filer(t, i))
	b := i.SignIn(i.Practice, auth.Admin)
	running := b.Get(fmt.Sprint(reportPath, "?year=", now.Year()))
	require.Contains(t, running.Body, fmt.Sprint(now.Year(), " is not over. Births still to come are missing here."))
	require.NotContains(t, running.Body, "Nothing is missing.")
	require.Contains(t, b.Get(fmt.Sprint(reportPath, "?year=", now.Year()+1)).Body, fmt.Sprint(now.Year()+1, " has not begun."))
	over := b.Get(fmt.Sprint(reportPath, "?year=", now.Year()-1))
	require.Empty(t, marked(dom(t, over), "running"))
	printed := b.Get(fmt.Sprint(reportPath, "/file?year=", now.Year()-1))
	require.Contains(t, words(marked(dom(t, printed), "participation")[0]), fmt.Sprint("January to December ", now.Year()-1, " Births"))
	if now.Day() > 1 || now.Month() > time.January { // yesterday was in this year
		printed = b.Get(fmt.Sprint(reportPath, "/file?year=", now.Year()))
		require.Contains(t, words(marked(dom(t, printed), "participation")[0]), "made before the year was over")
	}
}

func TestAReportCountsThePossibleDuplicatesAmongItsBirths(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	i.Push(apptest.Course{Chart: "26-2", Weight: 3100}.Bundle())
	i.Push(apptest.Course{Chart: "25-1", Mother: "Diaz", Born: "2025-04-02"}.Bundle())
	consenting(t, i, filer(t, i))
	b := i.SignIn(i.Practice, auth.Admin)
	const twice = "1 possible duplicate is not yet reviewed. If the two records of a pair are one birth, it is counted twice."
	page := b.Get(reportPath + "?year=2026")
	require.Contains(t, words(marked(dom(t, page), "gaps")[0]), twice)
	require.Equal(t, duplicates, link(dom(t, page), "Review the pairs"))
	require.Contains(t, words(marked(dom(t, b.Get(reportPath+"/file?year=2026")), "participation")[0]), twice)
	require.NotContains(t, b.Get(reportPath+"?year=2025").Body, "possible duplicate")
	keep := pairPath(i, "26-2", "26-1") + "/keep"
	require.Equal(t, 303, b.Post(keep, sent(t, b.Get(pairPath(i, "26-2", "26-1")), keep, nil)).StatusCode)
	require.NotContains(t, b.Get(reportPath+"?year=2026").Body, "possible duplicate")
}

// downloaded downloads the report of 2026 with the button of its page.
func downloaded(t *testing.T, b *apptest.Browser) apptest.Page {
	t.Helper()
	made := b.Get(reportPath + "/file?year=2026")
	require.Equal(t, 200, made.StatusCode, made.Body)
	sent := b.Post(reportPath+"/file?year=2026", url.Values{"sha256": {digestOn(t, made)}})
	require.Equal(t, 200, sent.StatusCode, sent.Body)
	return sent
}

var digestField = regexp.MustCompile(`name="sha256" value="([0-9a-f]{64})"`)

// digestOn returns the SHA-256 that the page's download button sends, which the page also
// shows.
func digestOn(t *testing.T, made apptest.Page) string {
	t.Helper()
	found := digestField.FindStringSubmatch(made.Body)
	require.NotNil(t, found, made.Body)
	require.Contains(t, words(marked(dom(t, made), "participation")[0]), found[1])
	return found[1]
}

func TestTheFileThatIsDownloadedIsTheOneWhoseSHA256ThePageStates(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	consenting(t, i, filer(t, i))
	b := i.SignIn(i.Practice, auth.Admin)
	at := reportPath + "/file?year=2026"
	printed := digestOn(t, b.Get(at))
	i.Push(apptest.Course{Chart: "26-1", Weight: 3100}.Bundle())

	for _, stale := range []url.Values{{"sha256": {printed}}, {"sha256": {"x"}}, nil} {
		page := b.Post(at, stale)
		require.Equal(t, 409, page.StatusCode, page.Body)
		require.Contains(t, page.Body, "The records have changed since")
		require.NotEqual(t, printed, digestOn(t, page), "the page states the present file")
	}
	trail, err := i.App.Auth.Trail.Entries(t.Context(), i.Practice, store.AuditFilter{Area: "report"}, 0, false, 10)
	require.NoError(t, err)
	require.Empty(t, trail, "nothing was downloaded")

	sent := downloaded(t, b)
	sum := sha256.Sum256([]byte(sent.Body))
	digest := hex.EncodeToString(sum[:])
	require.Equal(t, digest, digestOn(t, b.Get(at)))
	trail, err = i.App.Auth.Trail.Entries(t.Context(), i.Practice, store.AuditFilter{Area: "report"}, 0, false, 10)
	require.NoError(t, err)
	require.Len(t, trail, 1)
	require.Equal(t, "safe-harbor, 2026, SHA-256 "+digest, trail[0].Object)
}

func TestALimitedDataSetNeedsAReasonAndThePasswordAndIsAudited(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	consenting(t, i, filer(t, i))
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	at := reportPath + "/limited?year=2026"
	for name, form := range map[string]url.Values{
		"no reason":             {"password": {password}},
		"a reason of one’s own": {"reason": {"because"}, "password": {password}},
		"no password":           {"reason": {"research"}},
		"a wrong password":      {"reason": {"research"}, "password": {"not the right password"}},
	} {
		page := b.Post(at, form)
		require.Equal(t, 422, page.StatusCode, name)
		require.Contains(t, page.Body, "There is a problem", name)
	}
	sent := b.Post(at, url.Values{"reason": {"research"}, "password": {password}})
	require.Equal(t, 200, sent.StatusCode, sent.Body)
	require.Equal(t, 403, i.SignIn(i.Practice, auth.Provider).Post(at, url.Values{"reason": {"research"}}).StatusCode)
	trail, err := i.App.Auth.Trail.Entries(t.Context(), i.Practice, store.AuditFilter{Area: "report"}, 0, false, 10)
	require.NoError(t, err)
	require.Len(t, trail, 1)
	sum := sha256.Sum256([]byte(sent.Body))
	require.Equal(t, "limited, 2026: research, SHA-256 "+hex.EncodeToString(sum[:]), trail[0].Object)
}

func TestASandboxHasNothingToReport(t *testing.T) {
	i := apptest.Start(t)
	var sandbox store.PracticeID
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) (err error) {
		sandbox, err = tx.AddPractice("Sandbox", true, true)
		return err
	}))
	b := i.SignIn(sandbox, auth.Admin)
	require.Contains(t, b.Get(reportPath+"?year=2026").Body, "A sandbox contains only invented births.")
	require.Equal(t, 404, b.Get(reportPath+"/file?year=2026").StatusCode)
	require.Equal(t, 404, b.Post(reportPath+"/file?year=2026", nil).StatusCode)
	require.Equal(t, 404, b.Post(reportPath+"/limited?year=2026", url.Values{"reason": {"research"}}).StatusCode)
}

func TestAReportOfOneProviderNeverGoesByAnotherName(t *testing.T) {
	i := apptest.Start(t)
	for n, key := range []string{"lee-1", "lee-1", "lee-2"} { // one name, two identities that nobody has merged
		i.Push(apptest.Course{Chart: key + strconv.Itoa(n), Mother: "Mother " + strconv.Itoa(n), Extra: attendedBy(key, "", "Jane Lee", "CNM")}.Bundle())
	}
	i.Push(apptest.Course{Chart: "nobody", Mother: "Hale", Extra: attendedBy("nobody", "", "", "RN")}.Bundle())
	consenting(t, i, filer(t, i))
	b := i.SignIn(i.Practice, auth.Admin)
	lee := providerID(t, i, "Jane Lee", 2)
	page := b.Get(reportPath + "?year=2026&by=" + lee)
	require.Contains(t, page.Body, "Births of 2026, Jane Lee, CNM")
	require.Contains(t, words(marked(dom(t, page), "gaps")[0]), "1 other provider with the same name: not merged with this one")
	require.Contains(t, words(marked(dom(t, b.Get(reportPath+"/file?year=2026&by="+lee)), "participation")[0]), "1 other provider with the same name")
	other := apptest.Start(t)
	for _, by := range []string{"999", "-1", "99999999999999999999", providerID(t, i, "", 1), providerID(t, i, "Jane Lee", 1)} {
		for _, path := range []string{reportPath, reportPath + "/file"} {
			require.Equal(t, 404, b.Get(path+"?year=2026&by="+by).StatusCode, by)
		}
		require.Equal(t, 404, b.Post(reportPath+"/file?year=2026&by="+by, nil).StatusCode, by)
	}
	require.Equal(t, 404, other.SignIn(other.Practice, auth.Admin).Get(reportPath+"?year=2026&by="+lee).StatusCode, "another practice's")
}

// providerID returns the id of the provider with a name and this many births.
func providerID(t *testing.T, i *apptest.Installation, name string, births int) (id string) {
	t.Helper()
	found, err := store.Read(t.Context(), i.App.DB, func(v *store.View) (all []store.Identity, err error) {
		all, _, err = v.Providers(i.Practice)
		return all, err
	})
	require.NoError(t, err)
	for _, p := range found {
		if p.Name == name && p.Births == births {
			id = strconv.FormatInt(p.ID, 10)
		}
	}
	require.NotEmpty(t, id)
	return id
}
