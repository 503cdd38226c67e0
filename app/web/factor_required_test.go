package web_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/web"
	"birthregistry/store"
)

const secondFactorPath = "/account/second-factor"

// requireFactor makes the practice require a second factor, as the operator.
func requireFactor(t *testing.T, i *apptest.Installation, p store.PracticeID) {
	t.Helper()
	require.NoError(t, i.App.Auth.RequireSecondFactor(auth.Operator(store.Practice{ID: p}), true))
}

// whileSettingUp lists the routes that a user without a required second factor may use: those of
// the practice that set one up, and those that need no user.
var whileSettingUp = []string{
	"GET /account/second-factor", "POST /account/factor/start", "GET /account/factor", "POST /account/factor",
	"POST /account/passkeys/options", "POST /account/passkeys", "POST /account/practice",
	"GET /", "GET /sign-in", "POST /sign-in", "GET /sign-in/verify", "POST /sign-in/verify", "POST /sign-out",
	"GET /sign-in/with/:sso", "GET /sign-in/with/:sso/callback", "GET /sign-in/confirm", "POST /sign-in/confirm",
	"POST /sign-in/passkey/options", "POST /sign-in/passkey", "POST /sign-in/verify/passkey/options", "POST /sign-in/verify/passkey",
	"GET /setup", "POST /setup", "GET /invite", "POST /invite", "GET /reset", "POST /reset",
	"GET /docs", "GET /docs/:page", "GET /docs/samples/:sample", "GET /assets/:file",
	"GET /openapi.json", "GET /health/json", "GET /health/live", "GET /health/ready",
	"GET /smart/launch", "GET /smart/callback", "GET /smart/jwks.json",
}

func TestAUserWithoutARequiredSecondFactorReachesNothingElseOfThePractice(t *testing.T) {
	i := apptest.Start(t)
	requireFactor(t, i, i.Practice)
	named := regexp.MustCompile(`:[a-z]+`)
	var reached []string
	for _, route := range web.RoutePaths() {
		if strings.HasPrefix(route.Path, "/api/") {
			continue // keys aren't affected
		}
		b := i.SignIn(i.Practice, auth.Admin)
		path := named.ReplaceAllString(route.Path, "1")
		var page apptest.Page
		if route.Method == "POST" {
			page = b.Post(path, nil)
		} else {
			page = b.Get(path)
		}
		if page.StatusCode != 303 || page.Header.Get("Location") != secondFactorPath {
			reached = append(reached, route.Method+" "+route.Path)
		}
	}
	require.ElementsMatch(t, whileSettingUp, reached)
}

func TestARequiredSecondFactorIsSetUpBeforeThePageThatWasAskedFor(t *testing.T) {
	for name, setUp := range map[string]func(t *testing.T, b *apptest.Browser){
		"an authenticator app": func(t *testing.T, b *apptest.Browser) {
			require.Equal(t, 422, b.Post("/account/factor/start", url.Values{"factor": {wrong}}).StatusCode)
			leadsTo(t, "/account/factor", b.Post("/account/factor/start", url.Values{"factor": {password}}))
			code, err := totp.GenerateCode(find(t, b.Get("/account/factor"), `value="([A-Z2-7]{32})"`), time.Now())
			require.NoError(t, err)
			leadsTo(t, "/account/codes", b.Post("/account/factor", url.Values{"code": {code}}))
		},
		"a passkey": func(t *testing.T, b *apptest.Browser) {
			leadsTo(t, "/account/codes", addPasskey(t, b, newDevice(t), "Phone"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			i := named(t)
			addUser(i, i.Practice, olive, auth.Viewer)
			requireFactor(t, i, i.Practice)
			b := i.Stranger()
			leadsTo(t, "/sign-in", b.Get("/registry/records?sort=birth"))
			leadsTo(t, "/registry/records?sort=birth", b.Post("/sign-in", credentials(olive, password)))
			leadsTo(t, secondFactorPath, b.Get("/registry/records?sort=birth"))
			require.Contains(t, b.Get(secondFactorPath).Body, "Everybody at Riverside Midwives needs one.")
			setUp(t, b)
			require.Contains(t, b.Get("/account/codes").Body, `href="/registry/records?sort=birth">Continue<`)
			require.Equal(t, 200, b.Get("/registry/records?sort=birth").StatusCode)
			leadsTo(t, "/account", b.Get(secondFactorPath))
		})
	}
}

func TestARequirementTakesEffectWithTheNextRequestAndInItsPracticeOnly(t *testing.T) {
	i := apptest.Start(t)
	second := i.AddPractice("Hillside")
	b := i.SignIn(i.Practice, auth.Viewer)
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error { return tx.AddMembership(second, b.User, string(auth.Viewer)) }))
	require.Equal(t, 200, b.Get("/registry").StatusCode)
	requireFactor(t, i, i.Practice)
	leadsTo(t, secondFactorPath, b.Get("/registry"))
	leadsTo(t, "/registry", b.Post("/account/practice", url.Values{"practice": {fmt.Sprint(second)}}))
	require.Equal(t, 200, b.Get("/registry").StatusCode)
	require.Equal(t, 202, i.Post(birth).StatusCode, "an API key")
}

