package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/store"
)

// ssoClinic starts an installation with an admin, Olive, and a provider named Clinic ID.
func ssoClinic(t *testing.T, domains ...string) (*apptest.Installation, *identityProvider) {
	t.Helper()
	i := apptest.Start(t, withSSO)
	addUser(i, i.Practice, olive, auth.Admin)
	p := newIdentityProvider(t)
	p.listed(i, "Clinic ID", domains...)
	return i, p
}

func TestSSO_2_ConnectsAnAccountOnceAndThenReplacesThePassword(t *testing.T) {
	i, p := ssoClinic(t)
	b := i.Stranger()
	leadsTo(t, "/sign-in", b.Get("/registry/users"))
	require.Contains(t, b.Get("/sign-in").Body, `href="/sign-in/with/clinic-id">Sign in with Clinic ID<`)
	leadsTo(t, "/sign-in/confirm", p.signIn(b, "clinic-id"))
	require.Equal(t, "openid email", p.asked.Get("scope"))
	wrongly := b.Post("/sign-in/confirm", url.Values{"password": {wrong}})
	require.Equal(t, 422, wrongly.StatusCode)
	require.Contains(t, wrongly.Body, "The password is wrong.")
	leadsTo(t, "/sign-in", b.Get("/registry/users"))
	leadsTo(t, "/registry/users", b.Post("/sign-in/confirm", url.Values{"password": {password}}))
	require.Equal(t, 200, b.Get("/registry/users").StatusCode)

	again := i.Stranger()
	leadsTo(t, "/registry", p.signIn(again, "clinic-id"))
	require.Contains(t, again.Get("/registry").Body, "Practice admin")
	leadsTo(t, "/registry", again.Get("/sign-in/with/clinic-id"))
	audit := again.Get("/registry/audit").Body
	require.Contains(t, audit, "Linked an identity provider")
	require.Contains(t, audit, "Signed in")
}

func TestSSOJoinsWithAnInvitationAndNobodyKnowsThePassword(t *testing.T) {
	i, p := ssoClinic(t)
	p.claims = map[string]any{"sub": "ines", "email": "ines@example.org"}
	_, err := i.App.Auth.Invite(auth.Operator(store.Practice{ID: i.Practice}), "ines@example.org", "Ines", auth.Scribe)
	require.NoError(t, err)
	b := i.Stranger()
	leadsTo(t, "/sign-in/confirm", p.signIn(b, "clinic-id"))
	page := b.Get("/sign-in/confirm")
	require.Contains(t, page.Body, "You’re joining Riverside Midwives as scribe")
	leadsTo(t, "/sign-in", b.Get("/registry"))
	form := parsePage(t, page).form()
	other := url.Values{"practice": form["practice"], "role": {"admin"}, "name": {"Ines"}}
	leadsTo(t, "/sign-in/confirm", b.Post("/sign-in/confirm", other))
	leadsTo(t, "/registry", b.Post("/sign-in/confirm", form))
	require.Contains(t, b.Get("/registry").Body, "Scribe")
	require.Equal(t, 422, i.Stranger().Post("/sign-in", credentials("ines@example.org", password)).StatusCode)

	t.Run("an invitation of another practice doesn't set a password", func(t *testing.T) {
		second := i.AddPractice("Hillside")
		link, _, err := i.App.Auth.AddUser(second, "ines@example.org", "", auth.Viewer, "")
		require.NoError(t, err)
		_, err = i.App.Auth.Redeem(t.Context(), auth.LinkUse{Code: link.Code, Password: "an other long password"})
		require.ErrorIs(t, err, auth.ErrHasAccount)
	})
}

// factored turns Olive's second factor on, and returns its secret.
func factored(t *testing.T, i *apptest.Installation) string {
	t.Helper()
	signedIn(i, olive)
	secret := auth.NewSecondFactor()
	who, _, err := i.App.Auth.UserIn(t.Context(), userID(i, olive), i.Practice)
	require.NoError(t, err)
	session := handleOf(i, who)
	for {
		period := time.Now().Truncate(codePeriod)
		code, err := totp.GenerateCode(secret, period.Add(-codePeriod)) // the code of now is left for the test
		require.NoError(t, err)
		_, err = i.App.Auth.EnableSecondFactor(who, secret, code, session)
		if err == nil {
			return secret
		}
		require.NotEqual(t, period, time.Now().Truncate(codePeriod), "the code was not two periods old: %v", err)
	}
}

