package web_test

import (
	"errors"
	"io"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/auth/authtest"
	"birthregistry/store"
)

const passkeyOrigin = "http://births.example.org"

// named starts an installation whose address has a name, as passkeys need.
func named(t *testing.T) *apptest.Installation {
	t.Helper()
	return apptest.Start(t, func(c *app.Config) { c.Web.BaseURL = passkeyOrigin })
}

func newDevice(t *testing.T) *authtest.Authenticator {
	t.Helper()
	d, err := authtest.NewAuthenticator(passkeyOrigin, "births.example.org")
	require.NoError(t, err)
	return d
}

// offered returns the options that a page's script gets.
func offered(t *testing.T, page apptest.Page) []byte {
	t.Helper()
	require.Equal(t, 200, page.StatusCode, page.Body)
	require.Equal(t, "application/json", page.Header.Get("Content-Type"))
	require.Equal(t, "no-store", page.Header.Get("Cache-Control"))
	var answer struct {
		Options jsontext.Value `json:"options"`
	}
	require.NoError(t, json.Unmarshal([]byte(page.Body), &answer))
	return answer.Options
}

// problem returns the sentence that a page's script shows.
func problem(t *testing.T, page apptest.Page) string {
	t.Helper()
	require.Equal(t, 422, page.StatusCode, page.Body)
	var answer struct {
		Problem string `json:"problem"`
	}
	require.NoError(t, json.Unmarshal([]byte(page.Body), &answer))
	return answer.Problem
}

func credential(answer []byte, err error) url.Values {
	if err != nil {
		panic(err)
	}
	return url.Values{"credential": {string(answer)}}
}

// addPasskey adds a device's passkey on the account page.
func addPasskey(t *testing.T, b *apptest.Browser, d *authtest.Authenticator, name string) apptest.Page {
	t.Helper()
	options := offered(t, b.Post("/account/passkeys/options", url.Values{"passkey": {name}, "passkey-password": {password}}))
	return b.Post("/account/passkeys", credential(d.Create(options)))
}

func signInWith(t *testing.T, b *apptest.Browser, d *authtest.Authenticator) apptest.Page {
	t.Helper()
	return b.Post("/sign-in/passkey", credential(d.Get(offered(t, b.Post("/sign-in/passkey/options", nil)))))
}

func TestAPasskeyIsAddedUsedAndDeletedOnThePages(t *testing.T) {
	const remove = "/account/passkeys/1/delete"
	i, d := named(t), newDevice(t)
	addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	require.Contains(t, b.Get("/account").Body, `data-origin="`+passkeyOrigin+`"`)
	require.Contains(t, b.Get("/account").Body, "<noscript><p>To add a passkey, turn on JavaScript in your browser.</p></noscript>")
	require.Equal(t, "The name of the passkey must have 1 to 60 printable characters.",
		problem(t, b.Post("/account/passkeys/options", url.Values{"passkey-password": {password}})))
	require.Equal(t, "The password is wrong.", problem(t, b.Post("/account/passkeys/options", url.Values{"passkey": {"Phone"}, "passkey-password": {wrong}})))
	leadsTo(t, "/account/codes", addPasskey(t, b, d, "<My phone>"))
	codes := regexp.MustCompile(`[A-Z2-7]{4}(-[A-Z2-7]{4}){3}`).FindAllString(b.Get("/account/codes").Body, -1)
	require.Len(t, codes, 10)
	account := b.Get("/account").Body
	require.Contains(t, account, "&lt;My phone&gt;")
	require.Contains(t, account, "10 recovery codes are left.")
	require.Contains(t, b.Get("/registry/users").Body, `<td data-label="Second factor">1 passkey</td>`)
	addUser(i, i.Practice, "vera@example.org", auth.Admin)
	vera := signedIn(i, "vera@example.org")
	require.Equal(t, 404, vera.Get(remove).StatusCode, "it is Olive's own")
	require.Equal(t, 404, vera.Post(remove, url.Values{"password": {password}}).StatusCode)
	b.Post("/sign-out", nil)

	leadsTo(t, "/sign-in", b.Get("/registry/users"))
	leadsTo(t, "/registry/users", signInWith(t, b, d))
	require.Equal(t, 200, b.Get("/registry/users").StatusCode)
	require.Contains(t, b.Get("/registry/audit").Body, "Signed in with a passkey")

	require.Contains(t, b.Get(remove).Body, "your recovery codes no longer work")
	require.Equal(t, 422, b.Post(remove, url.Values{"password": {wrong}}).StatusCode)
	require.Contains(t, b.Post(remove, url.Values{"password": {password}}).Body, "The code is not right")
	require.Contains(t, b.Post(remove, url.Values{"password": {password}, "code": {codes[0][1:]}}).Body, "The code is not right")
	more := url.Values{"passkey": {"Tablet"}, "passkey-password": {password}}
	require.Contains(t, problem(t, b.Post("/account/passkeys/options", more)), "The code is not right")
	more.Set("passkey-code", codes[0])
	offered(t, b.Post("/account/passkeys/options", more))
	leadsTo(t, "/account", b.Post(remove, url.Values{"password": {password}, "code": {codes[1]}}))
	require.Equal(t, 404, b.Get(remove).StatusCode)
	b.Post("/sign-out", nil)
	page := signInWith(t, b, d)
	require.Equal(t, 422, page.StatusCode)
	require.Contains(t, page.Body, "The passkey was not accepted; try again, or sign in another way.")
	leadsTo(t, "/sign-in", b.Get("/registry"))
	leadsTo(t, "/registry", b.Post("/sign-in", credentials(olive, password)))
}

