package app_test

import (
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/ops"
	"birthregistry/store"
)

const (
	robin    = "robin@example.org"
	password = "a long enough password"
)

// practice starts an installation with a sandbox practice and its admin, who has a password.
func practice(t *testing.T, change ...func(*app.Config)) (*apptest.Installation, store.PracticeID) {
	t.Helper()
	i := apptest.Start(t, change...)
	var p store.PracticeID
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) (err error) {
		p, err = tx.AddPractice("Riverside Midwives", true, true)
		return err
	}))
	_, _, err := i.App.Auth.AddUser(p, robin, "Robin Lee", auth.Admin, password)
	require.NoError(t, err)
	return i, p
}

// enter signs Robin in on the sign-in page.
func (b *browser) enter() {
	b.Helper()
	b.open("/registry")
	require.Equal(b, "/sign-in", b.path())
	b.fill("email", robin)
	b.fill("password", password)
	b.press("Sign in")
	require.Equal(b, "/registry", b.path())
}

func TestEveryoneConcernedCanReadTheAlarmOfAFailedBackup(t *testing.T) {
	t.Parallel()
	i, _ := practice(t, func(c *app.Config) {
		c.Backups = ops.Schedule{Folder: filepath.Join(t.TempDir(), "not mounted"), Every: time.Hour, Keep: 1}
	})
	require.Eventually(t, func() bool {
		return i.Do("GET", "/health/json", "").JSON(t)["status"] == "warn"
	}, patience, 20*time.Millisecond)
	b := newBrowser(t, i.URL)
	b.enter()
	b.sees("The last backup failed")
	b.accessible()
}

func TestAPersonSignsInMintsAKeyAndAnIntegratorPushesWithIt(t *testing.T) {
	t.Parallel()
	i, _ := practice(t)
	b := newBrowser(t, i.URL)
	b.enter()
	b.press("Practice")
	b.fill("label", "nightly sync")
	b.click("#scope")
	b.click("#scope-2")
	b.press("Create key")
	b.sees("You will not see this key again")
	b.accessible()
	key := script[string](b, `document.querySelector("input[readonly]").value`)
	require.Regexp(t, `^rgk_[0-9A-Za-z]{38}$`, key)
	require.NotContains(t, script[string](b, `location.href + document.title`), "rgk_")
	require.Equal(t, http.StatusAccepted, i.Post(apptest.Course{Chart: "26-1"}.Bundle(), "Authorization", "Bearer "+key).StatusCode)
	b.open(b.path())
	require.NotContains(t, script[string](b, `document.documentElement.outerHTML`), "rgk_", "shown once")
	b.press("Review")
	b.press("Ingestions")
	b.sees("nightly sync")
	require.Zero(t, script[int](b, `localStorage.length + sessionStorage.length`), "nothing is kept in the browser")
	b.press("Sign out")
	b.open("/registry/settings")
	require.Equal(t, "/sign-in", b.path())
}

func TestTheCodeOfALinkIsFilledInEvenOnAnOpenPage(t *testing.T) {
	t.Parallel()
	b := newBrowser(t, apptest.StartEmpty(t).URL)
	b.open("/setup#first")
	require.Equal(t, "first", b.value("code"))
	b.run(chromedp.Navigate(b.base + "/setup#second")) // in the same tab, so no page is loaded
	require.Eventually(t, func() bool { return b.value("code") == "second" }, patience, 20*time.Millisecond)
	require.Empty(t, script[string](b, `location.hash`), "it leaves the address")
	require.Equal(t, "second", get(b, chromedp.Evaluate[string](`new Promise(seen => {
		addEventListener("hashchange", () => seen(document.getElementById("code").value));
		location.hash = "main";
	})`, chromedp.EvalAwaitPromise)), "a jump is no code")
}

func TestAPersonRecordsABirthWithAMistakeAndCorrectsIt(t *testing.T) {
	t.Parallel()
	i, _ := practice(t)
	b := newBrowser(t, i.URL)
	b.enter()
	b.press("Record a birth")
	b.fill("mother_family_name", "Okonkwo")
	b.fill("child.0.birth_date", "3/2/2026")
	b.fill("child.0.birth_weight_g", "heavy")
	b.fill("person.0.name", "Lee")
	b.choose("person.0.role", "midwife")
	b.press("Save")
	b.sees("There is a problem")
	require.True(t, strings.HasPrefix(script[string](b, `document.title`), "Error: "))
	require.Equal(t, "error-summary", script[string](b, `document.activeElement.id`), "the summary has the focus")
	require.Equal(t, "heavy", b.value("child.0.birth_weight_g"), "everything typed is kept")
	require.Equal(t, "Okonkwo", b.value("mother_family_name"))
	b.accessible()
	b.picture("capture-mistake")
	b.fill("child.0.birth_weight_g", "3420")
	b.press("Save this birth")
	b.sees("The birth is recorded")
	b.look("/registry/capture/saved")
	b.press("Records")
	b.sees("B-000001", "Entered by hand")
	b.press("B-000001")
	b.sees("Okonkwo", "3,420 g", "Lee, midwife")
	b.look(b.path())
}

