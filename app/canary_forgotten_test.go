package app_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/longtest"
)

// more enters what the other steps don't: a custom field, a user, a key, a registration with an
// EHR, the columns of a spreadsheet that waits, a draft, and a birth that is erased.
func (r *canaryRun) more() {
	r.t.Helper()
	r.step(303, r.b.Post("/registry/fields", url.Values{"label": {r.c.token("custom field")}, "kind": {"text"}}))
	r.record(r.step(200, r.b.Get("/registry/capture")))
	address := r.c.token("address") + "@example.org"
	r.step(303, r.b.Post("/registry/users", url.Values{"email": {address}, "name": {r.c.token("user")}, "role": {"provider"}}))
	code := invitationCode.FindStringSubmatch(r.b.Get("/registry/users/link").Body)
	require.NotNil(r.t, code)
	apptest.NewBrowser(r.t.(*testing.T), "http://"+r.address).Post("/invite", url.Values{"code": {code[1]}, "name": {r.c.token("user")}, "password": {canaryPassword}})
	r.command("key", "mint", "--practice", "1", "--label", r.c.token("label"), "--scope", "ingest:read")
	r.command("ehr", "add", "https://ehr.example.org/fhir/r4", "--client-id", r.c.token("client"), "--label", r.c.token("EHR"), "--practice", "1")
	header, row := "Chart #,Baby DOB,mother_family_name,"+r.c.token("csv column")+"\n", ""
	for day := range 9 {
		row += fmt.Sprintf("%s,2026-04-0%d,%s,%s\n", r.c.token("csv"), day+1, r.c.token("csv"), r.c.token("csv"))
	}
	at := r.sendFile(header + row)
	r.step(303, r.b.Post(at+"/columns", formOf(r.step(200, r.b.Get(at+"/columns")), at+"/columns")))
	require.Contains(r.t, r.step(200, r.b.Get("/registry/import/remembered")).Body, "Baby DOB")
	page := r.step(200, r.b.Get("/registry/capture"))
	draft := draftAddress.FindString(page.Body)
	form := formOf(page, draft)
	form.Set("mother_family_name", r.c.token("draft"))
	form.Set("do", "save")
	r.step(303, r.b.Post(draft, form))
	all := r.listed("1")
	one := all[len(all)-1] // the oldest
	r.step(303, r.b.Post("/registry/records/"+one.ID+"/erase", url.Values{
		"basis": {fmt.Sprint(one.Version)}, "reason": {"request"}, "password": {canaryPassword},
	}))
}

var invitationCode = regexp.MustCompile(`/invite#([A-Z2-7]{26})"`)

// listedRecord is a record as record list --json has it.
type listedRecord struct {
	ID      string `json:"id"`
	State   string `json:"state"`
	Version int    `json:"version"`
}

func (r *canaryRun) listed(practice string) (all []listedRecord) {
	r.t.Helper()
	require.NoError(r.t, json.Unmarshal([]byte(r.command("record", "list", "--practice", practice, "--json")), &all))
	require.NotEmpty(r.t, all)
	return all
}

// values adds every text and every sealed or keyed value of every table that is long enough to be
// recognized to all. It takes the end of a long one, which differs from row to row.
func (r *canaryRun) values(all map[string]string) {
	r.t.Helper()
	db := r.open()
	defer db.Close() //nolint:errcheck // only read
	tables, err := db.Query(`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`)
	require.NoError(r.t, err)
	var names []string
	for tables.Next() {
		var name string
		require.NoError(r.t, tables.Scan(&name))
		names = append(names, name)
	}
	require.NoError(r.t, tables.Err())
	for _, name := range names {
		rows, err := db.Query(`select * from ` + name)
		require.NoError(r.t, err)
		columns, err := rows.Columns()
		require.NoError(r.t, err)
		for rows.Next() {
			row, into := make([]any, len(columns)), make([]any, len(columns))
			for n := range row {
				into[n] = &row[n]
			}
			require.NoError(r.t, rows.Scan(into...))
			for n, value := range row {
				switch value := value.(type) {
				case string:
					recognizable(all, []byte(value), name+"."+columns[n])
				case []byte:
					recognizable(all, value, name+"."+columns[n])
				}
			}
		}
		require.NoError(r.t, rows.Err())
	}
}

