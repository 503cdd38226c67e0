package web_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

// corrected returns an installation with a record that was pushed with 3,400 g and corrected by
// hand to 3,500 g, and the person's browser.
func corrected(t *testing.T) (*apptest.Installation, *apptest.Browser) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3400}.Bundle())
	b := i.SignIn(i.Practice, auth.Provider)
	at := "/registry/records/" + i.Record("26-1").ID + "/amend"
	form := parsePage(t, b.Get(at)).form()
	form.Set("child.0.birth_weight_g", "3500")
	saves(t, b, at, form) // nobody who attended is named
	require.Equal(t, 2, i.Record("26-1").Version)
	return i, b
}

func weightOf(t *testing.T, i *apptest.Installation, chart string) (number float64, source string) {
	t.Helper()
	for _, v := range i.Record(chart).Children[0] {
		if v.Field.Name == "birth_weight_g" {
			return v.Value.Number, string(v.Value.Source)
		}
	}
	return 0, ""
}

func TestAPushWithoutAStampOverHandEnteredValuesIsOnTheHomePageWithTheDifferenceAndRestore(t *testing.T) {
	i, b := corrected(t)
	require.NotContains(t, b.Get("/registry").Body, "may be older")
	i.Push(apptest.Course{Chart: "26-1", Weight: 3400}.Bundle())
	weight, source := weightOf(t, i, "26-1")
	require.Equal(t, 3400.0, weight)
	require.Equal(t, "fhir_push", source)

	home := b.Get("/registry")
	require.Contains(t, home.Body, "Needs attention")
	require.Contains(t, home.Body, `<span class="number warn">1</span> <a href="#replaced">record replaced by a push that may be older</a>`)
	require.Len(t, texts(t, home, "replaced"), 1)
	require.Contains(t, texts(t, home, "replaced")[0], "Robin Provider saved it. On ")
	require.Equal(t, []string{"Newborn 1: Birth weight 3,500 g Entered by hand 3,400 g EHR push"}, texts(t, home, "difference"))
	require.Contains(t, b.Get("/registry/records/"+i.Record("26-1").ID).Body, "sent another version without a timestamp")
	require.Contains(t, texts(t, home, "replaced")[0], "all values of that version are current again, as version 4.")
	require.Contains(t, texts(t, home, "replaced")[0], "Restore what was saved")

	restore := "/registry/records/" + i.Record("26-1").ID + "/replaced/restore"
	answer := b.Post(restore, sent(t, home, restore, nil))
	require.Equal(t, 303, answer.StatusCode)
	require.Equal(t, "/registry", answer.Header.Get("Location"))
	weight, source = weightOf(t, i, "26-1")
	require.Equal(t, 3500.0, weight)
	require.Equal(t, "manual", source)
	require.Equal(t, 4, i.Record("26-1").Version)
	require.NotContains(t, b.Get("/registry").Body, "may be older")
	require.Contains(t, b.Get("/registry/records/"+i.Record("26-1").ID+"/versions").Body, "Brought back the content of version 2")
	require.Equal(t, 409, b.Post(restore, url.Values{"basis": {"4"}}).StatusCode, "once")
	i.Clean()
}

func TestAReplacementByAPushCanBeLeftAsItIs(t *testing.T) {
	i, b := corrected(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3400}.Bundle())
	at := "/registry/records/" + i.Record("26-1").ID
	page := b.Get(at)
	leave := at + "/replaced/leave"
	require.Contains(t, page.Body, leave)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3300}.Bundle())
	form := sent(t, page, at+"/replaced/restore", nil)
	require.Equal(t, 409, b.Post(leave, form).StatusCode, "it has changed since it was looked at")
	require.Equal(t, 303, b.Post(leave, sent(t, b.Get(at), at+"/replaced/restore", nil)).StatusCode)
	require.NotContains(t, b.Get("/registry").Body, "may be older")
	weight, _ := weightOf(t, i, "26-1")
	require.Equal(t, 3300.0, weight)
	require.Equal(t, 4, i.Record("26-1").Version, "no version is made")
}

func TestAPushWithoutAStampThatRevivesWhatAPersonVoidedIsOnTheHomePage(t *testing.T) {
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3400, Stamp: "2026-03-03T10:00:00Z"}.Bundle())
	b := i.SignIn(i.Practice, auth.Admin)
	at := "/registry/records/" + i.Record("26-1").ID
	require.Equal(t, 303, decide(t, b, at+"/void", url.Values{"reason": {"entered twice"}}).StatusCode)
	out := i.Push(apptest.Course{Chart: "26-1", Weight: 3400, Stamp: "2026-03-03T10:00:00Z"}.Bundle())
	require.Equal(t, "Stale update ignored.", out.Rejected[0].Outcome.Issue[0].Diagnostics, "the nightly push of the unchanged Bundle")
	require.EqualValues(t, "voided", i.Record("26-1").State)
	require.True(t, i.Push(apptest.Course{Chart: "26-1", Weight: 3400}.Bundle()).Accepted[0].Amended)
	require.EqualValues(t, "active", i.Record("26-1").State)
	home := b.Get("/registry")
	require.Contains(t, texts(t, home, "replaced")[0], "The record had been voided. It counts again now.")
	require.Contains(t, texts(t, home, "replaced")[0], "Void it again")
	require.Equal(t, 303, b.Post(at+"/replaced/restore", sent(t, home, at+"/replaced/restore", nil)).StatusCode)
	require.EqualValues(t, "voided", i.Record("26-1").State)
	require.Contains(t, b.Get("/registry").Body, "The record is voided again, as version 4.")
	i.Clean()
}

func TestAReplacementByAPushIsShownToThoseWhoMayAmendAndTheReadIsNoted(t *testing.T) {
	i, _ := corrected(t)
	i.Push(apptest.Course{Chart: "26-1", Weight: 3400}.Bundle())
	for _, role := range []auth.Role{auth.Scribe, auth.Viewer} {
		b := i.SignIn(i.Practice, role)
		require.NotContains(t, b.Get("/registry").Body, "may be older")
		require.Equal(t, 403, b.Post("/registry/records/"+i.Record("26-1").ID+"/replaced/restore", url.Values{"basis": {"3"}}).StatusCode)
	}
	viewer := i.SignIn(i.Practice, auth.Viewer)
	require.NotContains(t, viewer.Get("/registry/records/"+i.Record("26-1").ID).Body, "/replaced/")
	other := i.SignIn(i.AddPractice("Hillside"), auth.Admin)
	require.NotContains(t, other.Get("/registry").Body, "may be older")

	admin := i.SignIn(i.Practice, auth.Admin)
	read := func() int { return len(texts(t, admin.Get("/registry/audit?area=read"), "entry")) }
	before := read()
	require.Contains(t, admin.Get("/registry").Body, "3,500 g")
	require.Equal(t, before+1, read())
}
