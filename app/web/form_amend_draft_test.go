package web_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/drafts"
	"birthregistry/store"
)

// amendment is an installation with a record, the address at which a provider amends it, and
// the form as it is opened there.
func amendment(t *testing.T) (i *apptest.Installation, id string, b *apptest.Browser, path string, form url.Values) {
	t.Helper()
	i, id = pushed(t, "01-single-birth")
	b = i.SignIn(i.Practice, auth.Provider)
	path = "/registry/records/" + id + "/amend"
	return i, id, b, path, formAt(t, b, path)
}

// keep sends a form as its script does, and returns the answer.
func keep(b *apptest.Browser, path string, form url.Values) apptest.Page {
	form.Set("do", "keep")
	return b.Post(path, form)
}

// draftAt returns the address of the only draft in the list.
func draftAt(t *testing.T, b *apptest.Browser) string {
	t.Helper()
	_, rest, found := strings.Cut(b.Get("/registry/drafts").Body, `href="/registry/drafts/`)
	require.True(t, found, "a draft is listed")
	token, _, _ := strings.Cut(rest, `"`)
	return "/registry/drafts/" + token
}

func TestAnAmendmentIsADraftFromItsFirstChange(t *testing.T) {
	i, id, b, path, form := amendment(t)
	require.Equal(t, 200, keep(b, path, form).StatusCode)
	require.Contains(t, b.Get("/registry/drafts").Body, "There are no drafts.", "nothing is changed yet")

	form.Set("child.0.birth_weight_g", "7#9")
	form.Set("blood_loss_ml", "300")
	answer := keep(b, path, form)
	require.Equal(t, 200, answer.StatusCode, answer.Body)
	require.Contains(t, answer.Body, `"path":"`+path+`","revision":1,"text":"Saved `)
	require.Contains(t, answer.Body, "= 3,430 g (7 lb 9 oz)")
	before := i.Record(id)
	require.Equal(t, 1, before.Version, "a draft counts nowhere")
	for _, at := range []string{path, draftAt(t, b)} {
		page := b.Get(at)
		if at != path {
			require.Equal(t, path, page.Header.Get("Location"))
			continue
		}
		requireTyped(t, url.Values{"child.0.birth_weight_g": {"7#9"}, "blood_loss_ml": {"300"}}, parsePage(t, page).form())
	}
	for _, list := range []string{"/registry", "/registry/drafts"} {
		require.Contains(t, wordsOf(parsePage(t, b.Get(list)).byID("main")), "Continue: Amending ", list)
	}

	form = formAt(t, b, path)
	saves(t, b, path, form)
	saves(t, b, path, form) // sent twice
	require.Contains(t, b.Get("/registry/capture/saved").Body, "The record is amended")
	after := i.Record(id)
	require.Equal(t, 2, after.Version)
	require.Contains(t, b.Get("/registry/drafts").Body, "There are no drafts.")
	for _, v := range append(append(after.Mother, after.Care...), after.Children[0]...) {
		want := "fhir_push"
		if v.Field.Name == "birth_weight_g" || v.Field.Name == "blood_loss_ml" {
			want = "manual"
		}
		require.Equal(t, want, string(v.Value.Source), v.Field.Name)
	}
	require.Equal(t, before.Providers, after.Providers)
}

func TestADiscardedAmendmentLeavesTheRecordAsItIs(t *testing.T) {
	i, id, b, path, form := amendment(t)
	form.Set("gravida", "7")
	require.Equal(t, path, press(t, b, path, "go-on", form))
	draft := draftAt(t, b)
	require.Contains(t, b.Get(path).Body, `href="`+draft+`/discard"`)
	asked := b.Get(draft + "/discard")
	require.Contains(t, asked.Body, "Amending ")
	require.Equal(t, "/registry/records/"+id, b.Post(draft+"/discard", parsePage(t, asked).form()).Header.Get("Location"))
	require.NotEqual(t, "7", formAt(t, b, path).Get("gravida"))
	require.Equal(t, 1, i.Record(id).Version)

	// The text that another page still holds is kept, and can be saved.
	form.Set("revision", "1")
	answer := keep(b, path, form)
	require.Equal(t, 409, answer.StatusCode)
	require.Contains(t, answer.Body, "discarded on another page")
	require.Equal(t, path, press(t, b, path, "go-on", form))
	saves(t, b, path, formAt(t, b, path))
	require.Equal(t, 2, i.Record(id).Version)
}