func recognizable(all map[string]string, value []byte, where string) {
	if len(value) >= 14 {
		all[string(value[max(len(value)-40, 0):])] = where
	}
}

// remaining returns where each value that is still in one of the files came from.
func (r *canaryRun) remaining(values map[string]string, files ...string) (where []string) {
	r.t.Helper()
	for _, file := range files {
		content, err := os.ReadFile(file)
		if os.IsNotExist(err) { // the WAL of a stopped service
			continue
		}
		require.NoError(r.t, err)
		for value, from := range values {
			if bytes.Contains(content, []byte(value)) {
				where = append(where, fmt.Sprintf("%s in %s", from, filepath.Base(file)))
			}
		}
	}
	return where
}

// A practice enters values in every way that there is. Each is followed from the moment it is
// stored, in clear, sealed and as a keyed code, until the practice is forgotten and the file is
// compacted. Another practice sees no difference.
func TestNothingThatAPracticeEnteredIsLeftOnceItIsForgottenAndTheFileCompacted(t *testing.T) {
	t.Parallel()
	longtest.Only(t, "a practice that enters everything, and is forgotten")
	r := newCanaryRun(t)
	defer func() { r.kill() }()
	other := r.neighbor()
	r.stored = map[string]string{}
	r.pushes()
	r.record(r.step(200, r.b.Get("/registry/capture")))
	r.pull()
	r.spreadsheet()
	r.reviews()
	r.more()
	r.passkey()
	entered, wal, present := r.stored, r.db+"-wal", map[string]string{}
	r.stored = nil
	r.values(present)
	require.Greater(t, len(r.remaining(present, r.db, wal)), len(present)*9/10, "the search finds what is there, except where a page ends in it")
	inClear := strings.Join(r.remaining(r.c.inClear(), r.db, wal), "\n")
	for _, what := range []string{"Bundle.identifier.value", "Practitioner.name", "custom field", "address", "user", "label", "client", "EHR"} {
		require.Contains(t, inClear, what+" in ", "of what is kept in clear")
	}
	before := other.sees()

	r.command("practice", "forget", "1", "--without-export", "--yes")
	stays := map[string]string{}
	r.values(stays)
	gone := r.c.inClear()
	for value, from := range entered {
		if _, left := stays[value]; !left && !strings.Contains(schemaOf(r), value) {
			gone[value] = from
		}
	}
	require.Greater(t, len(gone), 1000)
	for _, table := range []string{
		"api_keys.hash", "audit.object", "custom_values.sealed", "drafts.sealed", "fingerprints.print", "import_parts.sealed", "imports.about", "ingestions.idempotency", "ingestions.outcome", "matches.sealed", "memberships.mac", "names.word", "passkeys.credential", "passkeys.name", "prefills.sealed",
		"providers.sealed", "sessions.token", "tombstones.chart", "users.password", "versions.patient",
	} {
		require.True(t, anyFrom(gone, table), "nothing was entered into %s", table)
	}
	require.Empty(t, r.remaining(gone, wal), "in the WAL, while the service runs")
	require.LessOrEqual(t, len(r.remaining(gone, r.db)), len(gone)/100, "fragments")
	r.stop()
	r.command("compact")
	require.Empty(t, r.remaining(gone, r.db, wal, r.db+".lock"))
	r.command("backup", r.at("out/after.db"))
	require.Empty(t, r.remaining(gone, r.at("out/after.db")))
	r.serve()
	after := other.sees()
	require.True(t, strings.HasSuffix(after["audit"], strings.TrimPrefix(before["audit"], "[")), "the trail has only grown")
	for what, was := range before {
		if what != "audit" {
			require.Equal(t, was, after[what], what)
		}
	}
	require.NotContains(t, r.command("check"), "PROBLEM")
	t.Logf("%d values followed, of %d tokens", len(gone), len(r.c.tokens))
}

func anyFrom(values map[string]string, column string) bool {
	for _, from := range values {
		if strings.HasPrefix(from, column) {
			return true
		}
	}
	return false
}

// inClear are the tokens, as they were entered and in lower case.
func (c *canary) inClear() map[string]string {
	all := map[string]string{}
	for token, path := range c.tokens {
		all[token], all[strings.ToLower(token)] = path, path
	}
	return all
}

