package web_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

func TestTheHomePageSaysWhatWaitsForWhoCanMendIt(t *testing.T) {
	i := apptest.Start(t)
	for _, role := range []auth.Role{auth.Admin, auth.Provider} {
		require.Contains(t, i.SignIn(i.Practice, role).Get("/registry").Body, "Nothing needs your attention")
	}
	i.Push(birth)
	i.Push(noMother)
	i.Push(apptest.Course{Chart: "C-2"}.Bundle()) // the same mother and birth
	fail(t, i)
	for _, role := range []auth.Role{auth.Admin, auth.Provider} {
		page := i.SignIn(i.Practice, role).Get("/registry")
		for _, text := range []string{
			`href="/registry/ingestions?show=failed">failed ingestion in 7 days`,
			`href="/registry/ingestions?show=rejects">ingestion with rejects in 7 days`,
			`href="/registry/duplicates">possible duplicate`,
			`href="/registry/records?incomplete=yes&amp;state=active">records lack key facts`,
		} {
			require.Contains(t, page.Body, text)
		}
	}
	for _, role := range []auth.Role{auth.Scribe, auth.Viewer} {
		require.NotContains(t, i.SignIn(i.Practice, role).Get("/registry").Body, "Needs attention")
	}
	other := i.SignIn(practiceWith(t, i, false, true), auth.Admin).Get("/registry")
	require.Contains(t, other.Body, "Nothing needs your attention")
}

func TestTheHomePageLeadsWhereTheRoleMayGo(t *testing.T) {
	i := apptest.Start(t)
	for role, ways := range map[auth.Role][]string{
		auth.Admin:    {"/registry/capture", "/registry/import", "/registry/records", ingestionsPage, settings + "#keys"},
		auth.Provider: {"/registry/capture", "/registry/import", "/registry/records", ingestionsPage, settings + "#keys"},
		auth.Scribe:   {"/registry/capture", "/registry/import", settings + "#keys"},
		auth.Viewer:   {"/registry/records", ingestionsPage, settings + "#keys"},
	} {
		page := i.SignIn(i.Practice, role).Get("/registry")
		for _, way := range []string{"/registry/capture", "/registry/import", "/registry/records", ingestionsPage, settings + "#keys"} {
			has := false
			for _, w := range ways {
				has = has || w == way
			}
			link := `class="button" href="` + way + `"`
			second := `class="button second" href="` + way + `"`
			if has {
				require.Regexp(t, link+"|"+second, page.Body, "%s %s", role, way)
			} else {
				require.NotRegexp(t, link+"|"+second, page.Body, "%s %s", role, way)
			}
		}
	}
	outside := i.SignIn(practiceWith(t, i, false, false), auth.Viewer).Get("/registry")
	require.NotContains(t, outside.Body, "API keys")
}

func TestTheFirstStepsAreReadFromWhatIsThere(t *testing.T) {
	i := apptest.Start(t)
	p := practiceWith(t, i, true, true)
	b := i.SignIn(p, auth.Admin)
	page := b.Get("/registry")
	for _, step := range []string{"Record the first birth", "Invite your colleagues", "Create an API key"} {
		require.Contains(t, page.Body, step)
	}
	require.NotContains(t, page.Body, "Done</span>")
	key := i.Mint(p, write, read)
	require.Contains(t, b.Get("/registry").Body, "Done</span>")
	i.Push(birth, "Authorization", "Bearer "+key)
	viewer := i.SignIn(p, auth.Viewer)
	require.NotContains(t, viewer.Get("/registry").Body, "Getting started")
	require.NotContains(t, b.Get("/registry").Body, "Getting started", "all is done: a birth, a colleague, a key")
}
