package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

func TestAnAdminSeesAndDeletesWhatIsRememberedOfFiles(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	const path = "/registry/import/remembered"
	require.Contains(t, b.Get("/registry/import").Body, path)
	require.Contains(t, b.Get(path).Body, "Nothing is remembered.")
	(&matcher{t: t, b: b}).through(upload(t, b, "march.csv", someWrong))
	(&matcher{t: t, b: b}).through(upload(t, b, "april.csv", strings.Replace(someWrong, "Presentation", "Lie of the baby", 1)))
	page := b.Get(path)
	for _, text := range []string{"Chart #, Mother last name, Mother first name, Baby DOB …", "<dt>Baby DOB</dt><dd>Date of birth (newborn)</dd>", "5 columns", "Forget all"} {
		require.Contains(t, page.Body, text)
	}
	form := parsePage(t, page).form()
	form.Set("forget", "0")
	require.Equal(t, 303, b.Post(path, form).StatusCode)
	require.Contains(t, b.Get(path).Body, "Forgotten. The next such file")
	require.Equal(t, 303, b.Post(path, form).StatusCode)
	page = b.Get(path)
	require.Contains(t, page.Body, "Nothing was deleted")
	require.NotContains(t, page.Body, "Lie of the baby")
	form = parsePage(t, page).form()
	form.Set("forget", "all")
	require.Equal(t, 303, b.Post(path, form).StatusCode)
	require.Contains(t, b.Get(path).Body, "Nothing is remembered.")
	require.Contains(t, b.Get("/registry/audit").Body, "Deleted remembered columns of files")
	require.NotContains(t, i.SignIn(i.Practice, auth.Provider).Get("/registry/import").Body, path)
}

func TestThePageOfWhatIsRememberedIsAtMost100KB(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	for n := range 12 {
		var head, row strings.Builder
		for c := range 90 {
			fmt.Fprintf(&head, ",%s %d %d", strings.Repeat("a long header ", 5), c, n)
			row.WriteString(",x")
		}
		at := upload(t, b, "march.csv", "chart_number,mother_family_name,birth_date"+head.String()+"\nA,Lee,2026-03-02"+row.String()+"\n").Header.Get("Location")
		answer := url.Values{"c0": {"chart_number"}, "c1": {"mother_family_name"}, "c2": {"birth_date"}}
		require.Equal(t, 303, b.Post(at+"/columns", answer).StatusCode)
		require.Equal(t, 303, b.Post(at+"/drop", url.Values{}).StatusCode)
	}
	page := b.Get("/registry/import/remembered")
	require.Contains(t, page.Body, "There are more.")
	require.LessOrEqual(t, len(page.Body), 100_000)
}