func schemaOf(r *canaryRun) (text string) {
	r.t.Helper()
	db := r.open()
	defer db.Close() //nolint:errcheck // only read
	require.NoError(r.t, db.QueryRow(`select group_concat(sql) from sqlite_schema`).Scan(&text))
	return text
}

// neighbor is another practice of the installation.
type neighbor struct {
	r        *canaryRun
	id, key  string
	b        *apptest.Browser
	receipts []string // addresses
}

// neighbor makes a practice that has pushed, amended, retracted and imported births.
func (r *canaryRun) neighbor() *neighbor {
	r.t.Helper()
	n := &neighbor{r: r, id: r.command("practice", "add", "Hillside", "--ehr-beta")}
	n.key = r.command("key", "mint", "--practice", n.id, "--label", "nightly", "--scope", "ingest:write,ingest:read")
	r.command("user", "add", "hana@example.org", "--practice", n.id, "--role", "admin", "--password-file", r.at("out/password"))
	n.b = apptest.NewBrowser(r.t.(*testing.T), "http://"+r.address)
	require.Equal(r.t, 303, n.b.Post("/sign-in", url.Values{"email": {"hana@example.org"}, "password": {canaryPassword}}).StatusCode)
	for _, body := range []string{
		apptest.Course{Chart: "26-1", Mother: "Haddad", Weight: 3000}.Bundle(), apptest.Course{Chart: "26-2", Mother: "Haddad", Weight: 3100}.Bundle(),
		apptest.Course{Chart: "26-1", Mother: "Haddad", Weight: 3200}.Bundle(), apptest.Course{Chart: "26-3", Mother: "Osei"}.Bundle(),
		`{"resourceType":"Bundle","type":"batch","entry":[{"request":{"method":"DELETE","url":"Bundle?identifier=26-3"}}]}`,
	} {
		n.push(body)
	}
	r.command("import", fileOf(r.t, 40), "--practice", n.id)
	return n
}

func (n *neighbor) push(body string) {
	n.r.t.Helper()
	answer, content := n.request(http.MethodPost, "http://"+n.r.address+apptest.BundlePath, strings.NewReader(body))
	require.Equal(n.r.t, http.StatusAccepted, answer.StatusCode, content)
	location := answer.Header.Get("Content-Location")
	require.Eventually(n.r.t, func() bool {
		_, receipt := n.request(http.MethodGet, location, nil)
		return strings.Contains(receipt, `"completed"`)
	}, patience, patience/10_000)
	n.receipts = append(n.receipts, location)
}

func (n *neighbor) request(method, address string, body io.Reader) (*http.Response, string) {
	n.r.t.Helper()
	request, err := http.NewRequest(method, address, body)
	require.NoError(n.r.t, err)
	request.Header.Set("Authorization", "Bearer "+n.key)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(n.r.t, err)
	defer answer.Body.Close() //nolint:errcheck // only read
	content, err := io.ReadAll(answer.Body)
	require.NoError(n.r.t, err)
	return answer, string(content)
}

// sees returns all that the practice can see of itself, by name: receipts, records with all
// versions, statistics, and the audit trail, newest first.
func (n *neighbor) sees() map[string]string {
	n.r.t.Helper()
	all := map[string]string{}
	for _, address := range n.receipts {
		_, all[address] = n.request(http.MethodGet, address, nil)
	}
	records := n.r.listed(n.id)
	require.Len(n.r.t, records, 43)
	for _, record := range records {
		for version := 1; version <= record.Version; version++ {
			name := fmt.Sprintf("%s version %d", record.ID, version)
			all[name] = n.r.command("record", "show", record.ID, "--practice", n.id, "--version", fmt.Sprint(version), "--reveal", "--json")
		}
	}
	for _, path := range []string{
		"/registry/statistics", "/registry/statistics/cesarean", "/registry/providers", "/registry/ingestions", "/registry/records", "/registry/duplicates",
	} {
		page := n.b.Get(path)
		require.Equal(n.r.t, 200, page.StatusCode, path)
		all[path] = page.Body
	}
	for _, list := range [][]string{{"record", "list"}, {"audit", "list", "--limit", "0"}} {
		all[list[0]] = n.r.command(append(list, "--practice", n.id, "--json")...)
	}
	return all
}
