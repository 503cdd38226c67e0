package web_test

import (
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/web"
	"birthregistry/store"
)

const yourPassword = "Your password"

// stepUpForm is a form of the pages of API keys and users.
type stepUpForm struct {
	path   string
	fields url.Values
	field  string // of the password, "" if the form doesn't ask
	typed  string // what the page still shows when the form asks
}

// confirming is a practice with what the forms of keys and users act on.
type confirming struct {
	*apptest.Installation
	p              store.PracticeID
	hash           string
	user, disabled string
	key            string
}

func newConfirming(t *testing.T) *confirming {
	i := apptest.Start(t)
	f := &confirming{Installation: i, p: i.Practice}
	addUser(i, i.Practice, olive, auth.Admin)
	require.NoError(t, i.App.DB.View(t.Context(), func(v *store.View) error {
		u, err := v.UserByEmail(olive)
		f.hash = u.Password
		return err
	}))
	addUser(i, i.Practice, "vera@example.org", auth.Viewer)
	addUser(i, i.Practice, "dora@example.org", auth.Viewer)
	f.user, f.disabled = userPage(i, "vera@example.org"), userPage(i, "dora@example.org")
	require.Equal(t, 303, signedIn(i, olive).Post(f.disabled+"/disable", nil).StatusCode)
	f.key = fmt.Sprintf("/registry/settings/keys/%d", keysOf(t, i, i.Practice)[0].ID)
	return f
}

// admin signs in an admin who last proved who they are this long ago.
func (f *confirming) admin(ago time.Duration) *apptest.Browser {
	return f.SignInAt(f.p, auth.Admin, f.hash, time.Now().Add(-ago))
}

func (f *confirming) forms() []stepUpForm {
	return []stepUpForm{
		{"/registry/settings/keys", url.Values{"label": {"Ward 7"}, "scope": {"ingest:read"}}, "password", `value="Ward 7"`},
		{f.key + "/webhook", url.Values{"address": {"https://ehr.example.org/hooks"}}, "password", `value="https://ehr.example.org/hooks"`},
		{"/registry/users", url.Values{"email": {"sam@example.org"}, "name": {"Sam Scribe"}, "role": {"scribe"}}, "password", `value="Sam Scribe"`},
		{f.user + "/role", url.Values{"role": {"scribe"}}, "role-password", `value="scribe" type="radio" checked`},
		{f.user + "/role", url.Values{"role": {"provider"}}, "role-password", `value="provider" type="radio" checked`},
		{f.user + "/link", nil, "password", "vera@example.org"},
		{f.user + "/factor", nil, "password", "vera@example.org"},
		{f.disabled + "/enable", nil, "password", "dora@example.org"},
		{f.key + "/webhook/again", url.Values{"ingestion": {"none"}}, "", ""},
		{f.key + "/webhook/off", nil, "", ""},
		{f.key + "/revoke", nil, "", ""},
		{f.user + "/role", url.Values{"role": {"viewer"}}, "", ""},
		{f.user + "/end-sessions", nil, "", ""},
		{f.user + "/disable", nil, "", ""},
	}
}

// trail returns the actions in the practice's trail, newest first.
func (f *confirming) trail(t *testing.T) (actions []string) {
	require.NoError(t, f.App.DB.View(t.Context(), func(v *store.View) error {
		entries, err := v.Audits(f.p, store.AuditFilter{}, 0, false, 1000)
		for _, e := range entries {
			actions = append(actions, e.Action)
		}
		return err
	}))
	return actions
}

