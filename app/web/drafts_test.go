package web_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store"
)

// draftOf opens an empty form, types into it, and returns its draft's address and the form.
func draftOf(t testing.TB, b *apptest.Browser, typed url.Values) (path string, form url.Values) {
	t.Helper()
	form = openForm(t, b, typed)
	return "/registry/drafts/" + form.Get("fresh"), form
}

// press presses a button of a form, whose answer is always a redirect.
func press(t testing.TB, b *apptest.Browser, path, do string, form url.Values) (location string) {
	t.Helper()
	form.Set("do", do)
	answer := b.Post(path, form)
	require.Equal(t, 303, answer.StatusCode)
	return answer.Header.Get("Location")
}

func formAt(t testing.TB, b *apptest.Browser, path string) url.Values {
	t.Helper()
	answer := b.Get(path)
	require.Equal(t, 200, answer.StatusCode)
	return parsePage(t, answer).form()
}

func requireTyped(t testing.TB, want, form url.Values) {
	t.Helper()
	for name, texts := range want {
		require.Equal(t, texts, form[name], name)
	}
}

func TestADraftIsKeptByEveryButtonAndBecomesOneRecord(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	path, form := draftOf(t, b, birthOf("Okonkwo"))
	require.Equal(t, path, press(t, b, path, "go-on", form))
	form = formAt(t, b, path)
	requireTyped(t, birthOf("Okonkwo"), form)
	require.Equal(t, path+"#child.1", press(t, b, path, "add-child", form))
	form = formAt(t, b, path)
	require.True(t, form.Has("child.1.birth_date"))
	form.Set("child.1.birth_weight_g", "2600")
	require.Equal(t, path+"?remove=child.1#remove", press(t, b, path, "ask-child.1", form))
	p := parsePage(t, b.Get(path+"?remove=child.1"))
	form = p.form()
	require.Equal(t, "2600", form.Get("child.1.birth_weight_g"))
	do, _ := attrOf(p.byID("remove"), "value")
	require.Equal(t, path+"#newborns", press(t, b, path, do, form))
	require.Zero(t, i.Count(), "a draft counts nowhere")

	form = formAt(t, b, path)
	require.False(t, form.Has("child.1.birth_date"))
	require.Equal(t, "/registry/capture/saved", press(t, b, path, "record", form))
	require.Equal(t, "/registry/capture/saved", press(t, b, path, "record", form), "sent twice")
	require.Equal(t, 1, i.Count())
	require.Equal(t, "/registry/capture/saved", b.Get(path).Header.Get("Location"), "Back leads to the record")
	require.Contains(t, b.Get("/registry/drafts").Body, "There are no drafts.")
}

func TestMistakesOfADraftAreShownAtItsAddressAndSurviveAReload(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	wrong := birthOf("Okonkwo")
	wrong.Set("child.0.birth_weight_g", "heavy")
	wrong.Set("child.0.birth_date", "3/2/26")
	path, form := draftOf(t, b, wrong)
	require.Equal(t, path+"?check=1", press(t, b, path, "save", form))
	for range 2 {
		answer := b.Get(path + "?check=1")
		require.Contains(t, answer.Body, "There is a problem")
		require.Contains(t, answer.Body, "four digits")
		requireTyped(t, wrong, parsePage(t, answer).form())
	}
	form = formAt(t, b, path)
	for name, texts := range birthOf("Okonkwo") {
		form[name] = texts
	}
	require.Equal(t, "/registry/capture/saved", press(t, b, path, "record", form))
	require.Equal(t, 1, i.Count())
}

func TestAStalePageOverwritesNothingAndLosesNothing(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	path, form := draftOf(t, b, birthOf("Okonkwo"))
	press(t, b, path, "go-on", form)
	here, there := formAt(t, b, path), formAt(t, b, path)
	here.Set("gravida", "3")
	here.Set("parity", "1")
	press(t, b, path, "go-on", here)

	there.Set("gravida", "2")
	there.Set("mother_postal_code", "97201")
	there.Set("do", "keep")
	answer := b.Post(path, there)
	require.Equal(t, 409, answer.StatusCode)
	require.Contains(t, answer.Body, "changed on another page")
	require.Equal(t, "3", formAt(t, b, path).Get("gravida"))

	require.Equal(t, path, press(t, b, path, "save", there), "compared first, not saved")
	require.Zero(t, i.Count())
	shown := b.Get(path)
	require.Contains(t, shown.Body, "This draft was changed on another page, too")
	both := parsePage(t, shown).form()
	require.Equal(t, []string{"2", "1", "97201"}, []string{both.Get("gravida"), both.Get("parity"), both.Get("mother_postal_code")})
	require.Equal(t, "/registry/capture/saved", press(t, b, path, "record", both))
	require.Equal(t, 1, i.Count())
}