func TestADraftOfAnAmendmentSaysThatTheRecordHasChangedAndLosesNothing(t *testing.T) {
	i, id, b, path, form := amendment(t)
	form.Set("child.0.birth_weight_g", "3400")
	require.Equal(t, 200, keep(b, path, form).StatusCode)
	form = formAt(t, b, path)

	other := i.SignIn(i.Practice, auth.Admin)
	second := formAt(t, other, path)
	second.Set("child.0.birth_weight_g", "3450")
	second.Set("gravida", "3")
	saves(t, other, path, second)

	form.Set("blood_loss_ml", "300")
	require.Contains(t, keep(b, path, form).Body, "The record has changed since you opened it")
	require.Equal(t, path, press(t, b, path, "save", form), "compared first, not saved")
	require.Equal(t, 2, i.Record(id).Version)
	shown := formAt(t, b, path)
	require.Equal(t, []string{"3400", "3", "300", "2"}, []string{
		shown.Get("child.0.birth_weight_g"), shown.Get("gravida"), shown.Get("blood_loss_ml"), shown.Get("basis"),
	})
	shown.Set("gravida", "2") // as it was before the other's change: this is typed, too
	require.Equal(t, 200, keep(b, path, shown).StatusCode)
	page := b.Get(path)
	require.Contains(t, page.Body, "This record has changed since you opened it", "until it is decided")
	require.Contains(t, wordsOf(parsePage(t, page).byID("changed")), "Newborn 1: Birth weight3,450 g3,400 gyours")
	again := parsePage(t, page).form()
	require.Equal(t, "2", again.Get("gravida"))
	saves(t, b, path, again)
	require.Equal(t, 3, i.Record(id).Version)
	require.NotContains(t, b.Get(path).Body, "This record has changed")
	last := formAt(t, b, path)
	require.Equal(t, []string{"3400", "2", "300"}, []string{last.Get("child.0.birth_weight_g"), last.Get("gravida"), last.Get("blood_loss_ml")})
}

func TestAPushThatOvertakesADraftOfAnAmendmentIsShown(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3000}.Bundle())
	b := i.SignIn(i.Practice, auth.Provider)
	path := recordPath(i, "26-1") + "/amend"
	form := formAt(t, b, path)
	form.Set("child.0.birth_weight_g", "3100")
	keep(b, path, form)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3200}.Bundle())
	page := b.Get(path)
	require.Contains(t, wordsOf(parsePage(t, page).byID("changed")), "Newborn 1: Birth weight3,200 g3,100 gyours")
	require.Equal(t, "3100", parsePage(t, page).form().Get("child.0.birth_weight_g"))
}

func TestTwoPagesOfOneDraftLoseNothingWhenOneIsSaved(t *testing.T) {
	i, id, b, path, form := amendment(t)
	there := formAt(t, b, path)
	form.Set("blood_loss_ml", "300")
	require.Equal(t, 200, keep(b, path, form).StatusCode)
	there.Set("gravida", "6")
	require.Equal(t, 409, keep(b, path, there).StatusCode, "the other page is seen first")
	there.Set("do", "save")
	saves(t, b, path, there)
	require.Equal(t, 2, i.Record(id).Version)
	saved := formAt(t, b, path)
	require.Equal(t, []string{"6", "300"}, []string{saved.Get("gravida"), saved.Get("blood_loss_ml")})

	// The same for a new birth.
	fresh, typed := draftOf(t, b, birthOf("Okonkwo"))
	press(t, b, fresh, "go-on", typed)
	here, stale := formAt(t, b, fresh), formAt(t, b, fresh)
	here.Set("blood_loss_ml", "250")
	press(t, b, fresh, "go-on", here)
	require.Equal(t, "/registry/capture/saved", press(t, b, fresh, "record", stale))
	made := regexp.MustCompile(`/registry/records/[0-9a-f-]{36}`).FindString(b.Get("/registry/capture/saved").Body)
	require.Equal(t, "250", formAt(t, b, made+"/amend").Get("blood_loss_ml"))
}