func TestFormsOfKeysAndUsersThatGiveAccessAskWhoOneIsAndThoseThatEndAccessDoNot(t *testing.T) {
	f := newConfirming(t)
	before := f.trail(t)
	for _, form := range f.forms() {
		if form.field == "" {
			continue
		}
		for name, b := range map[string]*apptest.Browser{"five minutes": f.admin(auth.ConfirmedFor), "a clock set back": f.admin(-time.Minute), "half a day": f.admin(12 * time.Hour)} {
			page := b.Post(form.path, form.fields)
			require.Equal(t, 422, page.StatusCode, form.path+" after "+name)
			require.Contains(t, page.Body, "Enter your password.", form.path)
			require.Contains(t, page.Body, `name="`+form.field+`"`, form.path)
			require.Contains(t, page.Body, form.typed, "what was typed stays")
		}
	}
	require.Equal(t, before, f.trail(t), "nothing was done")
	require.NotContains(t, before, "user.confirm-failed")
	for _, form := range f.forms() {
		b := f.admin(auth.ConfirmedFor)
		if form.field != "" {
			b = f.admin(auth.ConfirmedFor - time.Minute)
		}
		page := b.Post(form.path, form.fields)
		if form.fields.Has("ingestion") {
			require.Equal(t, 404, page.StatusCode, "there is no such message")
			continue
		}
		require.Equal(t, 303, page.StatusCode, form.path+page.Body)
	}
	for _, done := range []string{"key.mint", "user.invite", "user.role", "user.enable", "key.revoke", "user.disable"} {
		require.Contains(t, f.trail(t), done)
	}
}

func TestEveryFormOfKeysAndUsersIsInTheTableOfThoseThatAsk(t *testing.T) {
	f := newConfirming(t)
	names := strings.NewReplacer(f.user, "/registry/users/:user", f.disabled, "/registry/users/:user", f.key, "/registry/settings/keys/:key")
	listed := map[string]bool{"POST /registry/users/sign-in": true} // it asks each time
	for _, form := range f.forms() {
		listed["POST "+names.Replace(form.path)] = true
	}
	for _, one := range web.RoutePaths() {
		route := one.Method + " " + one.Path
		if strings.HasPrefix(route, "POST /registry/users") || strings.HasPrefix(route, "POST /registry/settings/keys") {
			require.True(t, listed[route], route)
			delete(listed, route)
		}
	}
	require.Empty(t, listed)
}

func TestPagesShowTheBoxForThePasswordOnlyWhenTheirFormNeedsIt(t *testing.T) {
	f := newConfirming(t)
	recent, old := f.admin(0), f.admin(auth.ConfirmedFor)
	for _, path := range []string{"/registry/settings", f.key + "/webhook", "/registry/users/invite", f.user, f.disabled, f.user + "/factor"} {
		require.Contains(t, old.Get(path).Body, yourPassword, path)
		require.NotContains(t, recent.Get(path).Body, yourPassword, path)
	}
	for _, path := range []string{f.user + "/disable", f.key + "/revoke"} {
		require.NotContains(t, old.Get(path).Body, yourPassword, path)
	}
	require.Contains(t, recent.Get(dataPath).Body, yourPassword, "a download asks each time")
}

func TestTheBoxForThePasswordSaysWhoseItIsAndWhy(t *testing.T) {
	f := newConfirming(t)
	require.Contains(t, f.admin(auth.ConfirmedFor).Get("/registry/users/invite").Body, "Confirm that it is you", "it is not the invited person's")
}

func TestOneConfirmationIsEnoughForFiveMinutesAndForThisSession(t *testing.T) {
	f := newConfirming(t)
	b, other := f.admin(time.Hour), f.admin(time.Hour)
	invite := url.Values{"email": {"sam@example.org"}, "name": {"Sam"}, "role": {"scribe"}}
	refused := b.Post("/registry/users", with(invite, "password", wrong))
	require.Equal(t, 422, refused.StatusCode)
	require.Equal(t, "user.confirm-failed", f.trail(t)[0])
	copied := f.Stranger()
	copied.SetCookie("registry-session", b.Cookie("registry-session"))
	leadsTo(t, "/registry/users/link", b.Post("/registry/users", with(invite, "password", password)))
	leadsTo(t, "/registry/users/link", b.Post(f.user+"/link", nil))
	require.NotContains(t, b.Get("/registry/settings").Body, yourPassword)
	require.Equal(t, 422, other.Post(f.user+"/link", nil).StatusCode, "another session")
	leadsTo(t, "/sign-in", copied.Post(f.user+"/link", nil))
	require.Equal(t, 422, b.Post(archivePath, url.Values{"passphrase": {passphraseOf(t, b.Get(dataPath))}, "written": {"yes"}}).StatusCode, "a download asks each time")
	second := f.AddPractice("Hillside")
	require.NoError(t, f.App.DB.Update(func(tx *store.Tx) error { return tx.AddMembership(second, b.User, "admin") }))
	require.Equal(t, 303, b.Post("/account/practice", url.Values{"practice": {fmt.Sprint(second)}}).StatusCode)
	require.Contains(t, b.Get("/registry/users/invite").Body, yourPassword, "nothing is carried over to another practice")
}

