package web_test

import (
	"encoding/hex"
	"flag"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	spine "birthregistry/app/birth"
	"birthregistry/app/drafts"
	"birthregistry/app/review"
	"birthregistry/app/seal"
	"birthregistry/app/web"
	"birthregistry/store"
)

var update = flag.Bool("update", false, "write the golden files anew")

const rolesGolden = "testdata/roles.golden"

// fixture is a practice with one of everything that an address can name.
type fixture struct {
	practice store.PracticeID
	ids      []string // for each name in an address, its value in this fixture
	named    *strings.Replacer
}

// newFixture fills a sandbox practice, which has every page.
func newFixture(t *testing.T, i *apptest.Installation, name string) fixture {
	t.Helper()
	p := fixture{practice: practiceWith(t, i, true, true)}
	key := i.Mint(p.practice, "ingest:write", "ingest:read")
	as := []string{"Authorization", "Bearer " + key}
	i.Push(apptest.Batch(
		apptest.Course{Chart: name + " kept", Mother: "Haddad"}.Bundle(), apptest.Course{Chart: name + " kept beside", Mother: "Haddad"}.Bundle(),
		apptest.Course{Chart: name}.Bundle(), apptest.Course{Chart: name + " again"}.Bundle(),
	), as...)
	admin := i.SignIn(p.practice, auth.Admin)
	other := i.SignIn(p.practice, auth.Viewer)
	imported := upload(t, admin, "births.csv", "chart_number,birth_date\nc-1,2026-03-02\n").Header.Get("Location")
	field, err := i.App.CustomFields.Define(auth.Operator(store.Practice{ID: p.practice}), spine.CustomField{Label: "Tub", Kind: spine.CustomText})
	require.NoError(t, err)
	var record, near store.Record
	var decided int64
	operator := auth.Operator(store.Practice{ID: p.practice})
	var ingestion string
	var kept review.Pair
	require.NoError(t, i.App.DB.View(t.Context(), func(v *store.View) error {
		all, err := v.Records(p.practice, 0, 4)
		if err != nil {
			return err
		}
		record, near = all[0], all[1]
		kept = review.Pair{Stays: all[3].UUID, Goes: all[2].UUID, StaysVersion: 1, GoesVersion: 1}
		ingestions, err := v.Ingestions(p.practice, store.AnyIngestion, 0, 9)
		ingestion = ingestions[0].PublicID
		return err
	}))
	decided, err = i.App.Review.MarkNotDuplicates(operator, kept)
	require.NoError(t, err)
	provider, into := addProviders(t, i, p.practice)
	draft := uuid.NewString()
	author := auth.User{ID: admin.User, Role: auth.Admin, Practice: store.Practice{ID: p.practice}}
	_, err = i.App.Drafts.Save(t.Context(), author, draft, 0, drafts.Content{Typed: url.Values{"gravida": {"2"}}})
	require.NoError(t, err)
	p.ids = []string{
		":passkey", "1", ":sso", "1", ":draft", draft, ":tombstone", fmt.Sprint(addTombstone(t, i, p.practice)),
		":record", record.UUID, ":other", near.UUID, ":review", fmt.Sprint(decided), ":provider", fmt.Sprint(provider), ":into", fmt.Sprint(into), ":version", "1", ":key", fmt.Sprint(keysOf(t, i, p.practice)[0].ID),
		":ingestion", ingestion, ":import", imported[strings.LastIndexByte(imported, '/')+1:], ":user", fmt.Sprint(other.User),
		":field", fmt.Sprint(field.ID), ":change", "retire", ":file", "app.css", ":page", "errors", ":sample", "01-single-birth.json", ":measure", "cesarean",
	}
	p.named = strings.NewReplacer(p.ids...)
	return p
}

// addProviders adds two providers.
func addProviders(t *testing.T, i *apptest.Installation, p store.PracticeID) (one, two int64) {
	t.Helper()
	row := func(name string) store.Provider {
		sealed, err := i.App.Vault.Seal(seal.Place{Practice: int64(p), Table: "providers", Row: hex.EncodeToString([]byte(name))}, []byte(`{"key":"`+name+`"}`))
		require.NoError(t, err)
		return store.Provider{Identity: []byte(name), Sealed: sealed, Name: name, Role: spine.RoleMidwife}
	}
	first, second := row("Jane Lee"), row("Lee, Jane")
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) (err error) {
		if one, err = tx.AddProvider(p, first, "2026-03"); err != nil {
			return err
		}
		two, err = tx.AddProvider(p, second, "2026-03")
		return err
	}))
	return one, two
}

