package web_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

// upload sends a file as the form does and returns the answer.
func upload(t *testing.T, b *apptest.Browser, name string, files ...string) apptest.Page {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, file := range files {
		part, err := form.CreateFormFile("file", name)
		require.NoError(t, err)
		_, err = part.Write([]byte(file))
		require.NoError(t, err)
	}
	require.NoError(t, form.Close())
	return b.Do("POST", "/registry/import", &body, map[string]string{
		"Content-Type": form.FormDataContentType(), "Sec-Fetch-Site": "same-origin",
	})
}

const threeBirths = "chart_number,mother_family_name,birth_date,birth_weight_g,Remarks\n" +
	"A-1,Okonkwo,2026-03-02,3400,x\nA-2,Secretname,2026-03-03,2980,x\nA-3,Novak,tomorrow,2980,x\n"

func TestASecondFileOfOneUploadIsNotIgnoredSilently(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	both := upload(t, b, "births.csv", threeBirths, threeBirths)
	require.Equal(t, 422, both.StatusCode)
	require.Contains(t, both.Body, "Choose one file at a time.")
	require.NotContains(t, both.Body, ">births.csv<", "neither is kept")
	require.Equal(t, 303, upload(t, b, "births.csv", threeBirths).StatusCode)
	require.Contains(t, b.Get("/registry/import").Body, ">births.csv<")
}

// imported waits until an import has ended and returns its page.
func imported(t *testing.T, b *apptest.Browser, at string) apptest.Page {
	t.Helper()
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if page := b.Get(at); !strings.Contains(page.Body, "In progress") {
			return page
		}
	}
	require.FailNow(t, "the import does not end")
	return apptest.Page{}
}

func TestAFileIsCheckedConfirmedAndImportedOnThePages(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	start := b.Get("/registry/import")
	require.Equal(t, 200, start.StatusCode)
	require.Contains(t, start.Body, `enctype="multipart/form-data"`)
	require.Contains(t, start.Body, "Up to 100,000 rows and 64 MiB")

	sent := upload(t, b, `C:\births\march.csv`, threeBirths)
	require.Equal(t, 303, sent.StatusCode, sent.Body)
	at := sent.Header.Get("Location")
	page := b.Get(at)
	for _, text := range []string{
		"march.csv", "3 rows", "Robin Provider", "Checked, not imported", "What the import would do", ">2</span> new births",
		">1</span> with errors", "column C, read as Date of birth", "<strong>tomorrow</strong>", "in row 4", "Write the date as", "E (Remarks)", "Import 2 births", "commas",
	} {
		require.Contains(t, page.Body, text)
	}
	require.Contains(t, page.Body, "<td data-label=\"Chart number\">A-2</td><td data-label=\"Born\">Mar 3, 2026</td>", "what was read can be compared with the file")
	require.Contains(t, page.Body, "<td data-label=\"Chart number\">A-3</td><td data-label=\"Born\"></td>")
	require.NotContains(t, page.Body, "Secretname", "no other cell of the file is shown")
	require.Zero(t, i.Count())

	refused := b.Post(at+"/confirm", url.Values{})
	require.Equal(t, 422, refused.StatusCode)
	require.Contains(t, refused.Body, `href="#leave_out"`)
	require.Contains(t, refused.Body, "Leave out the birth with errors")
	require.Equal(t, 303, b.Post(at+"/confirm", url.Values{"leave_out": {"yes"}}).StatusCode)
	require.Equal(t, 303, b.Post(at+"/confirm", url.Values{"leave_out": {"yes"}}).StatusCode, "sent twice")
	done := imported(t, b, at)
	for _, text := range []string{"What the import did", ">2</span> births added", ">1</span> left out with errors", "/registry/records/"} {
		require.Contains(t, done.Body, text)
	}
	require.Equal(t, 2, i.Count())
	require.Contains(t, b.Get("/registry/import").Body, "Imported")

	left := b.Get(at + "/errors.csv")
	require.Equal(t, "text/csv; charset=utf-8", left.Header.Get("Content-Type"))
	require.Contains(t, left.Header.Get("Content-Disposition"), "attachment")
	require.Equal(t, "no-store", left.Header.Get("Cache-Control"))
	require.Contains(t, left.Body, "A-3,Novak,tomorrow,2980,x,\"birth_date: Write the date as")
	require.Contains(t, b.Get(at+"/progress").Body, `"done":true`)
	require.NotContains(t, i.Log.String(), "Okonkwo")
	require.NotContains(t, i.Log.String(), "A-1")

	again := b.Get(upload(t, b, "x.csv", threeBirths[:strings.Index(threeBirths, "A-3")]).Header.Get("Location"))
	require.Contains(t, again.Body, "There is nothing to import")
}