func TestTextTypedAfterTheDraftHasBecomeARecordIsKept(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	path, form := draftOf(t, b, birthOf("Okonkwo"))
	press(t, b, path, "go-on", form)
	here, there := formAt(t, b, path), formAt(t, b, path)
	press(t, b, path, "record", here)
	there.Set("gravida", "4")
	there.Set("do", "keep")
	require.Equal(t, 409, b.Post(path, there).StatusCode)
	next := press(t, b, path, "save", there)
	require.NotEqual(t, path, next)
	answer := b.Get(next)
	require.Contains(t, answer.Body, "already saved as B-000001")
	require.Equal(t, "4", parsePage(t, answer).form().Get("gravida"))
	require.Equal(t, 1, i.Count())
}

func TestTheScriptStoresADraftOnlyOnceSomethingIsTyped(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	path, form := draftOf(t, b, nil)
	form.Set("do", "keep")
	require.Equal(t, 200, b.Post(path, form).StatusCode)
	require.Equal(t, 404, b.Get(path).StatusCode)
	form.Set("gravida", "2")
	answer := b.Post(path, form)
	require.Equal(t, 200, answer.StatusCode)
	require.Contains(t, answer.Body, `"path":"`+path+`","revision":1,"text":"Saved `)
	require.Equal(t, "2", formAt(t, b, path).Get("gravida"))
}

func TestDraftsAreListedForThoseWhoMayContinueThem(t *testing.T) {
	i := apptest.Start(t)
	scribe, admin, other := i.SignIn(i.Practice, auth.Scribe), i.SignIn(i.Practice, auth.Admin), i.SignIn(i.Practice, auth.Scribe)
	typed := birthOf("Okonkwo")
	typed.Set("child.1.birth_date", "3/2/2026")
	path, form := draftOf(t, scribe, typed)
	press(t, scribe, path, "go-on", form)
	for who, b := range map[string]*apptest.Browser{"the author": scribe, "an admin": admin} {
		list := b.Get("/registry/drafts")
		require.Contains(t, list.Body, "Okonkwo, Amara, twins, Mar 2, ", who)
		require.Contains(t, list.Body, path+"/discard", who)
	}
	require.NotContains(t, other.Get("/registry/drafts").Body, "Okonkwo")
	require.Equal(t, 404, other.Get(path).StatusCode)
	require.Equal(t, 404, other.Get(path+"/discard").StatusCode)
	require.Equal(t, 403, i.SignIn(i.Practice, auth.Viewer).Get("/registry/drafts").StatusCode)

	require.Contains(t, admin.Get(path).Body, "started this draft")
	form = formAt(t, admin, path)
	require.Equal(t, "/registry/capture/saved", press(t, admin, path, "record", form))
	require.Equal(t, "/registry/capture/saved", press(t, admin, path, "record", form), "sent twice, by somebody else than its author")
	require.Equal(t, 1, i.Count())
}

func TestADiscardedDraftIsGone(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	path, form := draftOf(t, b, birthOf("Okonkwo"))
	press(t, b, path, "go-on", form)
	require.Contains(t, b.Get(path+"/discard").Body, "Discard this draft?")
	require.Regexp(t, `</strong>, (started by [^<]+, )?last saved [^<]+\.</p>`, b.Get(path+"/discard").Body)
	require.Equal(t, "/registry/drafts", b.Post(path+"/discard", parsePage(t, b.Get(path+"/discard")).form()).Header.Get("Location"))
	require.Equal(t, 404, b.Get(path).StatusCode)
}

