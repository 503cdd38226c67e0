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
)

func TestAnAdminInvitesSomebodyByALinkThatIsShownOnce(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	require.Contains(t, b.Get("/registry/users/invite").Body, "Records births and imports files; cannot read records.")
	form := url.Values{"email": {"Sam@Example.org"}, "name": {"Sam Scribe"}, "role": {"scribe"}}
	leadsTo(t, "/registry/users/link", b.Post("/registry/users", form))
	require.Equal(t, 200, b.Do("HEAD", "/registry/users/link", nil, nil).StatusCode)
	page := b.Get("/registry/users/link")
	require.Contains(t, page.Body, "You will not see this link again.")
	code := find(t, page, `value="`+regexp.QuoteMeta(i.URL)+`/invite#([A-Z2-7]{26})"`)
	require.Contains(t, page.Body, "sam@example.org")
	require.Equal(t, "no-store", page.Header.Get("Cache-Control"))
	again := b.Get("/registry/users/link")
	require.NotContains(t, again.Body, code)
	require.Contains(t, again.Body, "already been shown")
	list := b.Get("/registry/users")
	require.Contains(t, list.Body, "Sam Scribe")
	require.Contains(t, list.Body, "Invited")

	sam := i.Stranger()
	leadsTo(t, "/registry", sam.Post("/invite", url.Values{"code": {code}, "password": {password}}))
	require.Contains(t, sam.Get("/registry").Body, "Scribe")
	require.Contains(t, b.Get(userPage(i, "sam@example.org")).Body, "Active")
}

func userPage(i *apptest.Installation, email string) string {
	return fmt.Sprintf("/registry/users/%d", userID(i, email))
}

func TestAnInvitationWithAMistakeKeepsWhatWasTyped(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	for text, form := range map[string]url.Values{
		"This is not an email address":    {"email": {`x"><script>`}, "name": {"Sam"}, "role": {"viewer"}},
		"The name must have":              {"email": {"sam@example.org"}, "name": {"Sam\u202e"}, "role": {"viewer"}},
		"Choose a role":                   {"email": {"sam@example.org"}, "name": {"Sam"}, "role": {"operator"}},
		"belongs to the practice already": {"email": {olive}, "name": {"Sam"}, "role": {"viewer"}},
	} {
		page := b.Post("/registry/users", form)
		require.Equal(t, 422, page.StatusCode, text)
		require.Contains(t, page.Body, text)
		require.NotContains(t, page.Body, "<script>")
		if form.Get("name") == "Sam" {
			require.Contains(t, page.Body, `value="Sam"`)
		}
	}
	require.NotContains(t, b.Get("/registry/users").Body, "sam@example.org")
}

func TestAllMistakesInAnInvitationAreShownAtOnce(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	admin := signedIn(i, olive)
	sent := admin.Post("/registry/users", url.Values{"name": {strings.Repeat("x", 101)}})
	require.Equal(t, 422, sent.StatusCode)
	for _, text := range []string{"This is not an email address", "The name must have", "Choose a role"} {
		require.Contains(t, sent.Body, text)
	}

	leadsTo(t, "/registry/users/link", admin.Post("/registry/users", url.Values{"email": {"sam@example.org"}, "role": {"viewer"}}))
	code := find(t, admin.Get("/registry/users/link"), `/invite#([A-Z2-7]{26})"`)
	accepted := i.Stranger().Post("/invite", url.Values{"code": {code}, "name": {strings.Repeat("x", 101)}, "password": {"short"}})
	require.Equal(t, 422, accepted.StatusCode)
	for _, text := range []string{"The name must have", "The password must have at least 15 characters"} {
		require.Contains(t, accepted.Body, text)
	}
}

