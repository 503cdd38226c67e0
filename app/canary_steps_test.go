package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"birthregistry/app/apptest"
	"birthregistry/app/auth/authtest"
	"birthregistry/assets"
	"birthregistry/store"
)

// canaryRun is the built program in its own folders, started under the usual umask (022), and
// everything that people and machines do with it. Every value they send is a token.
type canaryRun struct {
	*installation
	c       *canary
	folder  string // every folder that the program may write to
	metrics string
	hook    *receiver
	b       *apptest.Browser
	seen    strings.Builder   // what it showed: errors, receipts, addresses, titles
	stored  map[string]string // every value that was in the database after a step; nil if nobody wants them
}

const canaryPassword = "a password for the run"

func newCanaryRun(t *testing.T) *canaryRun {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"data", "temp", "backups", "out"} {
		require.NoError(t, os.Mkdir(filepath.Join(folder, name), 0o755))
	}
	script := filepath.Join(folder, "birthregistry")
	text := fmt.Sprintf("#!/bin/sh\numask 022\nexport TMPDIR=%s/temp\nexec %s \"$@\"\n", folder, apptest.Binary(t))
	require.NoError(t, os.WriteFile(script, []byte(text), 0o700))
	r := &canaryRun{folder: folder, metrics: freeAddress(t), c: &canary{structure: readable, tokens: map[string]string{}, ids: map[string]string{}}}
	r.installation = &installation{t: t, binary: script, db: r.at("data/registry.db"), address: strings.Replace(freeAddress(t), "127.0.0.1", "localhost", 1)}
	practice := r.command("practice", "add", "Canary", "--ehr-beta")
	r.key = r.command("key", "mint", "--practice", practice, "--label", "load", "--scope", "ingest:write,ingest:read")
	r.hook = newReceiver(t, r.installation)
	require.NoError(t, os.WriteFile(r.at("out/password"), []byte(canaryPassword), 0o600))
	r.command("user", "add", "olive@example.org", "--practice", practice, "--role", "admin", "--password-file", r.at("out/password"))
	r.serve()
	r.b = apptest.NewBrowser(t, "http://"+r.address)
	r.step(303, r.b.Post("/sign-in", url.Values{"email": {"olive@example.org"}, "password": {canaryPassword}}))
	return r
}

func (r *canaryRun) at(name string) string { return filepath.Join(r.folder, name) }

func (r *canaryRun) serve() {
	r.start("--base-url", "http://"+r.address, "--ehr-loopback", "--webhook-loopback", "--metrics-listen", r.metrics, "--backup-dir", r.at("backups"), "--backup-sealed")
}

// step records an answer: its address, headers and title, and the whole page if it is an
// error. Any other page may show users their own data.
func (r *canaryRun) step(status int, page apptest.Page) apptest.Page {
	r.t.Helper()
	require.Equal(r.t, status, page.StatusCode, "%s: %s", page.Request.URL.Path, text(page))
	if r.stored != nil {
		r.values(r.stored)
	}
	fmt.Fprintln(&r.seen, page.Request.URL, page.Header)
	elements(page, func(n *html.Node, _ map[string]string) {
		if n.Data == "title" && n.FirstChild != nil {
			fmt.Fprintln(&r.seen, n.FirstChild.Data)
		}
	})
	if status >= 400 && status != 422 { // a 422 shows the form again as it was typed
		r.seen.WriteString(page.Body)
	}
	return page
}

// push sends a Bundle and records the answer and the receipt.
func (r *canaryRun) push(status int, body, idempotency string) {
	r.t.Helper()
	request, err := http.NewRequest(http.MethodPost, "http://"+r.address+apptest.BundlePath, strings.NewReader(body))
	require.NoError(r.t, err)
	request.Header.Set("Authorization", "Bearer "+r.key)
	request.Header.Set("Idempotency-Key", idempotency)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(r.t, err)
	content, err := io.ReadAll(answer.Body)
	require.NoError(r.t, err)
	require.NoError(r.t, answer.Body.Close())
	require.Equal(r.t, status, answer.StatusCode, "%s", content)
	fmt.Fprintln(&r.seen, answer.Header, string(content))
	if status != http.StatusAccepted {
		return
	}
	receipt := r.receipt(answer.Header.Get("Content-Location"))
	require.Equal(r.t, store.Completed, receipt.Status)
	out, err := receipt.ParseOutcome()
	require.NoError(r.t, err)
	for _, a := range out.Accepted { // the reference contains the mother's ID, as the spec says
		require.Regexp(r.t, `^(Patient/\S+|Bundle\.entry\[\d+\])$`, a.Reference)
	}
	fmt.Fprintln(&r.seen, out.Rejected)
}

