package web_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/assets"
)

func TestTheGuideIsForEverybody(t *testing.T) {
	i := apptest.Start(t)
	b := i.Stranger()
	first := b.Get("/docs")
	require.Equal(t, 200, first.StatusCode)
	require.Contains(t, first.Body, i.URL+"/api/registry/fhir/Bundle")
	links := regexp.MustCompile(`href="(/docs[^"#]*)`).FindAllStringSubmatch(first.Body, -1)
	require.Greater(t, len(links), 10)
	for _, link := range links {
		page := b.Get(link[1])
		require.Equal(t, 200, page.StatusCode, link[1])
		require.Equal(t, 1, strings.Count(page.Body, "<h1"), link[1])
		require.Contains(t, page.Body, `aria-current="page"`, link[1])
		require.NotContains(t, page.Body, "style=", link[1])
		require.Contains(t, page.Header.Get("Content-Security-Policy"), "default-src 'none'")
	}
	for _, path := range []string{"/docs/nonsense", "/docs/samples/nonsense.json", "/docs/index", "/docs/samples/..%2fopenapi.json"} {
		require.Equal(t, 404, b.Get(path).StatusCode, path)
	}
	require.Contains(t, i.SignIn(i.Practice, auth.Viewer).Get("/docs").Body, "Riverside Midwives")
	for _, part := range []string{"Work in a practice", "Connect another system", "Run the registry"} {
		require.Contains(t, first.Body, "<p>"+part+"</p>", "its pages are listed by reader")
	}
}

func TestHelpOpensTheGuideWhereItsReaderBegins(t *testing.T) {
	i := apptest.Start(t)
	require.Contains(t, i.Stranger().Get("/sign-in").Body, `<a href="/docs">Help and guide</a>`)
	require.Contains(t, i.SignIn(i.Practice, auth.Scribe).Get("/registry").Body, `<a href="/docs/practice">Help and guide</a>`)
}

func TestTheSamplesAreServedUnchanged(t *testing.T) {
	i := apptest.Start(t)
	names, err := assets.Samples.ReadDir("samples")
	require.NoError(t, err)
	require.Len(t, names, 6)
	for _, name := range names {
		want, err := assets.Samples.ReadFile("samples/" + name.Name())
		require.NoError(t, err)
		got := i.Stranger().Get("/docs/samples/" + name.Name())
		require.Equal(t, "application/fhir+json", got.Header.Get("Content-Type"))
		require.Equal(t, string(want), got.Body)
	}
}