func TestAnAdminChangesARoleEndsAccessAndGivesItBack(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	addUser(i, i.Practice, "vera@example.org", auth.Viewer)
	b := signedIn(i, olive)
	at := userPage(i, "vera@example.org")
	for act, form := range map[string]url.Values{"/role": {"role": {"provider"}}, "/end-sessions": nil, "/disable": nil} {
		vera := signedIn(i, "vera@example.org")
		leadsTo(t, at, b.Post(at+act, form))
		leadsTo(t, "/sign-in", vera.Get("/registry"))
		b.Post(at+"/enable", nil)
	}
	require.Contains(t, b.Get(at).Body, `value="provider" type="radio" checked`)
	leadsTo(t, at, b.Post(at+"/disable", nil))
	require.Equal(t, 422, i.Stranger().Post("/sign-in", credentials("vera@example.org", password)).StatusCode)
	require.Contains(t, b.Get(at).Body, "Disabled")
	require.NotContains(t, b.Get(at).Body, "Make a reset link")
	require.Equal(t, 422, b.Post(at+"/link", nil).StatusCode)
	leadsTo(t, at, b.Post(at+"/enable", nil))
	leadsTo(t, "/registry/users/link", b.Post(at+"/link", nil))
	code := find(t, b.Get("/registry/users/link"), `/reset#([A-Z2-7]{26})"`)
	leadsTo(t, "/sign-in", i.Stranger().Post("/reset", url.Values{"code": {code}, "password": {wrong}}))
	leadsTo(t, "/registry", i.Stranger().Post("/sign-in", credentials("vera@example.org", wrong)))

	own := userPage(i, olive)
	for act, form := range map[string]url.Values{"/role": {"role": {"viewer"}}, "/disable": nil} {
		refused := b.Post(own+act, form)
		require.Equal(t, 422, refused.StatusCode)
		require.Contains(t, refused.Body, "The practice needs an admin")
	}
	require.Equal(t, 422, b.Post(at+"/role", url.Values{"role": {"queen"}}).StatusCode)
	require.Equal(t, 200, b.Get("/registry/users").StatusCode)
}

func TestDisablingAndTakingAFactorAwayAreConfirmedByName(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	addUser(i, i.Practice, "vera@example.org", auth.Viewer)
	b := signedIn(i, olive)
	at := userPage(i, "vera@example.org")
	page := b.Get(at)
	require.NotContains(t, page.Body, `action="`+at+`/disable"`, "nothing happens on one click")
	ask := b.Get(link(dom(t, page), "Disable"))
	require.Contains(t, ask.Body, "vera@example.org")
	require.Contains(t, ask.Body, `action="`+at+`/disable"`)
	require.Contains(t, b.Get(at+"/factor").Body, `action="`+at+`/factor"`)
	require.Contains(t, b.Get(at).Body, "Active", "asking does nothing")
}

func TestAnAdminsOwnPageAndThatOfAnInvitedPersonSayWhatDisablingDoes(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	own := userPage(i, olive)
	page := b.Get(own).Body
	require.Contains(t, page, `This is you.`)
	require.NotContains(t, page, "their sessions")
	for _, elsewhere := range []string{"Make a reset link", "End sessions"} {
		require.NotContains(t, page, elsewhere, "the account page has it")
	}
	require.Contains(t, b.Get(own+"/disable").Body, "until another admin enables you again")

	leadsTo(t, "/registry/users/link", b.Post("/registry/users", url.Values{"email": {"sam@example.org"}, "role": {"viewer"}}))
	ask := b.Get(userPage(i, "sam@example.org") + "/disable").Body
	require.Contains(t, ask, "The invitation stops working.")
	require.NotContains(t, ask, "signed out")
}

func TestAUserOfAnotherPracticeIsNotFoundOnTheUsersPages(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	other := i.AddPractice("Hillside")
	addUser(i, other, "otto@example.org", auth.Viewer)
	b := signedIn(i, olive)
	require.NotContains(t, b.Get("/registry/users").Body, "otto")
	random := b.Get("/registry/users/4711")
	for _, at := range []string{userPage(i, "otto@example.org"), "/registry/users/x", "/registry/users/-1", "/registry/users/99999999999999999999"} {
		page := b.Get(at)
		require.Equal(t, 404, page.StatusCode, at)
		require.Equal(t, random.Body, page.Body)
		for _, act := range []string{"/role", "/link", "/disable", "/enable", "/end-sessions", "/factor"} {
			require.Equal(t, 404, b.Post(at+act, url.Values{"role": {"admin"}, "practice": {fmt.Sprint(other)}}).StatusCode, at+act)
		}
	}
	leadsTo(t, "/registry", i.Stranger().Post("/sign-in", credentials("otto@example.org", password)))
}

