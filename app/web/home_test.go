package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/smart"
	"birthregistry/store"
)

func TestTheHomePageShowsEachUserOnlyWhatTheyCanTakeCareOf(t *testing.T) {
	i := apptest.Start(t)
	for _, role := range []auth.Role{auth.Admin, auth.Provider} {
		require.Contains(t, i.SignIn(i.Practice, role).Get("/registry").Body, "Nothing needs your attention")
	}
	i.Push(birth)
	i.Push(noMother)
	i.Push(apptest.Course{Chart: "C-2"}.Bundle()) // the same mother and birth
	fail(t, i)
	for _, role := range []auth.Role{auth.Admin, auth.Provider} {
		page := i.SignIn(i.Practice, role).Get("/registry")
		for _, text := range []string{
			`href="/registry/ingestions?show=failed">failed ingestion in the last 7 days`,
			`href="/registry/ingestions?show=rejects">ingestion with rejected births in the last 7 days`,
			`href="/registry/duplicates">possible duplicate`,
			`href="/registry/records?incomplete=yes&amp;state=active">records lack key facts`,
		} {
			require.Contains(t, page.Body, text)
		}
	}
	for _, role := range []auth.Role{auth.Scribe, auth.Viewer} {
		require.NotContains(t, i.SignIn(i.Practice, role).Get("/registry").Body, "Needs attention")
	}
	other := i.SignIn(practiceWith(t, i, false, true), auth.Admin).Get("/registry")
	require.Contains(t, other.Body, "Nothing needs your attention")
}

func TestARejectedSubmissionNeedsAttentionUntilEachOfItsCoursesIsApplied(t *testing.T) {
	i := apptest.Start(t)
	admin := i.SignIn(i.Practice, auth.Admin)
	const reminder = "rejected births in the last 7 days"
	needs := func() bool { return strings.Contains(admin.Get("/registry").Body, reminder) }
	bad := func(chart string) string { return apptest.Course{Chart: chart, Mothers: -1}.Bundle() }
	good := func(chart, mother string) string { return apptest.Course{Chart: chart, Mother: mother}.Bundle() }

	i.Push(bad("C-1"))
	i.Push(apptest.Batch(good("C-2", "Okonkwo"), bad("C-1"), bad("C-3")))
	require.True(t, needs())
	i.Push(good("C-1", "Adeyemi"))
	require.True(t, needs(), "one is left of the batch")
	i.Push(good("C-3", "Balogun"))
	require.False(t, needs(), "nothing is left to do")
	list := admin.Get("/registry/ingestions?show=rejects").Body
	require.Equal(t, 2, strings.Count(list, "Completed with rejects"), "the receipts stay")
	require.NotContains(t, list, "Needs attention")

	i.Push(bad("C-1"))
	require.True(t, needs(), "it was rejected again after it was applied")
	require.Equal(t, 1, strings.Count(admin.Get("/registry/ingestions?show=rejects").Body, "Needs attention"))
	i.Push(apptest.Batch(bad("C-1"), good("C-1", "Adeyemi")))
	require.False(t, needs())

	i.Push(apptest.Course{Chart: "C-4", Stamp: "2026-03-05T00:00:00Z"}.Bundle())
	require.Len(t, i.Push(apptest.Course{Chart: "C-4", Stamp: "2026-03-04T00:00:00Z"}.Bundle()).Rejected, 1)
	require.False(t, needs(), "what is on file is newer")

	i.Push(bad(""))
	i.Push(good("", "Nobody"))
	require.True(t, needs(), "without a chart number, nobody knows")
}

func TestAFileThatNobodyHasImportedWaitsOnItsUploadersHomePageUntilItIsImportedOrDeleted(t *testing.T) {
	i := apptest.Start(t)
	scribe, admin := i.SignIn(i.Practice, auth.Scribe), i.SignIn(i.Practice, auth.Admin)
	first := upload(t, scribe, "march.csv", threeBirths).Header.Get("Location")
	second := upload(t, scribe, "april.csv", threeBirths).Header.Get("Location")
	page := dom(t, scribe.Get("/registry"))
	require.Equal(t, first, link(page, "Continue: march.csv, 3 rows"))
	require.Equal(t, second, link(page, "Continue: april.csv, 3 rows"))
	require.NotContains(t, admin.Get("/registry").Body, "march.csv", "each user sees their own")

	require.Equal(t, 303, scribe.Post(first+"/confirm", url.Values{"leave_out": {"yes"}}).StatusCode)
	require.Equal(t, 303, scribe.Post(second+"/drop", nil).StatusCode)
	require.NotContains(t, scribe.Get("/registry").Body, "Spreadsheets to import")
}

func TestTheHomePageLeadsWhereTheRoleMayGo(t *testing.T) {
	i := apptest.Start(t)
	for role, writes := range map[auth.Role]bool{auth.Admin: true, auth.Provider: true, auth.Scribe: true, auth.Viewer: false} {
		page := i.SignIn(i.Practice, role).Get("/registry")
		for _, way := range []string{`class="button" href="/registry/capture"`, `class="button second" href="/registry/import"`} {
			if writes {
				require.Contains(t, page.Body, way, role)
			} else {
				require.NotContains(t, page.Body, way, role)
			}
		}
	}
}