func TestAPasskeyConfirmsThePassword(t *testing.T) {
	i, d := named(t), newDevice(t)
	addUser(i, i.Practice, olive, auth.Admin)
	addPasskey(t, signedIn(i, olive), d, "Phone")
	b := i.Stranger()
	b.Get("/registry/users")
	leadsTo(t, "/sign-in/verify", b.Post("/sign-in", credentials(olive, password)))
	leadsTo(t, "/sign-in", b.Get("/registry/users"))
	page := b.Get("/sign-in/verify")
	require.Contains(t, page.Body, "<h1>Use your passkey</h1>")
	require.NotContains(t, page.Body, `name="code"`, "there is no app")
	empty := b.Post("/sign-in/verify", url.Values{"recovery": {""}})
	require.Equal(t, 422, empty.StatusCode)
	stranger := newDevice(t)
	stranger.Handle = d.Handle
	answer := credential(stranger.Get(offered(t, b.Post("/sign-in/verify/passkey/options", nil))))
	require.Equal(t, 422, b.Post("/sign-in/verify/passkey", answer).StatusCode)
	answer = credential(d.Get(offered(t, b.Post("/sign-in/verify/passkey/options", nil))))
	leadsTo(t, "/registry/users", b.Post("/sign-in/verify/passkey", answer))
	require.Equal(t, 404, i.Stranger().Post("/sign-in/verify/passkey/options", nil).StatusCode, "nobody has entered a password")
	leadsTo(t, "/sign-in", i.Stranger().Post("/sign-in/verify/passkey", answer))
}