// pushes sends all samples, some requests that are refused, and a pair of possible duplicates.
func (r *canaryRun) pushes() {
	r.t.Helper()
	samples, err := fs.Glob(assets.Samples, "samples/*.json")
	require.NoError(r.t, err)
	for _, sample := range samples {
		r.push(http.StatusAccepted, r.c.bundle(r.t.(*testing.T), sample), r.c.token("key"))
	}
	for _, refused := range []string{
		`{"resourceType":"` + r.c.token("refused") + `"}`, `{"` + r.c.token("refused") + `":`, r.c.token("refused"),
	} {
		r.push(http.StatusBadRequest, refused, r.c.token("key"))
	}
	mother := r.c.token("mother_family_name")
	for range 2 {
		r.push(http.StatusAccepted, apptest.Course{Chart: r.c.token("Bundle.identifier.value"), Mother: mother}.Bundle(), r.c.token("key"))
	}
}

// formOf returns the values of the form that a page sends to an address.
func formOf(page apptest.Page, action string) url.Values {
	form := url.Values{}
	elements(page, func(f *html.Node, at map[string]string) {
		if f.Data != "form" || at["action"] != action {
			return
		}
		for n := range f.Descendants() {
			name, value := attributeOf(n, "name"), attributeOf(n, "value")
			kind := attributeOf(n, "type")
			switch {
			case n.Data == "select":
				for option := range n.Descendants() {
					for _, a := range option.Attr {
						if a.Key == "selected" {
							form.Add(name, attributeOf(option, "value"))
						}
					}
				}
			case n.Data == "input" && name != "" && kind != "checkbox" && kind != "radio":
				form.Add(name, value)
			case n.Data == "input" && name != "":
				for _, a := range n.Attr {
					if a.Key == "checked" {
						form.Add(name, value)
					}
				}
			}
		}
	})
	return form
}

// draftAddress matches the address to which a form saves itself.
var draftAddress = regexp.MustCompile(`/registry/drafts/[0-9a-f-]{36}`)

// record records a birth in the form on a page, at first with a mistake.
func (r *canaryRun) record(page apptest.Page) {
	r.t.Helper()
	draft := draftAddress.FindString(page.Body)
	form := formOf(page, draft)
	require.NotEmpty(r.t, form)
	for name, path := range map[string]string{
		"chart_number": "Bundle.identifier.value", "mother_family_name": "form", "mother_given_names": "form", "mother_postal_code": "form",
		"facility_name": "form", "child.0.child_family_name": "form", "child.0.child_given_names": "form",
		"person.0.name": "Practitioner.name", "person.0.credentials": "Practitioner.qualification",
	} {
		form.Set(name, r.c.token(path))
	}
	for name := range form {
		if strings.HasPrefix(name, "x_") {
			form.Set(name, r.c.token("custom field"))
		}
	}
	form.Set("child.0.birth_date", r.c.token("form"))
	form.Set("person.0.attending", "yes")
	r.step(422, r.b.Post("/registry/capture", form))
	form.Set("do", "save")
	require.Equal(r.t, draft+"?check=1", r.step(303, r.b.Post(draft, form)).Header.Get("Location"))
	r.step(422, r.b.Get(draft+"?check=1")) // by now the draft holds every token
	r.step(200, r.b.Get("/registry/drafts"))
	r.step(200, r.b.Get(draft+"/discard"))
	r.step(200, r.b.Get("/registry"))
	form.Set("child.0.birth_date", time.Now().AddDate(0, 0, -1).Format(time.DateOnly)) // the chart's dates move with today
	answer := r.b.Post("/registry/capture", form)
	if answer.StatusCode == 422 { // improbable values: confirming saves them
		elements(answer, func(_ *html.Node, at map[string]string) {
			if at["name"] == "confirm" {
				form.Add("confirm", at["value"])
			}
		})
		answer = r.b.Post("/registry/capture", form)
	}
	r.step(303, answer)
}