// addTombstone erases the chart number of a birth.
func addTombstone(t *testing.T, i *apptest.Installation, p store.PracticeID) int64 {
	t.Helper()
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error {
		return tx.AddTombstone(p, store.Tombstone{Chart: []byte("erased"), UUID: uuid.NewString(), Reason: store.ErasedByMistake})
	}))
	all, err := store.Read(t.Context(), i.App.DB, func(v *store.View) ([]store.Tombstone, error) { return v.Tombstones(p, 1) })
	require.NoError(t, err)
	return all[0].ID
}

// answer returns what a person gets for a request: "yes", or why not.
func answer(page apptest.Page) string {
	switch {
	case page.StatusCode == 303 && page.Header.Get("Location") == "/sign-in":
		return "sign in"
	case page.StatusCode == 401 || page.StatusCode == 403 || page.StatusCode == 404:
		return fmt.Sprint(page.StatusCode)
	case page.StatusCode >= 500:
		return "broken"
	}
	return "yes"
}

// walkAsEverybody requests every route as each role in its own practice, as an admin of
// another practice, and as a visitor who is not signed in.
func walkAsEverybody(t *testing.T) string {
	i := apptest.Start(t)
	list(t, i, store.EHR{Issuer: "https://ehr.example.org/fhir", ClientID: "our-client"}) // otherwise nothing can be launched
	// The fixtures that no request has changed yet, by who asks.
	unused := map[string]fixture{}
	fresh := func(who string) fixture {
		if _, ok := unused[who]; !ok {
			unused[who] = newFixture(t, i, uuid.NewString())
		}
		return unused[who]
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-5s%-46s%-9s%-9s%-9s%-9s%-9s%s\n", "", "route", "admin", "provider", "scribe", "viewer", "other's", "nobody")
	for _, route := range web.RoutePaths() {
		if strings.HasPrefix(route.Path, "/api/") {
			continue // keys have scopes, not roles
		}
		ask := func(who *apptest.Browser, at fixture) string {
			path := at.named.Replace(route.Path)
			switch {
			case route.Method == "POST":
				return answer(who.Post(path, url.Values{"sample": {"01-single-birth"}, "practice": {fmt.Sprint(at.practice)}}))
			case strings.HasSuffix(path, "/compare"):
				path += "?a=1&b=1"
			}
			return answer(who.Do(route.Method, path, nil, nil))
		}
		fmt.Fprintf(&b, "%-5s%-46s", route.Method, route.Path)
		for _, role := range []auth.Role{auth.Admin, auth.Provider, auth.Scribe, auth.Viewer} {
			own := fresh(string(role))
			got := ask(i.SignIn(own.practice, role), own)
			if route.Method == "POST" && got == "yes" {
				delete(unused, string(role))
			}
			fmt.Fprintf(&b, "%-9s", got)
		}
		foreign := fresh("others")
		others := "–"
		if strings.Contains(route.Path, "/:") && !strings.HasPrefix(route.Path, "/docs") && !strings.HasPrefix(route.Path, "/assets") &&
			!strings.HasPrefix(route.Path, "/registry/statistics") {
			others = ask(i.SignIn(i.Practice, auth.Admin), foreign)
		}
		fmt.Fprintf(&b, "%-9s%s\n", others, ask(i.Stranger(), foreign))
	}
	return b.String()
}

// ROLES: the table of routes and roles is testdata/roles.golden.
func TestROLES_EveryRouteAnswersEveryRoleAsTheTableSays(t *testing.T) {
	t.Parallel()
	got := walkAsEverybody(t) + "\n" + rolesShown(t)
	if *update {
		require.NoError(t, os.WriteFile(rolesGolden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(rolesGolden)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "go test ./app/web -run EveryRoute -update, then read the diff")
	require.NotContains(t, got, "broken")
}

// rolesShown returns the table of permissions as the guide shows it.
func rolesShown(t *testing.T) string {
	i := apptest.Start(t)
	var b strings.Builder
	for n := range dom(t, i.Stranger().Get("/docs/roles")).Descendants() {
		if n.Type != html.ElementNode || n.Data != "tr" {
			continue
		}
		for cell := range n.ChildNodes() {
			if cell.Type == html.ElementNode {
				fmt.Fprintf(&b, "%s | ", words(cell))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestTheGuideShowsThePermissionsThatAreChecked(t *testing.T) {
	shown := rolesShown(t)
	for _, row := range auth.Permissions {
		require.Contains(t, shown, row.About)
	}
	require.Equal(t, len(auth.Permissions)+1, strings.Count(shown, "\n"))
}
