package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

var placeLink = regexp.MustCompile(`<nav class="places".*?</nav>`)

// labels returns the texts of the links in a part of a page.
func labels(part string) (all []string) {
	for _, link := range regexp.MustCompile(`<a [^>]*>([^<]*)</a>`).FindAllStringSubmatch(part, -1) {
		all = append(all, link[1])
	}
	return all
}

func TestTheNavigationHasFiveAreasAndEachRoleSeesOnlyItsOwn(t *testing.T) {
	i := apptest.Start(t)
	for role, want := range map[auth.Role][]string{
		auth.Admin:    {"Home", "Births", "Review", "Statistics", "Practice"},
		auth.Provider: {"Home", "Births", "Review", "Statistics", "Practice"},
		auth.Viewer:   {"Home", "Births", "Review", "Statistics", "Practice"},
		auth.Scribe:   {"Home", "Births", "Practice"},
	} {
		require.Equal(t, want, labels(placeLink.FindString(i.SignIn(i.Practice, role).Get("/registry").Body)), role)
	}
}

func TestASlashAtTheEndOfAPagesAddressLeadsToThePage(t *testing.T) {
	i := apptest.Start(t)
	for path, want := range map[string]string{
		"/docs/": "/docs", "/docs/practice/": "/docs/practice", "/registry/": "/registry", "/sign-in/": "/sign-in",
		"/registry/records/?state=voided": "/registry/records?state=voided", "/registry/users/2/": "/registry/users/2",
	} {
		answer := i.Stranger().Get(path)
		require.Equal(t, 308, answer.StatusCode, path)
		require.Equal(t, want, answer.Header.Get("Location"), path)
	}
	for _, path := range []string{
		"/docs//", "//docs/", "/nowhere/", "//example.org/", `/\example.org/`, "/openapi.json/", "/health/json/",
		"/api/registry/fhir/metadata/", "/account/password/",
	} {
		require.Equal(t, 404, i.Stranger().Get(path).StatusCode, path)
	}
	require.Equal(t, 404, i.Stranger().Post("/sign-in/", nil).StatusCode)
}

func TestThePagesOfAnAreaLinkToEachOther(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	for path, want := range map[string][]string{
		"/registry/records":        {"Records", "Record a birth", "Import"},
		"/registry/records/export": {"Records", "Record a birth", "Import"},
		"/registry/ingestions":     {"Duplicates", "Ingestions", "Providers"},
		"/registry/users/invite":   {"Settings", "Users", "Custom fields", "Audit"},
		"/registry/statistics":     {"Statistics", "Report"},
		"/registry":                nil,
	} {
		page := b.Get(path).Body
		within := regexp.MustCompile(`<nav class="within".*?</nav>`).FindString(page)
		for _, label := range want {
			require.Contains(t, labels(within), label, path)
		}
		require.Equal(t, want == nil, within == "", path)
		require.Equal(t, 1, strings.Count(placeLink.FindString(page), "aria-current"), path)
	}
}

func TestNobodySeesALinkThatTheyMayNotFollow(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	i.Push(birth)
	i.Push(noMother)
	i.Push(apptest.Course{Chart: "C-2"}.Bundle())
	href := regexp.MustCompile(`href="(/[^"#]*)`)
	for _, role := range []auth.Role{auth.Admin, auth.Provider, auth.Scribe, auth.Viewer} {
		b := i.SignIn(i.Practice, role)
		seen, todo := map[string]bool{"/registry": true}, []string{"/registry"}
		for len(todo) > 0 {
			path := todo[0]
			todo = todo[1:]
			page := b.Get(path)
			require.Less(t, page.StatusCode, http.StatusBadRequest, "%s is led to %s", role, path)
			if !strings.HasPrefix(path, "/registry") && path != "/account" {
				continue // everybody may read the guide, whose own tests check its pages
			}
			for _, link := range href.FindAllStringSubmatch(page.Body, -1) {
				next := strings.ReplaceAll(link[1], "&amp;", "&")
				if kind := kindOf(next); !seen[kind] {
					seen[kind] = true
					todo = append(todo, next)
				}
			}
		}
		require.Greater(t, len(seen), 10, role)
	}
}

// kindOf returns a link whose query has more than one parameter without their values. Whether
// somebody may follow a link to a list depends on what they filter and sort by, and on each
// value, but not on the combinations, which would make thousands of pages.
func kindOf(link string) string {
	if strings.Contains(link, "&") {
		return value.ReplaceAllString(link, "=")
	}
	return link
}

var value = regexp.MustCompile(`=[^&]*`)

func TestOnlyAnAdminReadsTheVersion(t *testing.T) {
	i := apptest.Start(t)
	for _, role := range []auth.Role{auth.Provider, auth.Scribe, auth.Viewer} {
		require.NotContains(t, i.SignIn(i.Practice, role).Get("/registry").Body, "Version ")
	}
	require.Contains(t, i.SignIn(i.Practice, auth.Admin).Get("/registry").Body, "Version ")
	require.NotContains(t, i.Do("GET", "/sign-in", "").Body, "Version ")
}