// pull launches from a chart in which every text is a token.
func (r *canaryRun) pull() {
	r.t.Helper()
	charts := r.t.TempDir()
	content, err := os.ReadFile("testehr/charts/okonkwo-amara.json")
	require.NoError(r.t, err)
	var doc any
	require.NoError(r.t, json.Unmarshal(content, &doc))
	own := r.c.structure
	r.c.structure = append([]string{"effectiveDateTime", "issued", "date", "end", "recordedDate", "deceasedDateTime"}, own...)
	tokens, err := json.Marshal(r.c.walk("", "", doc))
	r.c.structure = own
	require.NoError(r.t, err)
	require.NoError(r.t, os.WriteFile(filepath.Join(charts, "chart.json"), tokens, 0o600))
	ehr := apptest.StartEHR(r.t, "http://"+r.address, "--charts", charts)
	r.command("ehr", "add", ehr.Base(""), "--client-id", public)
	callback, last := r.b.Handshake(ehr.Press("", r.c.ids[amara], nil))
	require.NotEmpty(r.t, callback, "%d %s", last.StatusCode, text(last))
	answer := r.b.Visit(callback)
	require.Equal(r.t, prefilled, answer.Header.Get("Location"), text(answer))
	form := r.step(200, r.b.Get(prefilled))
	require.Contains(r.t, form.Body, "CNRY", "the chart has arrived")
	r.record(form)
	r.step(400, r.b.Get("/smart/callback?state="+r.c.token("state")+"&code="+r.c.token("code")))
	r.step(403, r.b.Get("/smart/launch?launch="+r.c.token("launch")+"&iss=https://"+r.c.token("iss")+".example.org"))
}

// passkey adds a passkey to the user's account; its name is what they typed.
func (r *canaryRun) passkey() {
	r.t.Helper()
	name := r.c.token("passkey")
	r.step(303, addPasskey(r.t, r.b, "http://"+r.address, name, canaryPassword))
	require.Contains(r.t, r.step(200, r.b.Get("/account")).Body, name)
	r.step(200, r.b.Get("/account/passkeys/1/delete"))
}

// addPasskey adds a passkey under a name to the account of the user who is signed in at an address.
func addPasskey(t testing.TB, b *apptest.Browser, at, name, password string) apptest.Page {
	t.Helper()
	address, err := url.Parse(at)
	require.NoError(t, err)
	device, err := authtest.NewAuthenticator(at, address.Hostname())
	require.NoError(t, err)
	asked := b.Post("/account/passkeys/options", url.Values{"passkey": {name}, "passkey-password": {password}})
	var offer struct {
		Options json.RawMessage `json:"options"`
	}
	require.NoError(t, json.Unmarshal([]byte(asked.Body), &offer), asked.Body)
	made, err := device.Create(offer.Options)
	require.NoError(t, err)
	return b.Post("/account/passkeys", url.Values{"credential": {string(made)}})
}

// spreadsheet imports one good row and two bad ones.
func (r *canaryRun) spreadsheet() {
	r.t.Helper()
	row := func(date string) string {
		return strings.Join([]string{
			r.c.token("Bundle.identifier.value"), r.c.token("csv"), r.c.token("csv"), r.c.token("csv"), date, "3400", r.c.token("csv"),
		}, ",") + "\n"
	}
	header := "chart_number,mother_family_name,child_given_names,facility_name,birth_date,birth_weight_g," + r.c.token("csv column") + "\n"
	sendFile := func(rows string) (at string) { return r.sendFile(header + rows) }
	at := sendFile(row("2026-03-02") + row(r.c.token("csv")) + row("2026-03-04"))
	r.step(200, r.b.Get(at))
	r.step(303, r.b.Post(at+"/confirm", url.Values{"leave_out": {"yes"}}))
	require.Eventually(r.t, func() bool { return strings.Contains(r.b.Get(at).Body, "What the import did") }, patience, 100*time.Millisecond)
	fmt.Fprintln(&r.seen, r.b.Get(at+"/errors.csv").Header)
	r.undo(sendFile(row("2026-03-05") + row(r.c.token("csv"))))
	header = strings.NewReplacer("chart_number", "Chart #", "birth_date", "Baby DOB", "birth_weight_g", "Presentation").Replace(header)
	file := ""
	for day := range 9 {
		file += strings.ReplaceAll(row(fmt.Sprintf("2026-03-0%d", day+1)), "3400", "vertex")
	}
	r.ownHeaders(sendFile(file + strings.ReplaceAll(row(r.c.token("csv")), "3400", r.c.token("csv"))))
}

// sendFile uploads a spreadsheet and returns the address of its import.
func (r *canaryRun) sendFile(content string) (at string) {
	r.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", r.c.token("csv file name")+".csv")
	require.NoError(r.t, err)
	_, err = io.WriteString(part, content)
	require.NoError(r.t, err)
	require.NoError(r.t, form.Close())
	return r.step(303, r.b.Do("POST", "/registry/import", &body, map[string]string{
		"Content-Type": form.FormDataContentType(), "Sec-Fetch-Site": "same-origin",
	})).Header.Get("Location")
}

