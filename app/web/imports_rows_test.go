package web_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

const rowsToKeep = "chart_number,mother_family_name,birth_date,birth_weight_g,fetal_presentation,attendant_name\n" +
	"A-1,Okonkwo,2026-03-02,3400,vertex,Jane Rivers\nA-2,Secretname,2026-03-03,heavy,sideways,Jane Rivers\n"

func TestTheListOfRowsSaysThatThereAreMoreIfMostAreDrafts(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	const head = "chart_number,mother_family_name,birth_date\n"
	file := head + strings.Repeat(",Lee,2026-03-02\n", 20) + strings.Repeat(",Lee,never\n", 30)
	at := (&matcher{t: t, b: b}).through(upload(t, b, "march.csv", file))
	require.Contains(t, b.Get(at).Body, "The import creates 20 records.")
	require.Equal(t, 303, b.Post(at+"/confirm", url.Values{"errors": {"drafts"}}).StatusCode)
	require.Contains(t, imported(t, b, at).Body, "These are the first 40.")
}

func TestARowWithErrorsBecomesADraftAndThenARecordWhoseUnchangedValuesAreTheSpreadsheets(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	at := (&matcher{t: t, b: b}).through(upload(t, b, "march.csv", rowsToKeep)) // nothing is matched
	page := b.Get(at)
	for _, text := range []string{
		"<strong>sideways</strong>", "Choose one of: ", "Breech", "<strong>heavy</strong>", "Import 1 birth, keep 1 birth with errors as a draft",
	} {
		require.Contains(t, page.Body, text)
	}
	require.Equal(t, 303, b.Post(at+"/confirm", url.Values{"errors": {"drafts"}}).StatusCode)
	done := imported(t, b, at)
	require.Contains(t, done.Body, ">1</span> kept as a draft")
	require.Contains(t, done.Body, `<a href="/registry/drafts">Open the drafts</a>`)
	require.NotContains(t, done.Body, "sideways", "what is in a draft is no longer an error of the import")
	require.Equal(t, 1, i.Count())

	list := b.Get("/registry/drafts").Body
	path := regexp.MustCompile(`/registry/drafts/[0-9a-f-]{36}`).FindString(list)
	require.NotEmpty(t, path)
	form := b.Get(path)
	require.Equal(t, 200, form.StatusCode)
	for _, text := range []string{
		"Row 3 of march.csv had errors", "“sideways” isn’t recognized", `value="heavy"`, `value="Secretname"`, `id="error-summary"`,
	} {
		require.Contains(t, form.Body, text)
	}
	typed := formAt(t, b, path)
	typed.Set("child.0.birth_weight_g", "3210")
	typed.Set("child.0.fetal_presentation", "breech")
	require.Equal(t, "/registry/capture/saved", press(t, b, path, "record", typed))
	require.Equal(t, 2, i.Count())
	sources := sourcesOf(i, "A-2")
	require.Equal(t, []string{"csv", "manual", "manual"},
		[]string{sources["mother_family_name"], sources["birth_weight_g"], sources["fetal_presentation"]})
	require.NotContains(t, b.Get("/registry/drafts").Body, path)
	for _, text := range []string{"Secretname", "sideways"} {
		require.NotContains(t, i.Log.String(), text)
	}
	i.Clean()
}

func TestRowsForWhichThereIsNoRoomAsDraftsAreRefusedWithWhatToDo(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	at := (&matcher{t: t, b: b}).through(upload(t, b, "x.csv", rowsToKeep+strings.Repeat(",Lee,never,,,\n", 200)))
	page := b.Get(at)
	require.Contains(t, page.Body, "201 births with errors could be kept as drafts, but there is room for only 200 more")
	require.NotContains(t, page.Body, `value="drafts"`)
	refused := b.Post(at+"/confirm", url.Values{"errors": {"drafts"}})
	require.Equal(t, 422, refused.StatusCode)
	require.Contains(t, refused.Body, "Nothing was imported: there is no room for so many drafts")
	require.Zero(t, i.Count())
}