// codePeriod is how long an app shows a code.
const codePeriod = 30 * time.Second

// present returns the form with the code of now.
func present(t *testing.T, secret string) url.Values {
	t.Helper()
	code, err := totp.GenerateCode(secret, time.Now())
	require.NoError(t, err)
	return url.Values{"code": {code}}
}

func TestSSOStillAsksForTheSecondFactorOfTheAccount(t *testing.T) {
	i, p := ssoClinic(t)
	p.connect(i.Stranger(), "clinic-id")
	secret := factored(t, i)
	b := i.Stranger()
	leadsTo(t, "/sign-in/verify", p.signIn(b, "clinic-id"))
	leadsTo(t, "/sign-in", b.Get("/registry"))
	leadsTo(t, "/registry", b.Post("/sign-in/verify", present(t, secret)))
	require.Equal(t, 200, b.Get("/registry").StatusCode)
}

func TestSSOLinksAnAccountWithASecondFactorOnlyAfterTheCode(t *testing.T) {
	i, p := ssoClinic(t)
	secret := factored(t, i)
	b := i.Stranger()
	leadsTo(t, "/sign-in/confirm", p.signIn(b, "clinic-id"))
	leadsTo(t, "/sign-in/verify", b.Post("/sign-in/confirm", url.Values{"password": {password}}))
	require.Zero(t, linkedSubjects(t, i))
	require.Equal(t, 422, b.Post("/sign-in/verify", url.Values{"code": {"000000"}}).StatusCode)
	require.Zero(t, linkedSubjects(t, i))
	leadsTo(t, "/registry", b.Post("/sign-in/verify", present(t, secret)))
	require.Equal(t, 1, linkedSubjects(t, i))
	require.Contains(t, b.Get("/registry/audit").Body, "Linked an identity provider")
	leadsTo(t, "/sign-in/verify", p.signIn(i.Stranger(), "clinic-id"))
}

// Whoever knew only the password leaves; the owner's code must not link the other's identity.
func TestACodeOfALaterSignInLinksNothing(t *testing.T) {
	i, p := ssoClinic(t)
	secret := factored(t, i)
	b := i.Stranger()
	leadsTo(t, "/sign-in/confirm", p.signIn(b, "clinic-id"))
	leadsTo(t, "/sign-in/verify", b.Post("/sign-in/confirm", url.Values{"password": {password}}))
	leadsTo(t, "/sign-in/verify", b.Post("/sign-in", credentials(olive, password)))
	leadsTo(t, "/registry", b.Post("/sign-in/verify", present(t, secret)))
	require.Zero(t, linkedSubjects(t, i))
}