func TestADraftOfAnAmendmentIsContinuedByThoseWhoMayAmendOnly(t *testing.T) {
	i, id, b, path, form := amendment(t)
	form.Set("gravida", "7")
	require.Equal(t, path, press(t, b, path, "go-on", form))
	draft := draftAt(t, b)
	admin, scribe, viewer := i.SignIn(i.Practice, auth.Admin), i.SignIn(i.Practice, auth.Scribe), i.SignIn(i.Practice, auth.Viewer)
	require.Contains(t, admin.Get("/registry/drafts").Body, "Amending ")
	require.Contains(t, admin.Get(draft).Body, "started this draft. If you save it, the change will be in your name.")
	require.NotEqual(t, "7", formAt(t, admin, path).Get("gravida"), "the admin's own amendment is another draft")
	require.NotContains(t, scribe.Get("/registry/drafts").Body, "Amending ")
	require.Equal(t, 404, scribe.Get(draft).StatusCode)
	require.Equal(t, 403, viewer.Get(draft).StatusCode)
	stolen := formAt(t, admin, draft)
	for who, at := range map[*apptest.Browser]string{scribe: "/registry/drafts/00000000-0000-8000-8000-000000000000", viewer: path} {
		require.Equal(t, 403, who.Post(at, stolen).StatusCode)
	}

	second := formAt(t, admin, draft)
	second.Set("blood_loss_ml", "300")
	require.Equal(t, draft, press(t, admin, draft, "go-on", second))
	require.Equal(t, "300", formAt(t, b, path).Get("blood_loss_ml"))
	second = formAt(t, admin, draft)
	second.Set("do", "save")
	saves(t, admin, draft, second)
	require.Equal(t, 2, i.Record(id).Version)
	require.Contains(t, b.Get("/registry/drafts").Body, "There are no drafts.")

	// If somebody else has saved the draft, what is typed on a page becomes a draft of its author's own.
	second.Set("gravida", "8")
	require.Equal(t, path, press(t, admin, draft, "go-on", second))
	require.Contains(t, admin.Get(path).Body, "This record has changed since you opened it")
	require.Equal(t, "8", formAt(t, admin, path).Get("gravida"))
}

func TestAnAuthorWhoMayNoLongerAmendReadsNoDraftOfAnAmendment(t *testing.T) {
	i, id, b, path, form := amendment(t)
	form.Set("gravida", "7")
	require.Equal(t, path, press(t, b, path, "go-on", form))
	draft := draftAt(t, b)
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error { return tx.SetRole(i.Practice, b.User, string(auth.Scribe)) }))
	require.Equal(t, 403, b.Get(path).StatusCode)
	require.Equal(t, 404, b.Get(draft).StatusCode)
	require.Equal(t, 404, b.Get(draft+"/discard").StatusCode)
	require.NotContains(t, b.Get("/registry/drafts").Body, "Amending ")
	require.NotContains(t, b.Get("/registry").Body, "Amending ")
	require.Equal(t, 403, b.Post(draft, form).StatusCode)
	who := auth.User{ID: b.User, Role: auth.Scribe, Practice: store.Practice{ID: i.Practice}}
	_, err := i.App.Drafts.Save(t.Context(), who, drafts.AmendmentToken(i.Practice, b.User, id), 1, drafts.Content{Record: id})
	require.ErrorIs(t, err, auth.ErrForbidden)
}