// ownHeaders matches the columns and a value of a file, fixes a wrong cell in its preview
// three times, takes one fix back, imports and undoes it, and deletes what is remembered.
func (r *canaryRun) ownHeaders(at string) {
	r.t.Helper()
	for _, page := range []string{"/columns", "/values"} {
		form := formOf(r.step(200, r.b.Get(at+page)), at+page)
		if page == "/values" {
			require.True(r.t, form.Has("v0"), "a text is to be matched")
			form.Set("v0", "breech")
		}
		r.step(303, r.b.Post(at+page, form))
	}
	for _, typed := range []string{r.c.token("csv"), r.c.token("csv"), "2026-03-05"} {
		form := formOf(r.step(200, r.b.Get(at)), at+"/fix")
		form.Set("fix0", typed)
		r.step(303, r.b.Post(at+"/fix", form))
	}
	form := formOf(r.step(200, r.b.Get(at)), at+"/fix")
	form.Set("unfix", "0")
	r.step(303, r.b.Post(at+"/fix", form))
	const remembered = "/registry/import/remembered"
	page := r.step(200, r.b.Get(remembered))
	require.Contains(r.t, page.Body, "Baby DOB")
	r.undo(at)
	form = formOf(page, remembered)
	form.Set("forget", "all")
	r.step(303, r.b.Post(remembered, form))
	require.Contains(r.t, r.step(200, r.b.Get(remembered)).Body, "Nothing is remembered.")
	r.step(200, r.b.Get("/registry/import"))
}

// undo imports a file whose wrong row becomes a draft, discards the draft and undoes the
// import.
func (r *canaryRun) undo(at string) {
	r.t.Helper()
	r.step(303, r.b.Post(at+"/confirm", url.Values{"errors": {"drafts"}}))
	require.Eventually(r.t, func() bool { return strings.Contains(r.b.Get(at).Body, "kept as a draft") }, patience, 100*time.Millisecond)
	draft := draftAddress.FindString(r.step(200, r.b.Get("/registry/drafts")).Body)
	r.step(200, r.b.Get(draft))
	r.step(303, r.b.Post(draft+"/discard", formOf(r.b.Get(draft+"/discard"), draft+"/discard")))
	r.step(200, r.b.Get(at+"/undo"))
	r.step(303, r.b.Post(at+"/undo", url.Values{}))
	require.Eventually(r.t, func() bool { return strings.Contains(r.b.Get(at).Body, "This import was undone") }, patience, 100*time.Millisecond)
}

// reviews merges the pair, and voids and restores the merged record.
func (r *canaryRun) reviews() {
	r.t.Helper()
	list := r.step(200, r.b.Get("/registry/duplicates"))
	pair := ""
	elements(list, func(n *html.Node, at map[string]string) {
		if n.Data == "a" && strings.HasPrefix(at["href"], "/registry/duplicates/") && strings.Count(at["href"], "/") == 4 && pair == "" {
			pair = at["href"]
		}
	})
	require.NotEmpty(r.t, pair)
	r.step(200, r.b.Get(pair))
	merge := r.step(200, r.b.Get(pair+"/merge"))
	form := formOf(merge, pair+"/merge")
	form.Set("reason", r.c.token("reason"))
	r.step(303, r.b.Post(pair+"/merge", form))
	records := r.step(200, r.b.Get("/registry/records"))
	record := ""
	elements(records, func(n *html.Node, at map[string]string) {
		if n.Data == "a" && strings.HasPrefix(at["href"], "/registry/records/") && strings.Count(at["href"], "/") == 3 && strings.Contains(at["href"], "-") {
			record = at["href"]
		}
	})
	require.NotEmpty(r.t, record)
	for _, path := range []string{
		record, record + "/versions", record + "/amend", "/registry/ingestions", "/registry/ingestions/refused", "/registry/audit", "/registry/statistics",
	} {
		r.step(200, r.b.Get(path))
	}
	for _, change := range []string{"/void", "/restore"} {
		form := formOf(r.step(200, r.b.Get(record+change)), record+change)
		form.Set("reason", r.c.token("reason"))
		r.step(303, r.b.Post(record+change, form))
	}
	r.step(303, r.b.Post("/registry/records/search", url.Values{"q": {r.c.token("search")}}))
	r.step(200, r.b.Get("/registry/records?found=search"))
	r.step(303, r.b.Post("/registry/find", url.Values{"q": {r.c.token("find")}}))
	r.step(200, r.b.Get("/registry/find"))
	r.step(404, r.b.Get("/registry/records/"+r.c.token("nowhere")))
	r.step(200, r.b.Post("/registry/records/export", formOf(r.b.Get("/registry/records/export"), "/registry/records/export")))
	all := formOf(r.b.Get("/registry/data"), "/registry/data/archive")
	all.Set("written", "yes")
	all.Set("password", canaryPassword)
	fmt.Fprintln(&r.seen, r.step(200, r.b.Post("/registry/data/archive", all)).Body) // the sealed file
	fmt.Fprintln(&r.seen, r.step(200, r.b.Get("/registry/data")).Body)
}