func TestSSO_1_AttacksOnTheAnswerOfTheProviderSignNobodyIn(t *testing.T) {
	const upstream, state = "The identity provider could not confirm who you are", "This sign-in cannot continue"
	attacks := map[string]struct {
		lie    func(*identityProvider)
		status int
		title  string
	}{
		"a wrong state":   {func(p *identityProvider) { p.answer = func(q url.Values) { q.Set("state", "guessed") } }, 400, state},
		"no state":        {func(p *identityProvider) { p.answer = func(q url.Values) { q.Del("state") } }, 400, state},
		"two states":      {func(p *identityProvider) { p.answer = func(q url.Values) { q.Add("state", "guessed") } }, 400, state},
		"no code":         {func(p *identityProvider) { p.answer = func(q url.Values) { q.Del("code") } }, 400, state},
		"another issuer":  {func(p *identityProvider) { p.answer = func(q url.Values) { q.Set("iss", "https://other.example") } }, 400, state},
		"no issuer":       {func(p *identityProvider) { p.answer = func(q url.Values) { q.Del("iss") } }, 400, state},
		"a refusal":       {func(p *identityProvider) { p.answer = func(q url.Values) { q.Set("error", "access_denied") } }, 403, "The sign-in was canceled"},
		"another's code":  {func(p *identityProvider) { p.answer = func(q url.Values) { q.Set("code", "of-another") } }, 502, upstream},
		"a wrong nonce":   {func(p *identityProvider) { p.claims = map[string]any{"nonce": "other"} }, 502, upstream},
		"no nonce":        {func(p *identityProvider) { p.claims = map[string]any{"nonce": nil} }, 502, upstream},
		"other audience":  {func(p *identityProvider) { p.claims = map[string]any{"aud": "other"} }, 502, upstream},
		"two audiences":   {func(p *identityProvider) { p.claims = map[string]any{"aud": []string{"other", ssoClient}} }, 502, upstream},
		"another party":   {func(p *identityProvider) { p.claims = map[string]any{"azp": "other"} }, 502, upstream},
		"another's token": {func(p *identityProvider) { p.claims = map[string]any{"iss": "https://other.example"} }, 502, upstream},
		"expired":         {func(p *identityProvider) { p.claims = map[string]any{"exp": time.Now().Add(-time.Second).Unix()} }, 502, upstream},
		"never expires":   {func(p *identityProvider) { p.claims = map[string]any{"exp": nil} }, 502, upstream},
		"no subject":      {func(p *identityProvider) { p.claims = map[string]any{"sub": nil} }, 502, upstream},
		"algorithm none":  {func(p *identityProvider) { p.algorithm = "none" }, 502, upstream},
		"HS256 with the public key": {func(p *identityProvider) {
			p.algorithm = "HS256"
		}, 502, upstream},
		"the user information of another": {func(p *identityProvider) {
			p.claims = map[string]any{"email": nil, "email_verified": nil}
			p.userInfo = map[string]any{"sub": "other", "email": olive, "email_verified": true}
		}, 502, upstream},
		"no id_token": {func(p *identityProvider) {
			p.token = func(w http.ResponseWriter) bool {
				writeJSON(w, map[string]any{"access_token": "opaque", "token_type": "Bearer"})
				return true
			}
		}, 502, upstream},
		"an answer without end": {func(p *identityProvider) {
			p.token = func(w http.ResponseWriter) bool {
				writeJSON(w, map[string]any{"access_token": strings.Repeat("a", 1<<20), "token_type": "Bearer"})
				return true
			}
		}, 502, upstream},
	}
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i, p := ssoClinic(t)
			p.connect(i.Stranger(), "clinic-id")
			attack.lie(p)
			b := i.Stranger()
			i.Log.Reset()
			refused(t, i, b, p.signIn(b, "clinic-id"), attack.status, attack.title)
			i.Logs("a sign-in with an identity provider failed")
			require.Contains(t, i.Log.String(), `"provider":1`)
		})
	}
}

func TestSSO_1_TakesEachCallbackOnceAndOnlyInItsBrowser(t *testing.T) {
	i, p := ssoClinic(t)
	p.connect(i.Stranger(), "clinic-id")
	const state = "This sign-in cannot continue"
	b := i.Stranger()
	callback := p.begin(b, "clinic-id")
	other := i.Stranger()
	refused(t, i, other, other.Get(callback), 400, state)
	p.begin(other, "clinic-id")
	refused(t, i, other, other.Get(callback), 400, state)
	require.Equal(t, 405, b.Do("HEAD", callback, nil, nil).StatusCode)
	leadsTo(t, "/registry", b.Get(callback))
	b.Post("/sign-out", nil)
	refused(t, i, b, b.Get(callback), 400, state)
}

func TestSSO_1_CallbacksThatNoSessionWaitsForFillNoLog(t *testing.T) {
	i, p := ssoClinic(t)
	b := i.Stranger()
	p.begin(b, "clinic-id")
	i.Log.Reset()
	for range 20 {
		refused(t, i, b, b.Get("/sign-in/with/clinic-id/callback?state=guessed&code=guessed"), 400, "This sign-in cannot continue")
		require.Equal(t, 400, i.Stranger().Get("/sign-in/with/clinic-id/callback").StatusCode)
	}
	require.Equal(t, 1, strings.Count(i.Log.String(), "a sign-in with an identity provider failed"))
}

