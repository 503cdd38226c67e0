package cost_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// many is a thing that can be numerous, with the pages that show it or read it.
type many struct {
	of string
	n  int // the smallest number tried
	// fill fills an installation with n such things and sets the values for the parameters of
	// the routes (installation.named).
	fill func(s *installation, n int)
	// pages and paged are routes; some have a query, and POST comes before a route that is
	// posted to. A page in paged shows the same amount whatever n is, so only the depth of
	// indexes may make it slower.
	pages, paged []string
}

// onPages are all of them.
var onPages = append(append(append([]many{}, ofRecords...), ofPractice...), ofFiles...)

func (m many) check(t *testing.T) {
	t.Run("pages with many "+m.of, func(t *testing.T) {
		for _, problem := range nLogN.exceeds(m.n, func(n int) (all []part) {
			s := newInstallation(t)
			m.fill(s, n)
			undisturbed(func() {
				for i, page := range slices.Concat(m.pages, m.paged) {
					s.open(page) // does what is done only once
					w := count(func() { s.open(page) })
					t.Logf("%6d: %s: %s", n, page, w)
					for _, p := range w.parts() {
						if p.name = page + ": " + p.name; i >= len(m.pages) {
							p.by = &logN
						}
						all = append(all, p)
					}
				}
			})
			require.NoError(t, s.Close())
			return all
		}) {
			t.Error(problem)
		}
	})
}

// parameter matches a parameter in a route.
var parameter = regexp.MustCompile(":[a-z]+")

// routeOf splits a page's name into the method and the route.
func routeOf(page string) (method, route string) {
	method, route, posts := strings.Cut(page, " ")
	if !posts {
		method, route = http.MethodGet, page
	}
	route, _, _ = strings.Cut(route, "?")
	return method, route
}

// open opens a page at the address that its route has in this installation.
func (s *installation) open(page string) *httptest.ResponseRecorder {
	s.Helper()
	answer := s.ask(s.Context(), page)
	require.Equal(s, http.StatusOK, answer.Code, "%s: %s", page, answer.Body)
	_, route := routeOf(page)
	require.Equal(s, route, s.answered, "it is another page that was opened")
	return answer
}

// ask requests a page for a person who waits until ctx ends.
func (s *installation) ask(ctx context.Context, page string) *httptest.ResponseRecorder {
	s.Helper()
	address := parameter.ReplaceAllStringFunc(page[strings.Index(page, "/"):], func(name string) string {
		require.Contains(s, s.named, name[1:], page)
		return s.named[name[1:]]
	})
	method, route := routeOf(page)
	r := httptest.NewRequestWithContext(ctx, method, base+address, http.NoBody)
	r.Header.Set("Origin", base)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if strings.HasPrefix(route, "/api/") {
		r.Header.Set("Authorization", "Bearer "+s.key)
	}
	r.AddCookie(s.cookie)
	return s.do(r)
}

// noLists are the routes that show nothing that can be numerous, each with the reason.
var noLists = map[string]string{
	"/registry/statistics/:measure/chart.svg": "a drawing of the figures of its page, which is opened with many", "/registry/statistics/:measure/chart.csv": "the same figures",
	"/registry/statistics/:measure/funnel.svg": "a drawing of the figures of its page, which is opened with many", "/registry/statistics/:measure/funnel.csv": "the same figures",
	"/registry/report/columns": "the columns of a report",
	"/openapi.json":            "the contract", "/api/registry/fhir/metadata": "the same for all", "/docs": "a guide", "/docs/:page": "a guide", "/docs/samples/:sample": "a sample", "/assets/:file": "a file",
	"/": "leads to the home page", "/health/live": "reads nothing", "/health/ready": "reads nothing",
	"/sign-in": "a form", "/sign-in/verify": "a form", "/invite": "one link", "/reset": "one link", "/setup": "a form",
	"/sign-in/with/:sso": "sends the browser to an identity provider", "/sign-in/with/:sso/callback": "comes from an identity provider", "/sign-in/confirm": "one account", "/account/confirm": "sends the browser to an identity provider",
	"/account/second-factor": "at most twenty passkeys",
	"/account/factor":        "one secret", "/account/codes": "ten codes", "/account/passkeys/:passkey/delete": "at most twenty passkeys",
	"/registry/users/invite": "a form", "/registry/users/link": "one link",
	"/registry/users/sign-in": "the operator's few identity providers", "/account/providers/:sso/unlink": "the operator's few identity providers",
	"/registry/users/:user/disable": "one person", "/registry/users/:user/factor": "one person",
	"/registry/settings/keys/minted": "one key", "/registry/settings/keys/:key/webhook/secret": "one secret",
	"/registry/data":                       "counts, and ten downloads at most",
	"/registry/capture/saved":              "one record's number",
	"/registry/records/:record/everything": "the last fifty versions and hundred entries at most, the rest by pages",
	"/registry/records/:record/erase":      "the few records of one birth",
	"/registry/drafts":                     "the last hundred drafts at most",
	"/registry/drafts/:draft":              "one draft, bounded when it is saved", "/registry/drafts/:draft/discard": "one draft",
	"/registry/import/sample.csv":      "a sample",
	"/registry/import/remembered":      "the answers about forty header rows, 500 lines at most",
	"/registry/imports/:import/values": "at most 60 texts of each of 200 columns",
	"/registry/capture/prefill":        "one chart of an EHR, bounded when it is read",
	"/smart/launch":                    "leads to an EHR", "/smart/callback": "leads from an EHR", "/smart/jwks.json": "the keys in use",
}

func TestEveryPageThatShowsAListIsOpenedWithMany(t *testing.T) {
	opened := map[string]bool{}
	for _, m := range onPages {
		for _, page := range slices.Concat(m.pages, m.paged) {
			method, route := routeOf(page)
			opened[method+" "+route] = true
		}
	}
	known := map[string]bool{}
	for _, route := range newInstallation(t).routes() {
		known[route.Method+" "+route.Path] = true
		if route.Method != http.MethodGet {
			continue
		}
		lists := opened["GET "+route.Path]
		require.NotEqual(t, lists, noLists[route.Path] != "", "%s is opened with many of what it shows, or else listed as showing no list", route.Path)
	}
	for route := range noLists {
		require.Contains(t, known, "GET "+route, "nobody asks for it any more")
	}
	for route := range opened {
		require.Contains(t, known, route)
	}
}
