package web_test

import (
	"database/sql"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/web"
	"birthregistry/store"
)

// practiceIDs are the names in addresses that stand for something of one practice. sharedNames
// mean the same for everybody, or something of one user. If a name is in neither list, nobody has considered it yet, and
// the test fails.
var (
	practiceIDs = []string{":record", ":other", ":review", ":provider", ":into", ":key", ":ingestion", ":import", ":draft", ":user", ":field", ":tombstone"}
	sharedNames = []string{":passkey", ":sso", ":version", ":change", ":file", ":page", ":sample", ":measure"}
	names       = regexp.MustCompile(`:[a-z]+`)
)

// id returns the value of a name in a fixture's addresses.
func (p fixture) id(name string) string { return p.ids[slices.Index(p.ids, name)+1] }

// path returns a route's address in a fixture, with one name's value replaced by id.
func (p fixture) path(route, name, id string) string {
	ids := slices.Clone(p.ids)
	ids[slices.Index(ids, name)+1] = id
	path := strings.NewReplacer(ids...).Replace(route)
	if strings.HasSuffix(path, "/compare") {
		path += "?a=1&b=1"
	}
	return path
}

// shown returns everything that an answer reveals, except what differs between any two
// answers: the request's ID, the time, the rest of the rate limit, and how long the session
// lasts.
func shown(answer apptest.Page) string {
	var b strings.Builder
	fmt.Fprintln(&b, answer.Status)
	for _, name := range slices.Sorted(maps.Keys(answer.Header)) {
		if !slices.Contains([]string{"X-Request-Id", "Date", "Ratelimit", "Set-Cookie"}, name) {
			fmt.Fprintln(&b, name, answer.Header[name])
		}
	}
	return b.String() + strings.ReplaceAll(answer.Body, answer.Header.Get("X-Request-Id"), "its id")
}

// contents returns every row that names a practice.
func contents(t *testing.T, i *apptest.Installation, p store.PracticeID) string {
	t.Helper()
	db, err := sql.Open("sqlite", i.Config.DB+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer db.Close() //nolint:errcheck // read only
	var b strings.Builder
	tables, err := db.Query(`select m.name from sqlite_schema m, pragma_table_info(m.name) c where m.type = 'table' and c.name = 'practice' order by 1`)
	require.NoError(t, err)
	defer tables.Close() //nolint:errcheck // read to the end
	for tables.Next() {
		var table string
		require.NoError(t, tables.Scan(&table))
		rows, err := db.Query(`select * from `+table+` where practice = ?`, p) //nolint:gosec // a table of the schema
		require.NoError(t, err)
		columns, err := rows.Columns()
		require.NoError(t, err)
		for rows.Next() {
			row := make([]any, len(columns))
			for n := range row {
				row[n] = new(any)
			}
			require.NoError(t, rows.Scan(row...))
			for n := range row {
				row[n] = *row[n].(*any)
			}
			fmt.Fprintln(&b, table, row)
		}
		require.NoError(t, rows.Close())
	}
	require.NoError(t, tables.Err())
	require.Greater(t, strings.Count(b.String(), "\n"), 10)
	return b.String()
}

// ISO-1: two practices have the same data. On every route with an ID, for every role and every
// scope of a key, the other practice's ID gets the same answer as an ID that nobody has: the
// same status, the same headers, the same body.
func TestISO_1_AnotherPracticesIDIsAnsweredLikeAnUnknownID(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	list(t, i, store.EHR{Issuer: "https://ehr.example.org/fhir", ClientID: "our-client"})
	own, twin := newFixture(t, i, "twin"), newFixture(t, i, "twin")
	browsers := map[string]*apptest.Browser{"nobody": i.Stranger()}
	for _, role := range []auth.Role{auth.Admin, auth.Provider, auth.Scribe, auth.Viewer} {
		browsers[string(role)] = i.SignIn(own.practice, role)
	}
	keys := []string{i.Mint(own.practice, write), i.Mint(own.practice, read), i.Mint(own.practice, write, read), ""}
	before := contents(t, i, twin.practice)

	// compare requests the other practice's ID, which is refused, and an ID that nobody has.
	compared := 0
	compare := func(name string, allowed []int, ask func(id string) apptest.Page) {
		t.Helper()
		foreign := ask(twin.id(name))
		require.Contains(t, allowed, foreign.StatusCode)
		nobodys := []string{"999999999", "no-id"}
		if strings.Contains(twin.id(name), "-") {
			nobodys[0] = uuid.NewString()
		}
		for _, id := range nobodys {
			require.Equal(t, shown(ask(id)), shown(foreign))
			compared++
		}
	}
	for _, route := range web.RoutePaths() {
		for _, name := range names.FindAllString(route.Path, -1) {
			if slices.Contains(sharedNames, name) {
				continue
			}
			require.Contains(t, practiceIDs, name, route.Path)
			t.Run(fmt.Sprintf("%s %s, %s", route.Method, route.Path, name), func(t *testing.T) {
				if strings.HasPrefix(route.Path, "/api/") {
					for _, key := range keys {
						compare(name, []int{401, 403, 404}, func(id string) apptest.Page {
							answer := i.Do(route.Method, own.path(route.Path, name, id), "", "Authorization", "Bearer "+key)
							return apptest.Page{Response: answer.Response, Body: string(answer.Body)}
						})
					}
					return
				}
				for who, b := range browsers {
					allowed := map[string][]int{"nobody": {303}, "admin": {404}}[who]
					if allowed == nil {
						allowed = []int{403, 404} // a role without the permission gets 403, whatever the ID
					}
					compare(name, allowed, func(id string) apptest.Page {
						if route.Method == "POST" {
							return b.Post(own.path(route.Path, name, id), url.Values{"practice": {fmt.Sprint(own.practice)}})
						}
						return b.Do(route.Method, own.path(route.Path, name, id), nil, nil)
					})
				}
				if route.Method == "GET" {
					require.NotEqual(t, 404, browsers["admin"].Get(own.path(route.Path, name, own.id(name))).StatusCode, "one's own is there")
				}
			})
		}
	}
	require.Greater(t, compared, 400)
	require.Equal(t, before, contents(t, i, twin.practice), "and nothing of the other practice has changed")
}