func TestAnUnlikelyValueIsAWarningAndStopsNothing(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	sent := upload(t, b, "x.csv", "chart_number,mother_family_name,birth_date,birth_weight_g\nA,Lee,2026-03-02,450\nB,Lee,2199-03-02,3000\n")
	page := b.Get(sent.Header.Get("Location"))
	for _, text := range []string{"Worth a look", "below 500 or above 6,000 g", "Import 1 birth", "Date of birth is in the future"} {
		require.Contains(t, page.Body, text)
	}
}

func TestACountOfOneIsWrittenInTheSingular(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	const row = "mother_family_name,mother_given_names,birth_datetime,chart_number,birth_weight_g\nLee,Mi,2026-03-02 04:01,"
	confirm := func(file string) (before, after string) {
		at := upload(t, b, "x.csv", file).Header.Get("Location")
		before = b.Get(at).Body
		require.Equal(t, 303, b.Post(at+"/confirm", url.Values{}).StatusCode)
		return before, imported(t, b, at).Body
	}
	before, after := confirm(row + "A,450\n")
	for _, text := range []string{">1</span> new birth<", "1 birth has values", "It is imported unchanged.", "1 row,"} {
		require.Contains(t, before, text)
	}
	require.Contains(t, after, ">1</span> birth added<")
	before, after = confirm(row + "A,460\n")
	require.Contains(t, before, ">1</span> record to amend<")
	require.Contains(t, after, ">1</span> record amended<")
	before, _ = confirm(row + "B,3000\n")
	require.Contains(t, before, "1 birth looks like a birth on file")
	require.Contains(t, before, "Such a birth is saved and flagged")
}

func TestTheTemplateAndDictionaryIncludeThePracticesCustomFields(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	template := b.Get("/registry/import/template.csv")
	require.True(t, strings.HasPrefix(template.Body, "\ufeffchart_number,mother_family_name,"))
	require.Contains(t, b.Get("/registry/import/dictionary.csv").Body, "cesarean = Cesarean")
}

func TestAnImportInProgressShowsItsProgressAndContinuesAfterARestart(t *testing.T) {
	i := apptest.Start(t, func(c *app.Config) { c.Ingest.Workers = 0 }) // nothing is processed
	b := i.SignIn(i.Practice, auth.Admin)
	at := upload(t, b, "births.csv", "chart_number,mother_family_name,birth_date\nA,Lee,2026-03-02\n").Header.Get("Location")
	require.Equal(t, 303, b.Post(at+"/confirm", url.Values{}).StatusCode)
	page := b.Get(at)
	for _, text := range []string{
		`<noscript><meta http-equiv="refresh" content="5"`, `role="status"`, "Waiting to be processed", "<progress", `data-progress="` + at + `/progress"`,
	} {
		require.Contains(t, page.Body, text)
	}
	require.JSONEq(t, `{"percent":0,"text":"Waiting to be processed","done":false}`, b.Get(at+"/progress").Body)
	require.Equal(t, 303, b.Get(at+"/errors.csv").StatusCode, "not yet")
	require.Equal(t, 404, b.Post(at+"/drop", url.Values{}).StatusCode, "what is being worked on stays")
	i.Stop()
	i.Config.Ingest.Workers = 1
	i.Run()
	require.Eventually(t, func() bool { return i.Count() == 1 }, 3*time.Minute, 20*time.Millisecond)
}

