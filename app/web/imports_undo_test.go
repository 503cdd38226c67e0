package web_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

// importedFile uploads and confirms a file and returns the address of its import.
func importedFile(t *testing.T, b *apptest.Browser, file string) string {
	t.Helper()
	at := upload(t, b, "march.csv", file).Header.Get("Location")
	require.Equal(t, 303, b.Post(at+"/confirm", url.Values{"leave_out": {"yes"}}).StatusCode)
	imported(t, b, at)
	return at
}

func TestAnImportIsUndoneOnThePages(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	const head = "chart_number,mother_family_name,birth_date,birth_weight_g\n"
	importedFile(t, b, head+"A-1,Okonkwo,2026-03-02,3400\n")
	at := importedFile(t, b, head+"A-1,,,3500\nA-2,Secretname,2026-03-03,2980\nA-3,Novak,2026-03-04,2980\n")
	later := importedFile(t, b, head+"A-3,,,3000\n")
	require.Contains(t, b.Get("/registry/import").Body, at+"/undo")
	page := b.Get(at)
	require.Contains(t, page.Body, `<a href="`+at+`/undo">Undo this import</a>`)

	ask := b.Get(at + "/undo")
	require.Equal(t, 200, ask.StatusCode)
	for _, text := range []string{
		"Voids 1 birth that the import added", "Takes back 1 amendment: the record gets", "1 birth has been changed or reviewed since the import and stays", "Leave it as it is",
	} {
		require.Contains(t, ask.Body, text)
	}
	require.NotContains(t, ask.Body, "Secretname")
	require.Equal(t, 303, b.Post(at+"/undo", url.Values{}).StatusCode)
	require.Equal(t, 303, b.Post(at+"/undo", url.Values{}).StatusCode, "sent twice")
	require.Eventually(t, func() bool { return strings.Contains(b.Get(at+"/progress").Body, `"done":true`) }, 3*time.Minute, 20*time.Millisecond)
	done := b.Get(at)
	for _, text := range []string{
		"This import was undone", "by Robin Provider", "1 birth was voided", "1 amendment was taken back",
		"1 birth has been changed or reviewed since the import and stays as it is", ">A-3</a>", "Changed since the import",
	} {
		require.Contains(t, done.Body, text)
	}
	require.NotContains(t, done.Body, "Undo this import")
	require.Equal(t, 303, b.Get(at+"/undo").StatusCode)
	list := b.Get("/registry/import").Body
	require.Contains(t, list, "Undone")
	require.NotContains(t, list, at+"/undo")
	require.Contains(t, list, later+"/undo")
	require.Contains(t, i.SignIn(i.Practice, auth.Admin).Get("/registry/audit").Body, "Undid an import")
	require.NotContains(t, i.Log.String(), "Secretname")
	i.Clean()
}

func TestOnlyUsersWithPermissionUndoAnImportOnThePages(t *testing.T) {
	i := apptest.Start(t)
	scribe, other, viewer := i.SignIn(i.Practice, auth.Scribe), i.SignIn(i.Practice, auth.Scribe), i.SignIn(i.Practice, auth.Viewer)
	stranger := i.SignIn(i.AddPractice("Elsewhere"), auth.Admin)
	waiting := upload(t, scribe, "x.csv", threeBirths).Header.Get("Location")
	require.Equal(t, 409, scribe.Get(waiting+"/undo").StatusCode)
	require.Equal(t, 409, scribe.Post(waiting+"/undo", url.Values{}).StatusCode)
	at := importedFile(t, scribe, threeBirths)
	for name, b := range map[string]*apptest.Browser{"another scribe": other, "another practice": stranger} {
		require.Equal(t, 404, b.Get(at+"/undo").StatusCode, name)
		require.Equal(t, 404, b.Post(at+"/undo", url.Values{}).StatusCode, name)
	}
	require.Equal(t, 403, viewer.Get(at+"/undo").StatusCode)
	require.Equal(t, 403, viewer.Post(at+"/undo", url.Values{}).StatusCode)
	require.NotContains(t, viewer.Get(at).Body, "/undo")
	require.Contains(t, scribe.Get(at+"/undo").Body, "Voids 2 births")
	require.Equal(t, 303, scribe.Post(at+"/undo", url.Values{}).StatusCode)
	require.Eventually(t, func() bool { return strings.Contains(scribe.Get(at).Body, "2 births were voided") }, 3*time.Minute, 20*time.Millisecond)
	require.NotContains(t, scribe.Get(at).Body, "/registry/records/", "a scribe opens no record")
}

func TestAnUndoInProgressShowsItsProgressAndContinuesAfterARestart(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	at := importedFile(t, b, threeBirths)
	i.Stop()
	i.Config.Ingest.Workers = 0 // nothing is processed
	i.Run()
	b = i.SignIn(i.Practice, auth.Admin)
	require.Equal(t, 303, b.Post(at+"/undo", url.Values{}).StatusCode)
	page := b.Get(at)
	for _, text := range []string{"The import is being undone", "Waiting to be undone", `data-progress="` + at + `/progress"`, `<noscript><meta http-equiv="refresh" content="5"`} {
		require.Contains(t, page.Body, text)
	}
	require.JSONEq(t, `{"percent":0,"text":"Waiting to be undone","done":false}`, b.Get(at+"/progress").Body)
	require.Contains(t, b.Get("/registry/import").Body, "Being undone")
	i.Stop()
	i.Config.Ingest.Workers = 1
	i.Run()
	b = i.SignIn(i.Practice, auth.Admin)
	require.Eventually(t, func() bool { return strings.Contains(b.Get(at).Body, "2 births were voided") }, 3*time.Minute, 20*time.Millisecond)
}