// Each refusal is the same sentence, and nobody is signed in afterward.
func TestAWrongPasskeySignsNobodyIn(t *testing.T) {
	i, d := named(t), newDevice(t)
	addUser(i, i.Practice, olive, auth.Admin)
	addUser(i, i.Practice, "vera@example.org", auth.Viewer)
	addPasskey(t, signedIn(i, olive), d, "Phone")
	other := newDevice(t)
	addPasskey(t, signedIn(i, "vera@example.org"), other, "Phone")
	changed := func(change func(*authtest.Authenticator)) func(*apptest.Browser) apptest.Page {
		return func(b *apptest.Browser) apptest.Page {
			bad := *d
			change(&bad)
			return signInWith(t, b, &bad)
		}
	}
	attempts := []struct {
		name string
		try  func(*apptest.Browser) apptest.Page
	}{
		{"a wrong challenge", changed(func(d *authtest.Authenticator) { d.Challenge = "d3Jvbmcgd3Jvbmcgd3Jvbmcgd3Jvbmcgd3Jvbmcgd3I" })},
		{"a wrong origin", changed(func(d *authtest.Authenticator) { d.Origin = "http://births.example.com" })},
		{"a missing user verification", changed(func(d *authtest.Authenticator) { d.Unverified = true })},
		{"another user's credential", changed(func(d *authtest.Authenticator) { d.Credential = other.Credential })},
		{"another user's handle", changed(func(d *authtest.Authenticator) { d.Handle = other.Handle })},
		{"an unknown credential", changed(func(d *authtest.Authenticator) { d.Credential = make([]byte, 32) })},
		{"no challenge", func(b *apptest.Browser) apptest.Page {
			return b.Post("/sign-in/passkey", credential(d.Get(offered(t, i.Stranger().Post("/sign-in/passkey/options", nil)))))
		}},
		{"a used challenge", func(b *apptest.Browser) apptest.Page {
			answer := credential(d.Get(offered(t, b.Post("/sign-in/passkey/options", nil))))
			leadsTo(t, "/registry", b.Post("/sign-in/passkey", answer))
			b.Post("/sign-out", nil)
			return b.Post("/sign-in/passkey", answer)
		}},
		{"a challenge after a wrong answer", func(b *apptest.Browser) apptest.Page {
			answer := credential(d.Get(offered(t, b.Post("/sign-in/passkey/options", nil))))
			require.Equal(t, 422, b.Post("/sign-in/passkey", url.Values{"credential": {"{}"}}).StatusCode)
			return b.Post("/sign-in/passkey", answer)
		}},
		{"a lowered counter", func(b *apptest.Browser) apptest.Page {
			d.Count = 8
			leadsTo(t, "/registry", signInWith(t, b, d))
			b.Post("/sign-out", nil)
			d.Count = 1
			return signInWith(t, b, d)
		}},
		{"a disabled account", func(b *apptest.Browser) apptest.Page {
			_, err := i.App.Auth.DisableUser(olive)
			require.NoError(t, err)
			d.Count = 20
			return signInWith(t, b, d)
		}},
	}
	for _, attempt := range attempts {
		b := i.Stranger()
		page := attempt.try(b)
		require.Equal(t, 422, page.StatusCode, attempt.name)
		require.Contains(t, page.Body, "The passkey was not accepted; try again, or sign in another way.", attempt.name)
		leadsTo(t, "/sign-in", b.Get("/registry"))
	}
	require.NotContains(t, i.Log.String(), "Phone")
}

func TestTheScriptOfASignInIsLimitedByAddress(t *testing.T) {
	i := apptest.Start(t, func(c *app.Config) { c.Web.BaseURL, c.Web.AnonymousRateLimit = passkeyOrigin, 3 })
	for range 3 {
		offered(t, i.Stranger().Post("/sign-in/passkey/options", nil))
	}
	require.Equal(t, 429, i.Stranger().Post("/sign-in/passkey/options", nil).StatusCode)
}

func TestANumericAddressOffersNoPasskeys(t *testing.T) {
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Admin)
	require.NotContains(t, i.Stranger().Get("/sign-in").Body, "passkey")
	b := signedIn(i, olive)
	require.Contains(t, b.Get("/account").Body, "Passkeys work only at an https address with a name")
	require.Equal(t, "Passkeys need an address with a name, such as births.example.org, and https.",
		problem(t, b.Post("/account/passkeys/options", url.Values{"passkey": {"Phone"}, "passkey-password": {password}})))
}

// late is a body that arrives after something else has happened.
type late struct {
	io.Reader
	happens func()
}

func (l late) Read(p []byte) (int, error) {
	l.happens()
	return l.Reader.Read(p)
}

// postLate sends a form whose body arrives after something else has happened: the server has read
// the session before that.
func postLate(b *apptest.Browser, path string, form url.Values, happens func()) apptest.Page {
	return b.Do("POST", path, late{strings.NewReader(form.Encode()), sync.OnceFunc(happens)}, map[string]string{
		"Content-Type": "application/x-www-form-urlencoded", "Expect": "100-continue",
	})
}

func TestAFormThatArrivesAfterTheAccountWasRepairedAddsNoPasskey(t *testing.T) {
	i, d := named(t), newDevice(t)
	user := addUser(i, i.Practice, olive, auth.Admin)
	b := signedIn(i, olive)
	options := offered(t, b.Post("/account/passkeys/options", url.Values{"passkey": {"Phone"}, "passkey-password": {password}}))
	page := postLate(b, "/account/passkeys", credential(d.Create(options)), func() {
		_, err := i.App.Auth.AccountLink(olive, auth.ResetOptions{SecondFactor: true})
		assert.NoError(t, err)
	})
	leadsTo(t, "/sign-in", page)
	leadsTo(t, "/sign-in", b.Get("/account"))
	all, err := i.App.Auth.Passkeys(t.Context(), user)
	require.NoError(t, err)
	require.Empty(t, all)
	require.Equal(t, 422, signInWith(t, i.Stranger(), d).StatusCode)
}