func TestRecordingABirthIsTheFirstActionOfTheHomePage(t *testing.T) {
	i := apptest.Start(t)
	page := i.SignIn(i.Practice, auth.Scribe).Get("/registry").Body
	require.Regexp(t, `(?s)<h1>.*<a class="button" href="/registry/capture">.*<a class="button second" href="/registry/import">`, page)
}

func TestTheHomePageOfAnEmptyPracticeSaysWhatTheRegistryIsForAndASandboxOffersSamples(t *testing.T) {
	i := apptest.Start(t)
	sandbox := practiceWith(t, i, true, true)
	b := i.SignIn(sandbox, auth.Admin)
	page := b.Get("/registry")
	require.Contains(t, page.Body, "No births yet")
	require.NotContains(t, i.SignIn(i.Practice, auth.Admin).Get("/registry").Body, "sample", "not where patients are real")

	sample := b.Get("/registry/import/sample.csv")
	at := upload(t, b, "births-sample.csv", sample.Body).Header.Get("Location")
	preview := b.Get(at).Body
	require.Contains(t, preview, `<span class="number">4</span> new births`)
	require.Contains(t, preview, `<span class="number">1</span> with errors`, "on purpose")

	answer := b.Post("/registry/ingestions/sample", sent(t, page, "/registry/ingestions/sample", nil))
	require.Equal(t, 303, answer.StatusCode)
	require.Eventually(t, func() bool {
		return strings.Contains(b.Get("/registry").Body, "Recently recorded")
	}, 3*time.Minute, 20*time.Millisecond)
	require.NotContains(t, b.Get("/registry").Body, "No births yet")
}

func TestAnAdminIsRemindedOfInvitationsUnusedKeysAndBackups(t *testing.T) {
	i := apptest.Start(t)
	p := practiceWith(t, i, false, true)
	i.Mint(p, read)
	admin, provider := i.SignIn(p, auth.Admin), i.SignIn(p, auth.Provider)
	body := admin.Get("/registry").Body
	require.NotContains(t, body, "not used for 90 days", "it is new")
	require.NotContains(t, body, "invitation not accepted")
	require.Contains(t, body, "No backups are scheduled here")
	_, _, err := i.App.Auth.AddUser(p, "new@example.org", "New", auth.Scribe, "")
	require.NoError(t, err)
	const pending = `href="/registry/users">invitation not accepted`
	require.Contains(t, admin.Get("/registry").Body, pending)
	require.NotContains(t, provider.Get("/registry").Body, pending)
	require.NotContains(t, provider.Get("/registry").Body, "backup")
}

func TestTheFirstStepsAreMarkedAsDoneFromWhatExists(t *testing.T) {
	i := apptest.Start(t)
	p := practiceWith(t, i, true, true)
	b := i.SignIn(p, auth.Admin)
	page := b.Get("/registry")
	for _, step := range []string{"Record the first birth", "Invite your colleagues", "Create an API key"} {
		require.Contains(t, page.Body, step)
	}
	require.Contains(t, page.Body, "second factor", "offered with the first steps")
	require.NotContains(t, page.Body, "Done</span>")
	key := i.Mint(p, write, read)
	require.Contains(t, b.Get("/registry").Body, "Done</span>")
	i.Push(birth, "Authorization", "Bearer "+key)
	viewer := i.SignIn(p, auth.Viewer)
	require.NotContains(t, viewer.Get("/registry").Body, "Getting started")
	require.NotContains(t, b.Get("/registry").Body, "Getting started", "all is done: a birth, a colleague, a key")
}

func TestAnAdminIsRemindedThirtyDaysBeforeTheRegistrationOfAnEHREnds(t *testing.T) {
	i := apptest.Start(t)
	p := practiceWith(t, i, false, true)
	admin, provider := i.SignIn(p, auth.Admin), i.SignIn(p, auth.Provider)
	in := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	for n, e := range []store.EHR{
		{ExpiresOn: ""}, {ExpiresOn: in(32)}, {ExpiresOn: in(28)}, {ExpiresOn: in(-3)}, {ExpiresOn: in(28), Practice: i.Practice},
	} {
		e.Issuer, e.Label, e.ClientID, e.Auth = fmt.Sprintf("https://ehr-%d.example.org/fhir", n), fmt.Sprint("EHR ", n), "client", store.AuthPublic
		_, _, err := i.App.Smart.List(smart.Listing{EHR: e})
		require.NoError(t, err)
	}
	const ends = `EHR registrations that end soon`
	body := admin.Get("/registry").Body
	require.Contains(t, body, `<span class="number warn">2</span>`)
	require.Contains(t, body, ends)
	for n, shown := range []bool{false, false, true, true, false} {
		require.Equal(t, shown, strings.Contains(body, fmt.Sprintf("EHR %d on ", n)), n)
	}
	require.NotContains(t, provider.Get("/registry").Body, ends)
	_, _, err := i.App.Smart.List(smart.Listing{EHR: store.EHR{Issuer: "https://ehr.example.org/fhir", Auth: store.AuthPublic, ExpiresOn: "31.3.2027"}})
	require.ErrorIs(t, err, smart.ErrBadEntry)
}