func TestSSO_1_MixesUpNoTwoProviders(t *testing.T) {
	i, honest := ssoClinic(t)
	honest.connect(i.Stranger(), "clinic-id")
	rogue := newIdentityProvider(t)
	rogue.settings = map[string]any{"authorization_response_iss_parameter_supported": false}
	rogue.answer = func(q url.Values) { q.Del("iss") }
	rogue.listed(i, "Rogue")

	b := i.Stranger() // the code of the honest provider is sent to the rogue one's address
	callback := honest.begin(b, "clinic-id")
	swapped := strings.Replace(callback, "/clinic-id/", "/rogue/", 1)
	refused(t, i, b, b.Get(swapped), 400, "This sign-in cannot continue")

	b = i.Stranger() // the rogue provider answers with a code of the honest one
	code := honest.begin(i.Stranger(), "clinic-id")
	stolen, err := url.Parse(code)
	require.NoError(t, err)
	rogue.answer = func(q url.Values) {
		q.Set("code", stolen.Query().Get("code"))
		q.Del("iss")
	}
	refused(t, i, b, rogue.signIn(b, "rogue"), 502, "The identity provider could not confirm who you are")

	b = i.Stranger() // the rogue provider has the same subject and vouches for the same address
	rogue.answer = func(q url.Values) { q.Del("iss") }
	leadsTo(t, "/sign-in/confirm", rogue.signIn(b, "rogue"))
	leadsTo(t, "/sign-in", b.Get("/registry"))
	require.Equal(t, 422, b.Post("/sign-in/confirm", url.Values{"password": {wrong}}).StatusCode)
	leadsTo(t, "/sign-in", b.Get("/registry"))
}

// Everybody without an account of their own gets the same answer.
func TestSSO_2_GivesUnknownIdentitiesOnePage(t *testing.T) {
	i, p := ssoClinic(t, "example.org", "elsewhere.example")
	p.connect(i.Stranger(), "clinic-id")
	addUser(i, i.Practice, "vera@example.org", auth.Viewer)
	addUser(i, i.Practice, "otto@other.example", auth.Viewer)
	addUser(i, i.Practice, "dora@example.org", auth.Viewer)
	_, err := i.App.Auth.DisableUser("dora@example.org")
	require.NoError(t, err)
	pages := map[string]string{}
	for name, claims := range map[string]map[string]any{
		"an unknown address":                 {"email": "nobody@example.org"},
		"an address that isn't verified":     {"email": "vera@example.org", "email_verified": false},
		"an address without a statement":     {"email": "vera@example.org", "email_verified": nil},
		"the text true":                      {"email": "vera@example.org", "email_verified": "true"},
		"the number 1":                       {"email": "vera@example.org", "email_verified": 1},
		"a list of addresses":                {"email": []string{"vera@example.org"}},
		"no address":                         {"email": nil},
		"an address of another domain":       {"email": "otto@other.example"},
		"a disabled account":                 {"email": "dora@example.org"},
		"an account with another subject":    {"email": olive},
		"an address with two domains":        {"email": "vera@example.org@elsewhere.example"},
		"claims that differ in case only":    {"email": nil, "Email": "vera@example.org", "Email_Verified": true},
		"an address in the subject's place":  {"sub": "vera@example.org", "email": nil},
		"a verified address of other casing": {"email": nil, "EMAIL": "vera@example.org"},
	} {
		claims["sub"] = "new subject"
		p.claims, p.userInfo = claims, map[string]any{"sub": "new subject"}
		b := i.Stranger()
		answer := p.signIn(b, "clinic-id")
		refused(t, i, b, answer, 403, "Ask an admin of your practice for an invitation")
		pages[answer.Body] = name
	}
	require.Len(t, pages, 1, "the pages differ: %v", pages)
	require.Equal(t, 1, linkedSubjects(t, i))
}