func TestEachRoleSeesOnlyWhatItMayOfImports(t *testing.T) {
	i := apptest.Start(t)
	roles := map[auth.Role]*apptest.Browser{}
	for _, role := range []auth.Role{auth.Admin, auth.Provider, auth.Scribe, auth.Viewer} {
		roles[role] = i.SignIn(i.Practice, role)
	}
	other, stranger := i.SignIn(i.Practice, auth.Scribe), i.SignIn(i.AddPractice("Elsewhere"), auth.Admin)
	at := upload(t, roles[auth.Scribe], "births.csv", threeBirths).Header.Get("Location")
	require.Equal(t, 403, upload(t, roles[auth.Viewer], "births.csv", threeBirths).StatusCode)
	for name, b := range map[string]*apptest.Browser{"another scribe": other, "another practice": stranger} {
		for _, path := range []string{"", "/progress", "/errors.csv"} {
			require.Equal(t, 404, b.Get(at+path).StatusCode, "%s %s", name, path)
		}
		for _, path := range []string{"/confirm", "/drop"} {
			require.Equal(t, 404, b.Post(at+path, url.Values{"leave_out": {"yes"}}).StatusCode, "%s %s", name, path)
		}
		require.NotContains(t, b.Get("/registry/import").Body, at)
	}
	own := roles[auth.Scribe].Get(at)
	for _, text := range []string{">2</span> births will be accepted", "Will be accepted", "Import 2 births"} {
		require.Contains(t, own.Body, text)
	}
	require.NotContains(t, own.Body, "new births")
	viewer := roles[auth.Viewer]
	seen := viewer.Get(at)
	require.Equal(t, 200, seen.StatusCode)
	require.Contains(t, seen.Body, ">2</span> new births")
	for _, hidden := range []string{"births.csv", "Row by row", "birth_date", "/confirm", "/drop"} {
		require.NotContains(t, seen.Body, hidden)
	}
	for _, path := range []string{"/errors.csv", "/confirm", "/drop"} {
		if path == "/errors.csv" {
			require.Equal(t, 403, viewer.Get(at+path).StatusCode)
			continue
		}
		require.Equal(t, 403, viewer.Post(at+path, url.Values{"leave_out": {"yes"}}).StatusCode)
	}
	require.NotContains(t, viewer.Get("/registry/import").Body, `type="file"`)

	require.Equal(t, 303, roles[auth.Scribe].Post(at+"/confirm", url.Values{"leave_out": {"yes"}}).StatusCode)
	done := imported(t, roles[auth.Scribe], at).Body
	require.NotContains(t, done, "/registry/records/", "a scribe opens no record")
	require.Contains(t, done, ">2</span> births accepted")
	require.NotContains(t, done, "births added")
	require.Contains(t, imported(t, roles[auth.Admin], at).Body, "/registry/records/")
	id := at[strings.LastIndex(at, "/")+1:]
	require.Equal(t, 404, i.Do("GET", "/api/registry/fhir/ingestions/"+id, "").StatusCode, "a file is no ingestion of the API")
}

func TestAnUnusableFileIsExplainedOnThePage(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	for name, c := range map[string]struct{ file, says string }{
		"a workbook":           {"PK\x03\x04 and so on to the end", "an Excel workbook"},
		"nothing":              {"", "The file is empty"},
		"a header only":        {"chart_number,birth_date\n", "a header and no rows"},
		"another table":        {"Secretname,B\n1,2\n", "Name one of them as the template does, such as chart_number. Then you can match the others."},
		"a quote left open":    {"chart_number,birth_date\nA,\"Secretname\n", "is not closed"},
		"a NUL":                {"chart_number,birth_date\nA,\x00\n", "NUL"},
		"ten thousand columns": {"chart_number" + strings.Repeat(",x", 9999) + "\n", "more than 1000 columns"},
	} {
		t.Run(name, func(t *testing.T) {
			page := upload(t, b, "x.csv", c.file)
			require.Equal(t, 422, page.StatusCode)
			require.Contains(t, page.Body, c.says)
			require.Contains(t, page.Body, `id="error-summary"`)
			require.Contains(t, page.Body, `href="#file"`)
			require.NotContains(t, page.Body, "Secretname")
		})
	}
	require.Contains(t, upload(t, b, "", "x").Body, "Choose a CSV file.")
	require.Equal(t, 422, b.Post("/registry/import", url.Values{"file": {"x"}}).StatusCode)
	large := upload(t, b, "x.csv", "chart_number,birth_date\n"+strings.Repeat("A,2026-03-02\n", (64<<20)/13+1))
	require.Equal(t, 422, large.StatusCode)
	require.Contains(t, large.Body, "larger than 64 MiB")
	require.Contains(t, b.Get("/registry/import").Body, "No file has been imported yet.", "nothing of them is kept")
	i.Clean()
}