func TestWrongPasswordsBeforeGivingAccessWaitLikeOthers(t *testing.T) {
	f := newConfirming(t)
	b := f.admin(time.Hour)
	page := b.Post(f.user+"/link", url.Values{"password": {wrong}})
	for range 20 {
		if page.StatusCode == 429 {
			break
		}
		page = b.Post(f.user+"/link", url.Values{"password": {wrong}})
	}
	require.Equal(t, 429, page.StatusCode)
	require.Contains(t, page.Body, "Too many tries")
	require.Equal(t, 429, b.Post("/registry/settings/keys", url.Values{"label": {"Ward 7"}, "scope": {"ingest:read"}, "password": {password}}).StatusCode)
	leadsTo(t, f.user, b.Post(f.user+"/disable", nil))
}

func TestAPasskeyOrTheProviderConfirmsBeforeGivingAccess(t *testing.T) {
	t.Run("a passkey", func(t *testing.T) {
		i, b, d := withPasskey(t)
		addUser(i, i.Practice, "vera@example.org", auth.Viewer)
		at := userPage(i, "vera@example.org")
		second := i.AddPractice("Hillside")
		require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error { return tx.AddMembership(second, userID(i, olive), "admin") }))
		for _, p := range []store.PracticeID{second, i.Practice} { // a switch forgets the sign-in
			require.Equal(t, 303, b.Post("/account/practice", url.Values{"practice": {fmt.Sprint(p)}}).StatusCode)
		}
		require.Contains(t, b.Get(at).Body, `data-confirm="/account/confirm/options"`)
		require.Equal(t, 422, b.Post(at+"/link", nil).StatusCode)
		require.Equal(t, 422, b.Post(at+"/link", proofFor(t, b, d, "/registry/settings/keys")).StatusCode, "for another page")
		leadsTo(t, "/registry/users/link", b.Post(at+"/link", proofFor(t, b, d, at+"/link")))
		leadsTo(t, at, b.Post(at+"/role", url.Values{"role": {"provider"}}))
	})
	t.Run("the provider", func(t *testing.T) {
		i, p := ssoClinic(t)
		b := i.Stranger()
		p.connect(b, "clinic-id")
		require.Contains(t, b.Get("/registry/users/invite").Body, yourPassword, "the provider may have asked for nothing")
		user := userID(i, olive)
		second := i.AddPractice("Hillside")
		require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error { return tx.AddMembership(second, user, "admin") }))
		require.Equal(t, 303, b.Post("/account/practice", url.Values{"practice": {fmt.Sprint(second)}}).StatusCode)
		addUser(i, second, "vera@example.org", auth.Viewer)
		at := fmt.Sprintf("/registry/users/%d", userID(i, "vera@example.org"))
		for form, page := range map[string]string{at + "/factor": at + "/factor", at + "/link": at} {
			refused := b.Post(form, nil)
			require.Equal(t, 422, refused.StatusCode, form)
			require.Equal(t, "/account/confirm?back="+url.QueryEscape(page), find(t, refused, `href="(/account/confirm[^"]*)"`), "the page of the form")
		}
		refused := b.Post("/registry/users", url.Values{"email": {"sam@example.org"}, "name": {"Sam"}, "role": {"scribe"}})
		require.Equal(t, 422, refused.StatusCode)
		to := html.UnescapeString(find(t, refused, `href="(/account/confirm[^"]*)"`))
		p.claims = map[string]any{"auth_time": time.Now().Unix()}
		page := b.Get(to)
		require.Equal(t, 302, page.StatusCode, page.Body)
		leadsTo(t, "/registry/users/invite", b.Get(p.visited(page.Header.Get("Location"))))
		require.NotContains(t, b.Get("/registry/users/invite").Body, yourPassword)
		leadsTo(t, "/registry/users/link", b.Post("/registry/users", url.Values{"email": {"sam@example.org"}, "name": {"Sam"}, "role": {"scribe"}}))
	})
}