// The second request has read the session before the first has used up its challenge.
func TestOfTwoAnswersAtTheSameTimeToAPasskeysChallengeOneCounts(t *testing.T) {
	for name, first := range map[string]struct {
		credential func([]byte) url.Values
		signIns    int
	}{
		"a right one and its copy":    {func(right []byte) url.Values { return credential(right, nil) }, 1},
		"a wrong one and a right one": {func([]byte) url.Values { return url.Values{"credential": {"{}"}} }, 0},
	} {
		for _, path := range []string{"/sign-in/passkey", "/sign-in/verify/passkey"} {
			t.Run(name+" at "+path, func(t *testing.T) {
				i, d := named(t), newDevice(t)
				addUser(i, i.Practice, olive, auth.Admin)
				addPasskey(t, signedIn(i, olive), d, "Phone")
				b := i.Stranger()
				leadsTo(t, "/sign-in/verify", b.Post("/sign-in", credentials(olive, password)))
				right, err := d.Get(offered(t, b.Post(path+"/options", nil)))
				require.NoError(t, err)
				page := postLate(b, path, credential(right, nil), func() { b.Post(path, first.credential(right)) })
				leadsTo(t, "/sign-in", page)
				signIns := 0
				require.NoError(t, i.App.DB.View(t.Context(), func(v *store.View) error {
					return v.Trail(func(row store.Audit) error {
						if row.Action == "user.passkey-sign-in" {
							signIns++
						}
						return nil
					})
				}))
				require.Equal(t, first.signIns, signIns)
			})
		}
	}
}

func TestAPasskeyOfAPracticeThatRequiresAProviderNamesIt(t *testing.T) {
	i, d := named(t), newDevice(t)
	addUser(i, i.Practice, olive, auth.Admin)
	addPasskey(t, signedIn(i, olive), d, "Phone")
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error {
		provider, _, err := tx.PutSSOProvider(store.SSOProvider{Name: "Clinic", Slug: "clinic", Issuer: "https://id.example.org", ClientID: "registry"})
		return errors.Join(err, tx.SetSSOOnly(i.Practice, provider))
	}))
	b := i.Stranger()
	page := signInWith(t, b, d)
	require.Equal(t, 422, page.StatusCode)
	require.Contains(t, page.Body, "Your practice requires that you sign in with Clinic; use the button “Sign in with Clinic”.")
	require.NotContains(t, page.Body, "The passkey was not accepted")
	leadsTo(t, "/sign-in", b.Get("/registry"))
}

func TestAResetSaysThatPasskeysRemainAndCanDeleteThem(t *testing.T) {
	i, d := named(t), newDevice(t)
	addUser(i, i.Practice, olive, auth.Admin)
	addPasskey(t, signedIn(i, olive), d, "Phone")
	reset := func(b *apptest.Browser, more url.Values) apptest.Page {
		link, err := i.App.Auth.AccountLink(olive, auth.ResetOptions{})
		require.NoError(t, err)
		require.Contains(t, b.Post("/reset", url.Values{"code": {link.Code}}).Body, "Delete my passkeys")
		more.Set("code", link.Code)
		more.Set("password", "otter lantern quilt seven")
		return b.Post("/reset", more)
	}
	b := i.Stranger()
	leadsTo(t, "/sign-in", reset(b, url.Values{}))
	require.Contains(t, b.Get("/sign-in").Body, "Your account also has 1 passkey for signing in")
	leadsTo(t, "/account#passkeys", signInWith(t, b, d))

	only := reset(i.Stranger(), url.Values{"passkeys": {"yes"}})
	require.Equal(t, 422, only.StatusCode)
	require.Contains(t, only.Body, "Your passkeys are your only second factor")
	require.Equal(t, 303, signInWith(t, i.Stranger(), d).StatusCode)

	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error { return tx.SetTOTP(userID(i, olive), []byte("an app"), 0) }))
	b = i.Stranger()
	leadsTo(t, "/sign-in", reset(b, url.Values{"passkeys": {"yes"}}))
	require.NotContains(t, b.Get("/sign-in").Body, "of your account can sign in")
	require.Equal(t, 422, signInWith(t, i.Stranger(), d).StatusCode)
}
