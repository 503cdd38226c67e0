package web_test

import (
	"compress/gzip"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store"
)

func TestThePageNamesPracticeAndRoleAndStandsInTheFrame(t *testing.T) {
	i := apptest.Start(t)
	page := i.SignIn(i.Practice, auth.Provider).Get("/registry")
	require.Equal(t, 200, page.StatusCode)
	for _, text := range []string{
		"<title>Home – Riverside Midwives – Birth registry</title>", "Riverside Midwives", "Provider", `href="#main"`,
		`aria-current="page"`, "/registry/capture", "/registry/records",
	} {
		require.Contains(t, page.Body, text)
	}
	require.NotContains(t, page.Body, "/registry/users", "not a provider's")
	require.NotContains(t, page.Body, "Sandbox")
}

func TestASandboxShowsItsBannerOnEveryPageErrorsIncluded(t *testing.T) {
	i := apptest.Start(t)
	var sandbox store.PracticeID
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) (err error) {
		sandbox, err = tx.AddPractice("Try-out", true, true)
		return err
	}))
	b := i.SignIn(sandbox, auth.Admin)
	for path, status := range map[string]int{"/registry": 200, "/nowhere": 404} {
		page := b.Get(path)
		require.Equal(t, status, page.StatusCode, path)
		require.Contains(t, page.Body, `class="sandbox"`, path)
		require.Contains(t, page.Body, "<title>SANDBOX – ", path)
	}
	refused := b.Do("DELETE", "/registry", nil, nil)
	require.Equal(t, 405, refused.StatusCode)
	require.Contains(t, refused.Body, `class="sandbox"`)
	refused = b.Do("POST", "/sign-out", nil, map[string]string{"Sec-Fetch-Site": "cross-site"})
	require.Equal(t, 403, refused.StatusCode)
	require.Contains(t, refused.Body, `class="sandbox"`)
}

func TestPagesAllowNoInlineCodeAndNoFrameAndAreNotKept(t *testing.T) {
	i := apptest.Start(t)
	for _, path := range []string{"/registry", "/nowhere", "/assets/app.css"} {
		page := i.SignIn(i.Practice, auth.Viewer).Get(path)
		policy := page.Header.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'", path)
		require.NotContains(t, policy, "unsafe", path)
		require.Contains(t, policy, "frame-ancestors 'none'", path)
		require.Equal(t, "nosniff", page.Header.Get("X-Content-Type-Options"))
		require.Equal(t, "same-origin", page.Header.Get("Referrer-Policy"))
		if !strings.HasPrefix(path, "/assets") {
			require.Equal(t, "no-store", page.Header.Get("Cache-Control"), path)
		}
	}
}

func TestVisitorsWhoAreNotSignedInAreSentToTheSignIn(t *testing.T) {
	i := apptest.Start(t)
	page := i.Stranger().Get("/registry")
	require.Equal(t, 303, page.StatusCode)
	require.Equal(t, "/sign-in", page.Header.Get("Location"))
}

func TestRequestsFromAnotherSiteAreRefused(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	page := b.Do("POST", "/sign-out", strings.NewReader(url.Values{"a": {"b"}}.Encode()), map[string]string{
		"Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site",
	})
	require.Equal(t, 403, page.StatusCode)
	require.Contains(t, page.Body, "another site")
	require.Equal(t, 303, b.Post("/sign-out", url.Values{}).StatusCode)
}

func TestHEADIsAnsweredLikeGETEverywhere(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	for _, path := range []string{"/registry", "/registry/records", "/docs", "/assets/app.css", "/health/json", "/nowhere"} {
		head, got := b.Do("HEAD", path, nil, nil), b.Get(path)
		require.Equal(t, got.StatusCode, head.StatusCode, path)
		require.Equal(t, got.Header.Get("Content-Type"), head.Header.Get("Content-Type"), path)
		require.Empty(t, head.Body, path)
	}
}

func TestTimesAreWrittenInThePracticesZone(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1"}.Bundle())
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error { return tx.SetTimeZone(i.Practice, "America/Phoenix") }))
	b := i.SignIn(i.Practice, auth.Admin)
	record := recordPath(i, "26-1")
	for _, path := range []string{"/account", "/registry/audit", "/registry/ingestions", "/registry/settings", record + "/versions"} {
		page := b.Get(path)
		require.Contains(t, page.Body, " MST", path)
		require.NotContains(t, page.Body, "M UTC", path)
	}
	require.Regexp(t, `^Recorded \(current\) key test, .* MST$`, words(marked(dom(t, b.Get(record)), "history")[0]))
	require.Equal(t, "America/Phoenix", fact(dom(t, b.Get("/registry/settings")), "Time zone"))
}

func TestPagesOfferAPersonOnlyWhatTheirRoleAllows(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Viewer)
	b := signedIn(i, olive)
	page := b.Get("/registry/import")
	require.Equal(t, 200, page.StatusCode)
	require.Contains(t, page.Body, "<h1>Imports</h1>")
	require.NotContains(t, page.Body, "Import a spreadsheet")

	addUser(i, i.Practice, "sam@example.org", auth.Scribe)
	home := signedIn(i, "sam@example.org").Get("/registry")
	require.Contains(t, home.Body, "Drafts to finish", "an empty home says what appears there")
}

func TestABrowserThatHasTheStyleIsSentNothing(t *testing.T) {
	b := apptest.Start(t).Stranger()
	for _, file := range []string{"/assets/app.css", "/assets/app.js", "/assets/icon.svg"} {
		plain := b.Do("GET", file, nil, map[string]string{"Accept-Encoding": "identity"})
		packed := b.Do("GET", file, nil, map[string]string{"Accept-Encoding": "gzip"})
		require.Empty(t, plain.Header.Get("Content-Encoding"), file)
		require.Equal(t, "gzip", packed.Header.Get("Content-Encoding"), file)
		unpacked, err := gzip.NewReader(strings.NewReader(packed.Body))
		require.NoError(t, err)
		content, err := io.ReadAll(unpacked)
		require.NoError(t, err)
		require.Equal(t, plain.Body, string(content), file)
		again := b.Do("GET", file, nil, map[string]string{"If-None-Match": packed.Header.Get("ETag")})
		require.Equal(t, 304, again.StatusCode, file)
		require.Empty(t, again.Body, file)
	}
	require.Empty(t, b.Do("GET", "/sign-in", nil, map[string]string{"Accept-Encoding": "gzip"}).Header.Get("Content-Encoding"), "a page isn't compressed")
}

func TestUnseenWordsAreApartFromTheWordBeforeThem(t *testing.T) {
	files, err := filepath.Glob("../../views/*.templ")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotRegexp(t, `\w<span class="unseen">(\{ [a-z]|\w)`, string(source), "%s: a screen reader would read one word", file)
	}
}
