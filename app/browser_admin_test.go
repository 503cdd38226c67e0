package app_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

func TestAPageThatMovesIsNoticed(t *testing.T) {
	b := newBrowser(t, apptest.Start(t).URL)
	b.open("/sign-in")
	b.isStill()
	moved := get(b, chromedp.Evaluate[bool](`new Promise(done => {
		let moves = 0
		const timer = setInterval(() => { // only what was painted before counts as moved
			document.querySelector("main").style.paddingTop = ++moves % 2 ? "400px" : ""
		}, 50)
		new PerformanceObserver(() => { clearInterval(timer); done(true) }).observe({type: "layout-shift"})
	})`, chromedp.EvalAwaitPromise))
	require.True(t, moved)
	require.Greater(t, script[float64](b, shifted), 0.1)
}

func TestEveryStateOfTheAdminsPagesIsSound(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	i.Mint(p, "ingest:read")
	b := newBrowser(t, i.URL)
	b.open("/sign-in")
	b.press("Sign in")
	b.lookHere()
	b.fill("email", robin)
	b.fill("password", password)
	b.press("Sign in")

	b.open("/registry/fields")
	b.press("Add field")
	b.lookHere()
	b.fill("label", "Water temperature")
	b.click(`input[name=kind][value=number]`)
	b.press("Add field")
	b.look("/registry/fields")
	b.look("/registry/fields/1/edit")
	b.press("Retire “Water temperature”")
	b.lookHere()

	b.open("/registry/users/invite")
	b.press("Create the invitation")
	b.lookHere()
	b.fill("email", "ada@example.org")
	b.fill("name", "Ada Admin")
	b.click(`input[name=role][value=admin]`)
	b.press("Create the invitation")
	b.lookHere()
	b.look("/registry/users/link") // already shown
	b.look("/registry/users")
	b.press("Ada Admin")
	b.lookHere()
	b.look("/registry/users/1/factor")

	b.open("/registry/settings")
	b.press("Create key")
	b.lookHere()
	b.fill("label", "nightly sync")
	b.click("#scope")
	b.press("Create key")
	b.lookHere()
	b.look("/registry/settings/keys/minted") // already shown
	b.look("/registry/settings/keys/1/revoke")
	b.open("/registry/settings/keys/2/webhook")
	b.fill("address", "ehr.example.org")
	b.press("Set the address and make a new secret")
	b.lookHere()
	b.fill("address", "https://ehr.invalid/hooks")
	b.press("Set the address and make a new secret")
	b.lookHere()
	b.look("/registry/settings/keys/2/webhook")

	b.look("/registry/records/nothing")
	b.signIn(i.SignIn(p, auth.Scribe))
	b.look("/registry/records") // refused
}

func TestEveryStateOfErasingABirthIsSound(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	as := []string{"Authorization", "Bearer " + i.Mint(p, "ingest:write", "ingest:read")}
	bundle := apptest.Course{Chart: "26-1", Mother: "Okonkwo", Weight: 3420}.Bundle()
	i.Push(bundle, as...)
	b := newBrowser(t, i.URL)
	b.enter()
	b.look("/registry/erased")
	b.open("/registry/records")
	b.press("26-1")
	record := b.path()
	b.look(record + "/everything")
	b.look(record + "/erase")
	b.press("Erase record 26-1")
	b.lookHere()
	b.choose("reason", "mistake")
	b.fill("password", password)
	b.press("Erase record 26-1")
	b.lookHere()
	i.Push(bundle, as...) // is rejected
	b.look("/registry")
	b.look("/registry/erased")
	b.press("Allow it to be recorded again")
	b.lookHere()
}

func TestEveryStateOfADraftIsSound(t *testing.T) {
	t.Parallel()
	i, p := practice(t)
	b := newBrowser(t, i.URL)
	b.enter()
	b.look("/registry/drafts")
	b.open("/registry/capture")
	b.fill("mother_family_name", "Okonkwo")
	b.press("Add another newborn")
	draft := b.path()
	b.look(draft)
	b.look(draft + "/discard")
	b.look("/registry/drafts")
	b.look("/registry")
	other := i.SignIn(p, auth.Admin)
	other.Post("/registry/find", url.Values{"q": {"nobody"}})
	b.signIn(other)
	b.look(draft) // somebody else's
	b.look("/registry/find")
	b.look("/registry/report")
	b.look("/registry/report/file")
	b.look("/registry/report/columns")
	b.look("/registry/statistics/nothing")
}

func TestEveryPageOfTheGuideIsSound(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	b := newBrowser(t, i.URL)
	b.open("/docs")
	pages := script[[]string](b, `[...document.querySelectorAll("nav.contents a")].map(a => a.getAttribute("href"))`)
	require.Greater(t, len(pages), 20)
	for _, page := range pages {
		require.True(t, strings.HasPrefix(page, "/docs"))
		b.look(page)
	}
}