func TestOnAPhoneTheContentComesFirstAndAButtonOpensTheMenuWithoutJavaScript(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, auth.Admin))
	for _, scripts := range []bool{true, false} {
		call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts})
		b.run(chromedp.EmulateViewport(320, 640))
		b.open("/registry/records")
		heading := script[float64](b, `document.querySelector("h1").getBoundingClientRect().top`)
		require.Less(t, heading, 260.0, "the heading is on the first screen")
		link := `document.querySelector(".places a").checkVisibility()`
		require.False(t, script[bool](b, link))
		b.click("button.menu")
		require.True(t, script[bool](b, link))
		if scripts { // axe is a script itself
			b.accessible()
		}
		b.press("Statistics")
		require.Equal(t, "/registry/statistics", b.path())
		b.run(chromedp.EmulateViewport(1280, 800))
		require.True(t, script[bool](b, link), "where there is room, the places are always there")
		require.False(t, script[bool](b, `document.querySelector("button.menu").checkVisibility()`))
	}
}

func TestOnAPhoneWhetherTheTypedIsSavedStaysInView(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, auth.Admin))
	b.run(chromedp.EmulateViewport(390, 800))
	b.open("/registry/capture")
	inView := `(() => { const at = document.querySelector("#draft-state").getBoundingClientRect(); return at.height > 0 && at.top >= 0 && at.bottom <= innerHeight })()`
	b.fill("child.0.birth_weight_g", "7lb 9")
	b.awaits("Saved ")
	require.True(t, script[bool](b, inView), "in the middle of the form")
	script[int](b, `scrollTo(0, 0); 0`)
	require.True(t, script[bool](b, inView), "at its top")
	covered := `[...document.querySelectorAll("form[data-draft] [name]:not([type=hidden])")].filter((e) => e.checkVisibility()).filter((e) => {
		e.focus()
		return e.getBoundingClientRect().bottom > document.querySelector("#draft-state").getBoundingClientRect().top + 1
	}).map((e) => e.name)`
	require.Empty(t, script[[]string](b, covered), "it covers no field that has the focus")
}

func TestOnAPhoneTheTabsAreOnOneLineThatShowsThePresentPage(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, auth.Admin))
	b.run(chromedp.EmulateViewport(390, 800))
	for _, path := range []string{"/registry/settings", "/registry/data"} {
		b.open(path)
		tops := script[[]float64](b, `[...new Set([...document.querySelectorAll("nav.within a")].map((a) => a.getBoundingClientRect().top))]`)
		require.Len(t, tops, 1)
		right := script[float64](b, `document.querySelector("nav.within [aria-current]").getBoundingClientRect().right`)
		require.Less(t, right, 390.0)
	}
}

func TestTheSlashKeyLeadsToTheSearchBoxEvenInsideTheMenu(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	i.Push(apptest.Course{Chart: "C-1", Mother: "Okafor"}.Bundle(), "Authorization", "Bearer "+i.Mint(p, "ingest:write", "ingest:read"))
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(p, auth.Viewer))
	for _, width := range []int64{1280, 320} {
		b.run(chromedp.EmulateViewport(width, 800))
		b.open("/registry")
		b.keys("/")
		require.Equal(t, "find", script[string](b, `document.activeElement.id`))
		require.True(t, script[bool](b, `document.activeElement.checkVisibility()`))
		b.accessible()
		b.keys("1/2")
		// chromedp also types the first slash into the box; a keyboard would not.
		require.Equal(t, "1/2", strings.TrimPrefix(script[string](b, `document.activeElement.value`), "/"), "in a box it is a slash")
		b.keys(strings.Repeat(kb.Backspace, 4) + "oka" + kb.Enter)
		b.awaits("Okafor, ")
		require.Equal(t, "/registry/find", b.path())
		b.look("/registry/find")
	}
}