func TestOnlyAnAdminSeesTheUsers(t *testing.T) {
	i := apptest.Start(t)
	at := fmt.Sprintf("/registry/users/%d", addUser(i, i.Practice, olive, auth.Admin))
	for _, role := range []auth.Role{auth.Provider, auth.Scribe, auth.Viewer} {
		b := i.SignIn(i.Practice, role)
		for _, path := range []string{"/registry/users", "/registry/users/invite", "/registry/users/link", at} {
			require.Equal(t, 403, b.Get(path).StatusCode, path)
		}
		for _, path := range []string{"/registry/users", at + "/role", at + "/link", at + "/disable", at + "/enable", at + "/end-sessions", at + "/factor"} {
			require.Equal(t, 403, b.Post(path, url.Values{"email": {"x@example.org"}, "role": {"admin"}}).StatusCode, path)
		}
	}
}

func TestNoAdminResetsAUserOfSeveralPractices(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	other := i.AddPractice("Hillside")
	addUser(i, other, "vera@example.org", auth.Viewer)
	b := signedIn(i, olive)
	leadsTo(t, "/registry/users/link", b.Post("/registry/users", url.Values{"email": {"vera@example.org"}, "role": {"viewer"}}))
	code := find(t, b.Get("/registry/users/link"), `/invite#([A-Z2-7]{26})"`)
	at := userPage(i, "vera@example.org")
	require.Contains(t, b.Get(at).Body, "Invited")
	require.NotContains(t, b.Get(at).Body, "other practices", "before they join they are not known here")
	join(t, signedIn(i, "vera@example.org"), code)
	page := b.Get(at)
	require.Contains(t, page.Body, "belongs to other practices, too")
	require.NotContains(t, page.Body, "reset link")
	for _, act := range []string{"/link", "/factor"} {
		refused := b.Post(at+act, nil)
		require.Equal(t, 422, refused.StatusCode)
		require.Contains(t, refused.Body, "ask the person who runs the registry")
	}
}

func TestAFormOfAnotherSiteChangesNoUser(t *testing.T) {
	i := apptest.Start(t)
	at := fmt.Sprintf("/registry/users/%d", addUser(i, i.Practice, olive, auth.Admin))
	addUser(i, i.Practice, "vera@example.org", auth.Viewer)
	b := signedIn(i, olive)
	form := url.Values{
		"email": {"evil@example.org"}, "role": {"admin"}, "present": {password}, "next": {"a new and longer one"},
		"factor": {password}, "do": {"off"}, "practice": {"1"},
	}.Encode()
	for _, headers := range []map[string]string{
		{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
		{"Sec-Fetch-Site": "same-site"},
		{"Origin": "null"},
		{"Origin": "http://evil.example"},
	} {
		headers["Content-Type"] = "application/x-www-form-urlencoded"
		for _, path := range []string{
			"/registry/users", at + "/role", at + "/link", at + "/disable", at + "/end-sessions", at + "/factor", "/account/password",
			"/account/practice", "/account/factor/start", "/account/factor/change", "/account/sessions/end-others", "/sign-out",
		} {
			page := b.Do("POST", path, strings.NewReader(form), headers)
			require.Equal(t, 403, page.StatusCode, "%s %v", path, headers)
		}
	}
	require.NotContains(t, b.Get("/registry/users").Body, "evil@example.org")
	leadsTo(t, "/registry", i.Stranger().Post("/sign-in", credentials(olive, password)))
}
