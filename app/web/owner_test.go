package web_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	spine "birthregistry/app/birth"
	"birthregistry/store"
)

// twoPractices returns an installation with a person who is a member of two practices and has
// a window open in the first; the second has no custom field.
func twoPractices(t *testing.T) (i *apptest.Installation, b *apptest.Browser, second store.PracticeID) {
	i = apptest.Start(t)
	_, err := i.App.CustomFields.Define(auth.Operator(store.Practice{ID: i.Practice}), spine.CustomField{Label: "Tub", Kind: spine.CustomText})
	require.NoError(t, err)
	second = i.AddPractice("Hill House")
	b = i.SignIn(i.Practice, auth.Admin)
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error { return tx.AddMembership(second, b.User, string(auth.Admin)) }))
	return i, b, second
}

func move(t *testing.T, b *apptest.Browser, to store.PracticeID) {
	t.Helper()
	require.Equal(t, 303, b.Post("/account/practice", url.Values{"practice": {fmt.Sprint(to)}}).StatusCode)
}

func TestAFormOpenedInAnotherPracticeIsKeptAndNotSaved(t *testing.T) {
	i, b, second := twoPractices(t)
	form := openForm(t, b, birthOf("Okonkwo"))
	form.Set("x_tub", "large")
	move(t, b, second)
	for _, do := range []string{"save", "add-child"} {
		form.Set("do", do)
		answer := b.Post("/registry/capture", form)
		require.Equal(t, 409, answer.StatusCode, do)
		require.Contains(t, answer.Body, "You are now in Hill House, signed in as Robin Practice admin.")
		again := parsePage(t, answer).form()
		for _, name := range []string{"mother_family_name", "child.0.birth_weight_g", "x_tub"} {
			require.Equal(t, form[name], again[name], name)
		}
	}
	form.Del("do")
	require.Equal(t, 0, i.Count())

	move(t, b, i.Practice)
	require.Equal(t, 303, b.Post("/registry/capture", form).StatusCode, "switched back")
	require.Equal(t, "large", i.Record("B-000001").CustomFields[0].Text)
	form = openForm(t, b, birthOf("Haddad"))
	move(t, b, second)
	here := parsePage(t, b.Post("/registry/capture", form)).form()
	require.Equal(t, 303, b.Post("/registry/capture", here).StatusCode, "sent again from where they are")
}

func TestAnAmendmentOpenedInAnotherPracticeIsKeptForTheWayBack(t *testing.T) {
	i, b, second := twoPractices(t)
	require.Equal(t, 303, b.Post("/registry/capture", openForm(t, b, birthOf("Okonkwo"))).StatusCode)
	path := "/registry/records/" + i.Record("B-000001").ID + "/amend"
	form := parsePage(t, b.Get(path)).form()
	form.Set("gravida", "3")
	form.Set("x_tub", "large")
	move(t, b, second)
	answer := b.Post(path, form)
	require.Equal(t, 409, answer.StatusCode)
	require.Contains(t, answer.Body, "You are now in Hill House")
	again := parsePage(t, answer).form()
	require.Equal(t, 409, b.Post(path, again).StatusCode)
	move(t, b, i.Practice)
	require.Equal(t, 303, b.Post(path, again).StatusCode)
	require.Equal(t, 2, i.Record("B-000001").Version)
	require.Equal(t, "large", i.Record("B-000001").CustomFields[0].Text)

	form = parsePage(t, b.Get(path)).form()
	form.Set("gravida", "4")
	form.Set("owner", fmt.Sprintf("%d/%d", b.User+1, i.Practice))
	require.Equal(t, 409, b.Post(path, form).StatusCode, "somebody else has signed in")
	require.Equal(t, 2, i.Record("B-000001").Version)
}

func TestNoFormOfAnotherPracticeChangesThisOne(t *testing.T) {
	i := apptest.Start(t)
	p := newFixture(t, i, "owner")
	b := i.SignIn(p.practice, auth.Admin)
	own, foreign := fmt.Sprintf("%d/%d", b.User, p.practice), fmt.Sprintf("%d/%d", b.User, i.Practice)
	action := regexp.MustCompile(`(?s)<form[^>]* method="post" action="(/registry/[^"]*)".*?</form>`)
	asked := 0
	require.Equal(t, 303, b.Post(p.named.Replace("/registry/records/:record/void"), url.Values{"reason": {"x"}, "basis": {"1"}}).StatusCode)
	for _, page := range []string{
		"/registry/settings", "/registry/settings/keys/:key/revoke", "/registry/settings/keys/:key/webhook", "/registry/users/invite", "/registry/users/:user", "/registry/fields",
		"/registry/fields/:field/edit", "/registry/records/:record/restore", "/registry/records/export", "/registry/import",
		"/registry/imports/:import", "/registry/ingestions",
	} {
		shown := b.Get(p.named.Replace(page))
		require.Equal(t, 200, shown.StatusCode, page)
		forms := action.FindAllStringSubmatch(shown.Body, -1)
		require.NotEmpty(t, forms, page)
		for _, form := range forms {
			path := strings.ReplaceAll(form[1], "&amp;", "&")
			if strings.HasSuffix(path, "/find") {
				continue // it changes nothing
			}
			asked++
			if at, query, found := strings.Cut(path, "?"); found {
				require.Equal(t, url.Values{"owner": {own}}.Encode(), query)
				path = at + "?" + url.Values{"owner": {foreign}}.Encode()
			} else {
				require.Contains(t, form[0], `name="owner" value="`+own+`"`, path)
			}
			answer := b.Post(path, url.Values{"owner": {foreign}})
			require.Equal(t, 409, answer.StatusCode, path)
			require.Contains(t, answer.Body, "You are now in ", path)
		}
	}
	require.Greater(t, asked, 12)
}
