package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

// signIn takes over the session of another browser.
func (b *browser) signIn(from *apptest.Browser) {
	b.Helper()
	cookie := from.Session()
	call(b, network.SetCookie, network.SetCookieParams{Name: cookie.Name, Value: cookie.Value, URL: b.base})
}

// spreadsheet writes a CSV file of n births and one row with a mistake.
func spreadsheet(t *testing.T, n int) string {
	t.Helper()
	var file strings.Builder
	file.WriteString("chart_number,mother_family_name,birth_date,birth_weight_g,remarks\n")
	for i := range n {
		file.WriteString("A-" + strings.Repeat("i", i+1) + ",Okonkwo,2026-03-02,3400,\n")
	}
	file.WriteString("B-1,Novak,tomorrow,7,x\n")
	path := filepath.Join(t.TempDir(), "march.csv")
	require.NoError(t, os.WriteFile(path, []byte(file.String()), 0o600))
	return path
}

// upload chooses a file and sends it.
func (b *browser) upload(path string) {
	b.Helper()
	b.open("/registry/import")
	b.run(chromedp.SetUploadFiles(at("file"), []string{path}))
	b.press("Check the file")
}

func TestAPersonImportsACSVFileInTheBrowser(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(i.Practice, auth.Provider))
	b.look("/registry/import")
	b.upload(spreadsheet(t, 3))
	b.sees("march.csv", "What the import would do", "new births", "Write the date as")
	preview := b.path()
	b.look(preview)
	b.press("Import 3 births")
	b.sees("There is a problem", "Check the box")
	require.Equal(t, "error-summary", script[string](b, `document.activeElement.id`), "the summary has the focus")
	b.accessible()
	b.click("#leave_out")
	b.press("Import 3 births")
	b.awaits("What the import did") // the page refreshes itself
	b.sees("births added", "left out with errors")
	b.look(preview)
	b.look("/registry/import")
	require.Equal(t, 3, i.Count())
}

func TestEachRowWhoseBirthIsOnFileLeadsToItsRecord(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(i.Practice, auth.Provider))
	i.Push(apptest.Course{Chart: "26-1", Mother: "Okonkwo", Weight: 3000}.Bundle())
	i.Push(apptest.Course{Chart: "26-2", Mother: "Haddad", Weight: 3000}.Bundle())
	path := filepath.Join(t.TempDir(), "corrections.csv")
	require.NoError(t, os.WriteFile(path, []byte("chart_number,birth_weight_g\n26-1,3100\n26-2,heavy\n26-3,light\n"), 0o600))
	b.upload(path)
	b.sees("Amends a record", "heavy", "the chart number is on file, or the birth does not fit")
	b.look(b.path())
	require.Equal(t, "26-1,26-2", script[string](b, `[...document.querySelectorAll("tr:has(a[href^='/registry/records/']) > [data-label='Chart number']")].map((cell) => cell.innerText).join()`))
	b.click(fmt.Sprintf(`a[href="/registry/records/%s"]`, i.Record("26-2").ID))
	b.awaits("26-2")
}

func TestAnImportInProgressIsShownAndAnnounced(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t, func(c *app.Config) { c.Ingest.Workers = 0 }) // without workers, the import stays in progress
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(i.Practice, auth.Scribe))
	b.upload(spreadsheet(t, 1))
	b.click("#leave_out")
	b.press("Import 1 birth")
	b.sees("In progress", "Waiting to be processed")
	b.accessible()
	b.fits(320)
	b.picture(b.path() + "-under-way")
}

func TestAFileIsImportedWithoutJavaScript(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(i.Practice, auth.Scribe))
	b.withoutScript()
	b.upload(spreadsheet(t, 2))
	b.click("#leave_out")
	b.press("Import 2 births")
	at := b.path()
	require.Eventually(t, func() bool { // the page refreshes itself in the meantime
		_ = chromedp.Do(b.ctx, chromedp.Navigate(b.base+at))
		page, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.body.innerText`))
		return err == nil && strings.Contains(page, "What the import did")
	}, patience, 200*time.Millisecond)
	require.Equal(t, 2, i.Count())
}

// ownHeaders writes a CSV file as a practice keeps it: with headers and words of its own, and
// some mistakes.
func ownHeaders(t *testing.T) string {
	t.Helper()
	var file strings.Builder
	file.WriteString("Chart #,Mother last name,Mother first name,Baby DOB,Weight (g),Delivery,Presentation,Midwife\n")
	for i := range 20 {
		fmt.Fprintf(&file, "B-%d,Okonkwo,Ngozi,2026-03-%02d,%d,NSVB,vertex,\"Jane Rivers, CPM\"\n", i, i+1, 3000+10*i)
	}
	file.WriteString("B-30,Novak,Eva,2 March,7,SVD,sideways,\nB-31,Lee,Mi,2 March,3300,SVD,sideways,\nB-0,Lee,Mi,2026-03-09,3300,SVD,vertex,\n")
	path := filepath.Join(t.TempDir(), "our births.csv")
	require.NoError(t, os.WriteFile(path, []byte(file.String()), 0o600))
	return path
}

func TestEveryStateOfAnImportWithOwnHeadersIsAccessible(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	b := newBrowser(t, i.URL)
	b.signIn(i.SignIn(i.Practice, auth.Admin))
	b.upload(ownHeaders(t))
	for _, step := range []string{"/columns", "/values"} {
		require.True(t, strings.HasSuffix(b.path(), step), b.path())
		b.look(b.path())
		b.press("Continue")
	}
	at := b.path()
	b.sees("What the import would do", "2 March", "sideways", "in rows")
	b.look(at)
	b.fill("fix0", "2026-03-02")
	b.press("Check again")
	b.sees("Changed here", "Take back")
	b.look(at)
	b.fill("fix0", strings.Repeat("x", 200))
	b.press("Check again")
	b.look(at)
	b.look("/registry/import/remembered")
	b.open(at)
	b.submit(`button[name="errors"]`)
	b.awaits("What the import did")
	b.look(at)
	b.look(at + "/undo")
	b.press("Undo this import")
	b.awaits("This import was undone")
	b.look(at)
	b.look("/registry/import")
}