func TestADraftOfAnAmendmentOfAMergedRecordSaysSo(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1"}.Bundle())
	i.Push(apptest.Course{Chart: "26-2"}.Bundle())
	b := i.SignIn(i.Practice, auth.Admin)
	path := recordPath(i, "26-2") + "/amend"
	form := formAt(t, b, path)
	form.Set("gravida", "7")
	keep(b, path, form)
	require.Equal(t, 303, decide(t, b, pairPath(i, "26-2", "26-1")+"/merge", nil).StatusCode)
	page := b.Get(path)
	require.Contains(t, page.Body, "merged into another one and is not counted")
	require.Equal(t, "7", parsePage(t, page).form().Get("gravida"))
}

func TestAnAmendmentThatWouldMakeTwoRecordsTheSameIsKeptAndSaysWhy(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	for _, name := range []string{"Okonkwo", "Lindqvist"} {
		require.Equal(t, 303, b.Post("/registry/capture", openForm(t, b, birthOf(name))).StatusCode)
	}
	path := recordPath(i, "B-000002") + "/amend"
	form := formAt(t, b, path)
	form.Set("mother_family_name", "Okonkwo")
	page := keeps(t, b, path, form)
	require.Equal(t, 422, page.StatusCode)
	require.Contains(t, page.Body, "would duplicate another one")
	require.Equal(t, "Okonkwo", formAt(t, b, path).Get("mother_family_name"))
	require.Equal(t, 1, i.Record("B-000002").Version)
}

func TestADraftOfAnAmendmentIsErasedWithItsRecord(t *testing.T) {
	i, id, b, path, form := amendment(t)
	form.Set("mother_family_name", "Zyxwvut")
	require.Equal(t, 200, keep(b, path, form).StatusCode)
	fresh, typed := draftOf(t, b, birthOf("Okonkwo"))
	press(t, b, fresh, "go-on", typed)
	admin := i.SignIn(i.Practice, auth.Admin)
	second := formAt(t, admin, path)
	second.Set("gravida", "7")
	require.Equal(t, 200, keep(admin, path, second).StatusCode)

	who := auth.Operator(store.Practice{ID: i.Practice})
	require.NoError(t, i.App.Erase.Birth(t.Context(), who, id, store.ErasedOnRequest, 1))
	list := admin.Get("/registry/drafts").Body
	require.NotContains(t, list, "Amending ")
	require.Contains(t, list, fresh, "other drafts stay")
	require.Equal(t, 404, b.Get(path).StatusCode)
	answer := keep(b, path, form)
	require.Equal(t, 409, answer.StatusCode)
	require.Contains(t, answer.Body, "no longer on file")
	require.NotContains(t, b.Get("/registry/drafts").Body, "Amending ")
}

func TestAnAttendantWhomSomebodyElseHasChangedIsTakenOver(t *testing.T) {
	i := apptest.Start(t)
	b, other := i.SignIn(i.Practice, auth.Provider), i.SignIn(i.Practice, auth.Admin)
	draft, form := draftOf(t, b, birthOf("Okonkwo"))
	require.Equal(t, "/registry/capture/saved", press(t, b, draft, "record", form))
	id := i.Record("B-000001").ID
	path := "/registry/records/" + id + "/amend"

	first := formAt(t, b, path)
	first.Set("blood_loss_ml", "300")
	require.Equal(t, 200, keep(b, path, first).StatusCode)
	second := formAt(t, other, path)
	second.Set("person.0.provider", "")
	second.Set("person.0.name", "Nadia Haddad")
	saves(t, other, path, second)

	shown := b.Get(path)
	require.Contains(t, wordsOf(parsePage(t, shown).byID("changed")), "Nadia Haddad")
	saves(t, b, path, parsePage(t, shown).form())
	after := i.Record(id)
	require.Equal(t, 3, after.Version)
	require.Equal(t, "Nadia Haddad", after.Providers[0].Name)
}