func TestABirthIsRecordedWithoutJavaScript(t *testing.T) {
	t.Parallel()
	i, _ := practice(t)
	b := newBrowser(t, i.URL)
	b.withoutScript()
	b.open("/registry/capture")
	b.fill("email", robin)
	b.fill("password", password)
	b.press("Sign in")
	require.Equal(t, "/registry/capture", b.path(), "back to what was wanted")
	b.press("Add another newborn")
	b.fill("mother_family_name", "Okonkwo")
	b.fill("child.0.birth_date", "2026-03-02")
	b.fill("child.1.birth_date", "2026-03-02")
	b.press("Save")
	b.sees("Nobody attended, or it is not known who", "Missing for the statistics")
	b.click("#confirm")
	b.press("Save this birth")
	b.sees("The birth is recorded")
}

func TestNamesAndNumbersOfOneLongWordFitEveryPage(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	as := []string{"Authorization", "Bearer " + i.Mint(p, "ingest:write", "ingest:read")}
	long := strings.Repeat("W", 200)
	attendant := `{"resourceType":"Practitioner","id":"p","identifier":[{"value":"P-1"}],"name":[{"family":"` + long + `"}]}`
	attends := `{"resourceType":"Encounter","participant":[{"type":[{"coding":[{"code":"ATND"}]}],"individual":{"reference":"Practitioner/p"}}]}`
	i.Push(apptest.Course{Chart: long, Mother: long, Extra: []string{attendant, attends}}.Bundle(), as...)
	admin := i.SignIn(p, auth.Admin)
	record := regexp.MustCompile(`/registry/records/0[0-9a-f-]+`).FindString(admin.Get("/registry/records").Body)
	b := newBrowser(t, i.URL)
	b.signIn(admin)
	for _, path := range []string{
		"/registry", "/registry/records", record, record + "/versions", record + "/amend", record + "/void", record + "/erase",
		record + "/everything", "/registry/providers",
	} {
		b.open(path)
		require.Contains(t, script[string](b, "document.body.innerText"), "W")
		for _, width := range []int64{320, 1280} {
			b.run(chromedp.EmulateViewport(width, 800))
			b.fitsHere()
			cut := script[string](b, `[...document.querySelectorAll("main .card, main .scroll")].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.innerText.slice(0, 40)).join()`)
			require.Empty(t, cut, "cut off or scrolled sideways on %s", path)
		}
	}
}

func TestEveryPageIsAccessibleAndFitsAPhone(t *testing.T) {
	i, p := practice(t)
	key := i.Mint(p, "ingest:write", "ingest:read")
	as := []string{"Authorization", "Bearer " + key}
	i.Push(apptest.Course{Chart: "26-1", Mother: "Okonkwo", Weight: 3420}.Bundle(), as...)
	i.Push(apptest.Course{Chart: "26-1", Mother: "Okonkwo", Weight: 3450}.Bundle(), as...)
	i.Push(apptest.Course{Chart: "26-2", Mother: "Okonkwo", Weight: 3420}.Bundle(), as...)
	i.Push(apptest.Batch(apptest.Course{Chart: "26-3", Mother: "Haddad"}.Bundle(), `{"resourceType":"Bundle","type":"document","entry":[]}`), as...)
	i.Post("{", as...)
	admin := i.SignIn(p, auth.Admin)
	list := admin.Get("/registry/records").Body
	record := list[strings.Index(list, "/registry/records/0"):]
	record = record[:strings.IndexByte(record, '"')]
	ingestions := admin.Get("/registry/ingestions").Body
	ingestion := ingestions[strings.Index(ingestions, "/registry/ingestions/0"):]
	ingestion = ingestion[:strings.IndexByte(ingestion, '"')]

	b := newBrowser(t, i.URL)
	for _, path := range []string{"/sign-in", "/invite", "/reset", "/nowhere"} {
		b.look(path)
	}
	b.signIn(admin)
	admin.Post("/registry/find", url.Values{"q": {"oko"}})
	for _, path := range []string{
		"/registry", "/registry/find", "/registry/capture", "/registry/records", record, record + "/versions",
		record + "/versions/1", record + "/compare?a=1&b=2", record + "/amend", record + "/void", "/registry/records/export",
		"/registry/import", "/registry/ingestions", ingestion, "/registry/ingestions/refused", "/registry/fields", "/registry/users",
		"/registry/users/invite", "/registry/audit", "/registry/settings", "/registry/data", "/account",
	} {
		b.look(path)
	}
	for _, role := range []auth.Role{auth.Provider, auth.Scribe, auth.Viewer} {
		b.signIn(i.SignIn(p, role))
		b.look("/registry")
		b.look("/registry/settings")
	}
}