func TestADamagedDraftHidesNoOtherAndCanBeDiscarded(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	damaged, form := draftOf(t, b, birthOf("Okonkwo"))
	press(t, b, damaged, "go-on", form)
	sound, form := draftOf(t, b, birthOf("Lindqvist"))
	press(t, b, sound, "go-on", form)
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error {
		return tx.SetDraft(i.Practice, strings.TrimPrefix(damaged, "/registry/drafts/"), 1, []byte("damaged"))
	}))
	for _, page := range []string{"/registry", "/registry/drafts"} {
		answer := b.Get(page)
		require.Equal(t, 200, answer.StatusCode, page)
		require.Contains(t, answer.Body, "Lindqvist", page)
		require.Contains(t, answer.Body, "A draft that is damaged", page)
	}
	require.Contains(t, b.Get(damaged).Body, "The stored data is damaged")
	require.Equal(t, 200, b.Get(sound).StatusCode)
	require.Equal(t, 303, b.Post(damaged+"/discard", parsePage(t, b.Get(damaged+"/discard")).form()).StatusCode)
	require.NotContains(t, b.Get("/registry/drafts").Body, "damaged")
}

func TestADraftOutlivesTheSessionOfItsAuthor(t *testing.T) {
	i := clinic(t)
	b := i.Stranger()
	enter(t, b, "olive@example.org")
	path, form := draftOf(t, b, birthOf("Okonkwo"))
	press(t, b, path, "go-on", form)
	form = formAt(t, b, path)
	_, err := i.App.Auth.EndUserSessions("olive@example.org")
	require.NoError(t, err)
	form.Set("gravida", "3")
	require.Equal(t, "/sign-in", press(t, b, path, "save", form))
	require.Equal(t, path, enter(t, b, "olive@example.org").Header.Get("Location"))
	require.Equal(t, path, b.Get(path).Header.Get("Location"), "it is stored, then shown")
	shown := b.Get(path)
	require.Contains(t, shown.Body, "Here is what you typed")
	require.Equal(t, "3", parsePage(t, shown).form().Get("gravida"))
	require.Equal(t, "3", formAt(t, b, path).Get("gravida"), "reloaded")
	require.Zero(t, i.Count())
}

func TestADraftWithTooMuchTextStaysOnThePage(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	path, form := draftOf(t, b, birthOf("Okonkwo"))
	form.Set("facility_name", strings.Repeat("x", 130<<10))
	form.Set("do", "go-on")
	answer := b.Post(path, form)
	require.Equal(t, 422, answer.StatusCode)
	require.Contains(t, answer.Body, "too much text")
	requireTyped(t, birthOf("Okonkwo"), parsePage(t, answer).form())
}

func TestAValueFromTheEHRKeepsItsSourceHoweverLongTheDraftRests(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	handle := i.Pulled(b, mothersChart())
	form := completed(parsePage(t, b.Get(prefilled)).form())
	path := "/registry/drafts/" + form.Get("fresh")
	require.Contains(t, b.Get("/registry/drafts").Body, path, "opened, it is a draft")
	form.Set("gravida", "9")
	press(t, b, path, "go-on", form)
	require.Equal(t, path, b.Get(prefilled).Header.Get("Location"), "Back to the chart leads to the draft")

	require.NoError(t, i.App.Smart.Drop(handle)) // as after a sign-out, or after a day
	shown := b.Get(path)
	require.Contains(t, shown.Body, "From EHR")
	require.Contains(t, shown.Body, "The chart stays with this draft until you save the birth or delete the draft.")
	require.Equal(t, "/registry/capture/saved", press(t, b, path, "record", parsePage(t, shown).form()))
	sources := sourcesOf(i, "B-000001")
	require.Equal(t, "ehr_pull", sources["mother_family_name"])
	require.Equal(t, "ehr_pull", sources["mother_height_in"])
	require.Equal(t, "manual", sources["gravida"])
	require.Equal(t, 1, i.Count())
}

func TestHomeOffersToContinueTheUsersDrafts(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Scribe)
	path, form := draftOf(t, b, birthOf("Okonkwo"))
	press(t, b, path, "go-on", form)
	home := b.Get("/registry")
	require.Contains(t, home.Body, `<a href="`+path+`">Continue: Okonkwo, Amara, Mar 2, `)
	require.NotContains(t, i.SignIn(i.Practice, auth.Admin).Get("/registry").Body, path)
}