func TestTooManyFilesThatWaitAreRefusedWithWhatToDo(t *testing.T) {
	i := apptest.Start(t)
	for range 4 {
		b := i.SignIn(i.Practice, auth.Provider)
		for range 3 {
			if page := upload(t, b, "x.csv", threeBirths); page.StatusCode != 303 {
				require.Equal(t, 422, page.StatusCode)
				require.Contains(t, page.Body, "have to import or delete one first")
				return
			}
		}
	}
	require.Fail(t, "twelve files wait")
}

func TestAnUploadThatBreaksOffIsNoErrorOfTheService(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	body := "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n" + threeBirths
	page := b.Do("POST", "/registry/import", strings.NewReader(body), map[string]string{
		"Content-Type": "multipart/form-data; boundary=x", "Sec-Fetch-Site": "same-origin",
	})
	require.Equal(t, 422, page.StatusCode)
	require.Contains(t, page.Body, "The upload broke off")
	require.NotContains(t, i.Log.String(), `"ERROR"`)
	require.Contains(t, b.Get("/registry/import").Body, "No file has been imported yet.")
	i.Clean()
}

func TestScriptAndFormulasInAFileStayText(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	const script = "<script src=x onerror=alert(1)>"
	sent := upload(t, b, script+".csv", fmt.Sprintf("chart_number,birth_date,%s\n=1+1,nonsense,x\n", script))
	page := b.Get(sent.Header.Get("Location"))
	require.NotContains(t, page.Body, script)
	require.Contains(t, page.Body, "&lt;script src=x")
	require.Contains(t, b.Get(sent.Header.Get("Location")+"/errors.csv").Body, "\r\n'=1+1,")
}

func TestAPageThatShowsAFileAsItWasBeforeChangesAndImportsNothing(t *testing.T) {
	i := apptest.Start(t)
	one, two := i.SignIn(i.Practice, auth.Admin), i.SignIn(i.Practice, auth.Admin)
	at := upload(t, one, "births.csv", "Chart,Mom last,Mom first,Mom DOB,Baby DOB,Mode\n1,Lee,Ann,1990-03-04,2026-05-06,SVD\n2,Osei,Ada,1991-03-04,2026-05-07,LTCS\n").
		Header.Get("Location")
	columns := parsePage(t, one.Get(at+"/columns")).form()
	columns.Set("c3", "mother_birth_date")
	columns.Set("c4", "birth_date")
	require.Equal(t, 303, one.Post(at+"/columns", columns).StatusCode)
	values := parsePage(t, one.Get(at+"/values")).form() // in this tab: v0 and v1 are modes of delivery
	require.NotEmpty(t, values.Get("v0"))

	require.Equal(t, 303, two.Post(at+"/rematch", nil).StatusCode)
	again := parsePage(t, two.Get(at+"/columns")).form()
	again.Set("c5", "child_sex")
	require.Equal(t, 303, two.Post(at+"/columns", again).StatusCode)
	values.Set("v0", "unknown")
	require.Equal(t, at, one.Post(at+"/values", values).Header.Get("Location"))
	shown := one.Get(at + "/values").Body
	require.Contains(t, shown, "Nothing was changed")
	require.Contains(t, shown, "Match the values", "nothing was answered")

	require.Equal(t, 303, two.Post(at+"/values", parsePage(t, two.Get(at+"/values")).form()).StatusCode)
	confirm := parsePage(t, two.Get(at)).form()
	require.Equal(t, 303, one.Post(at+"/rematch", nil).StatusCode)
	require.Equal(t, 303, one.Post(at+"/columns", parsePage(t, one.Get(at+"/columns")).form()).StatusCode)
	confirm.Set("leave_out", "yes")
	require.Equal(t, 303, two.Post(at+"/confirm", confirm).StatusCode)
	require.Contains(t, two.Get(two.Get(at).Header.Get("Location")).Body, "Nothing was changed")
	require.Zero(t, i.Count())
}