func TestABirthThatWasTypedBeforeASecondFactorWasRequiredIsKept(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	form := openForm(t, b, birthOf("Okonkwo"))
	requireFactor(t, i, i.Practice)
	leadsTo(t, secondFactorPath, b.Post("/registry/capture", form))
	require.Contains(t, b.Get(secondFactorPath).Body, "What you typed is kept. Set up a second factor first; then “Continue” leads back to the form.")
	setUpApp(t, b)
	require.Contains(t, b.Get("/account/codes").Body, `href="/registry/capture">Continue<`)
	again := b.Get("/registry/capture").Body
	require.Contains(t, again, "Okonkwo")
	require.Contains(t, again, "Here is what you typed before you had to leave the form.")
	require.NotContains(t, again, "session ended")
}

// setUpApp sets up an authenticator app for the browser's user.
func setUpApp(t *testing.T, b *apptest.Browser) {
	t.Helper()
	leadsTo(t, "/account/factor", b.Post("/account/factor/start", url.Values{"factor": {password}}))
	code, err := totp.GenerateCode(find(t, b.Get("/account/factor"), `value="([A-Z2-7]{32})"`), time.Now())
	require.NoError(t, err)
	leadsTo(t, "/account/codes", b.Post("/account/factor", url.Values{"code": {code}}))
}

func TestTheScriptOfTheFormLearnsThatASecondFactorIsRequiredOrThatTheSessionHasEnded(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	path, form := draftOf(t, b, birthOf("Okonkwo"))
	form.Set("do", "keep")
	keep := func() apptest.Page {
		return b.Do("POST", path, strings.NewReader(form.Encode()), map[string]string{
			"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json", "Sec-Fetch-Site": "same-origin",
		})
	}
	form.Set("gravida", "3")
	requireFactor(t, i, i.Practice)
	answer := keep()
	require.Equal(t, 401, answer.StatusCode)
	require.Contains(t, answer.Body, "Your practice now requires a second factor. What you typed is kept")
	setUpApp(t, b)
	answer = keep()
	require.Equal(t, 200, answer.StatusCode, "the page goes on saving")
	_, err := i.App.Auth.EndUserSessions(olive)
	require.NoError(t, err)
	answer = keep()
	require.Equal(t, 401, answer.StatusCode)
	require.Contains(t, answer.Body, "Your session has ended. What you typed is kept")
}

func TestContinueAfterASecondFactorLeadsToNoDownload(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	requireFactor(t, i, i.Practice)
	leadsTo(t, secondFactorPath, b.Get("/registry/statistics"))
	leadsTo(t, secondFactorPath, b.Get("/registry/statistics/export"))
	setUpApp(t, b)
	require.Contains(t, b.Get("/account/codes").Body, `href="/registry/statistics">Continue<`)
}

func TestAnIdentityProviderVouchesForItsUsersWhereASecondFactorIsRequired(t *testing.T) {
	i, p := ssoClinic(t)
	b := i.Stranger()
	leadsTo(t, "/sign-in/confirm", p.signIn(b, "clinic-id"))
	leadsTo(t, "/registry", b.Post("/sign-in/confirm", url.Values{"password": {password}}))
	requireFactor(t, i, i.Practice)
	require.Equal(t, 200, b.Get("/registry").StatusCode)
	leadsTo(t, secondFactorPath, signedIn(i, olive).Get("/registry"))
}

func TestAnAdminRequiresASecondFactorOnlyWithTheirOwn(t *testing.T) {
	const path = "/registry/settings/second-factor"
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	addUser(i, i.Practice, "vera@example.org", auth.Viewer)
	b := signedIn(i, olive)
	require.Contains(t, b.Get("/registry/settings").Body, `<a href="/registry/settings/second-factor">change</a>`)
	require.Contains(t, b.Get(path).Body, "2 of 2 people here have none.")
	require.Contains(t, b.Get(path).Body, "Otherwise you could do nothing else in this practice until you have one.")
	page := b.Post(path, url.Values{"do": {"require"}, "password": {password}})
	require.Equal(t, 422, page.StatusCode)
	require.Contains(t, page.Body, "You have no second factor yourself")

	secret := factored(t, i)
	b = i.Stranger()
	b.Post("/sign-in", credentials(olive, password))
	code := func(at time.Time) string {
		code, err := totp.GenerateCode(secret, at)
		require.NoError(t, err)
		return code
	}
	leadsTo(t, "/registry", b.Post("/sign-in/verify", url.Values{"code": {code(time.Now())}}))
	require.Contains(t, b.Get(path).Body, "1 of 2 people here has none.")
	require.Equal(t, 422, b.Post(path, url.Values{"do": {"require"}, "password": {password}, "code": {"000000"}}).StatusCode)
	leadsTo(t, path, b.Post(path, url.Values{"do": {"require"}, "password": {password}, "code": {code(time.Now().Add(30 * time.Second))}}))
	require.Contains(t, b.Get("/registry/settings").Body, "Required of everybody")
	require.Contains(t, b.Get("/registry/audit").Body, "Required a second factor of everybody")
	leadsTo(t, secondFactorPath, signedIn(i, "vera@example.org").Get("/registry"))
	require.Equal(t, 403, i.SignIn(practiceWith(t, i, true, true), auth.Provider).Get(path).StatusCode)
}