func TestSSO_2_KeepsASubjectAtItsAccountWhateverItsAddressBecomes(t *testing.T) {
	i, p := ssoClinic(t)
	p.connect(i.Stranger(), "clinic-id")
	addUser(i, i.Practice, "vera@example.org", auth.Viewer)
	for _, claims := range []map[string]any{{"email": "vera@example.org"}, {"email": "new@example.org"}, {"email_verified": false}} {
		p.claims = claims
		b := i.Stranger()
		leadsTo(t, "/registry", p.signIn(b, "clinic-id"))
		require.Contains(t, b.Get("/account").Body, olive)
	}
	require.Equal(t, 1, linkedSubjects(t, i))
	_, err := i.App.Auth.DisableUser(olive)
	require.NoError(t, err)
	p.claims = map[string]any{"email": "vera@example.org"}
	b := i.Stranger()
	refused(t, i, b, p.signIn(b, "clinic-id"), 403, "Ask an admin of your practice for an invitation")
}

func TestSSO_1_RefusesAProviderThatDescribesAnotherIssuerOrAPrivateAddress(t *testing.T) {
	i, p := ssoClinic(t)
	for name, lie := range map[string]func(){
		"another issuer":         func() { p.issuer = "https://other.example" },
		"a private address":      func() { p.settings = map[string]any{"token_endpoint": "https://10.0.0.1/token"} },
		"an address without TLS": func() { p.settings = map[string]any{"authorization_endpoint": "http://other.example/authorize"} },
		"no keys":                func() { p.settings = map[string]any{"jwks_uri": ""} },
	} {
		p.issuer, p.settings = p.URL, nil
		lie()
		p.listed(i, "Clinic ID") // forgets the former description
		b := i.Stranger()
		answer := b.Get("/sign-in/with/clinic-id")
		if answer.StatusCode == 302 { // the address is dialed with the code only
			answer = b.Get(p.visited(answer.Header.Get("Location")))
		}
		refused(t, i, b, answer, 502, "The identity provider could not confirm who you are")
		require.Contains(t, answer.Body, "upport code", name)
	}
}

func TestSSOIsNotOfferedWithoutAProvider(t *testing.T) {
	i := apptest.Start(t)
	b := i.Stranger()
	require.NotContains(t, b.Get("/sign-in").Body, "Sign in with")
	require.Equal(t, 404, b.Get("/sign-in/with/clinic-id").StatusCode)
	leadsTo(t, "/sign-in", b.Get("/sign-in/confirm"))
	leadsTo(t, "/sign-in", b.Post("/sign-in/confirm", url.Values{"password": {password}}))
	require.Nil(t, sessionOf(b.Get("/sign-in/with/clinic-id")), "visitors without a provider write nothing")
}

func TestSSOWorksAfterTheKeyOfTheDatabaseIsRotated(t *testing.T) {
	i, p := ssoClinic(t)
	p.connect(i.Stranger(), "clinic-id")
	_, err := i.App.RotateKey(t.Context(), func(int, int) {})
	require.NoError(t, err)
	leadsTo(t, "/registry", p.signIn(i.Stranger(), "clinic-id"))
}

func TestSSOUnlinkedAccountsAreLinkedAgainWithThePassword(t *testing.T) {
	i, p := ssoClinic(t)
	b := i.Stranger()
	p.connect(b, "clinic-id")
	require.NoError(t, i.App.Auth.UnlinkIdentities(olive))
	leadsTo(t, "/sign-in", b.Get("/registry"))
	p.claims = map[string]any{"sub": "new subject"}
	p.connect(i.Stranger(), "clinic-id")
	p.claims = nil
	b = i.Stranger()
	refused(t, i, b, p.signIn(b, "clinic-id"), 403, "Ask an admin of your practice for an invitation")
}

// A birth that was typed after the session had ended is there after the sign-in.
func TestSSOKeepsWhatWasTypedBeforeTheSignIn(t *testing.T) {
	i, p := ssoClinic(t)
	b := i.Stranger()
	p.connect(b, "clinic-id")
	form := openForm(t, b, birthOf("Okonkwo"))
	b.Post("/sign-out", nil)
	leadsTo(t, "/sign-in", b.Post("/registry/capture", form))
	leadsTo(t, "/registry/capture", p.signIn(b, "clinic-id"))
	require.Contains(t, b.Get("/registry/capture").Body, "Okonkwo")
}
