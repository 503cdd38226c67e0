package web_test

import (
	"maps"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/auth/authtest"
)

// proofFor returns a passkey's answer that confirms the form with an address.
func proofFor(t *testing.T, b *apptest.Browser, d *authtest.Authenticator, address string) url.Values {
	t.Helper()
	answer, err := d.Get(offered(t, b.Post("/account/confirm/options", url.Values{"for": {address}})))
	require.NoError(t, err)
	return url.Values{"passkey-proof": {string(answer)}}
}

// with returns the fields of a form and a proof.
func with(proof url.Values, fields ...string) url.Values {
	all := maps.Clone(proof)
	for n := 0; n < len(fields); n += 2 {
		all.Set(fields[n], fields[n+1])
	}
	return all
}

func withPasskey(t *testing.T) (i *apptest.Installation, b *apptest.Browser, d *authtest.Authenticator) {
	t.Helper()
	i = named(t)
	addUser(i, i.Practice, olive, auth.Admin)
	b, d = signedIn(i, olive), newDevice(t)
	addPasskey(t, b, d, "Phone")
	return i, b, d
}

func TestAPasskeyConfirmsInsteadOfThePasswordAndTheCode(t *testing.T) {
	i, b, d := withPasskey(t)
	require.Contains(t, b.Get(dataPath).Body, `data-confirm="/account/confirm/options" data-origin="`+passkeyOrigin+`"`)
	fields := download(passphraseOf(t, b.Get(dataPath)))
	fields.Del("password")
	require.Equal(t, 422, b.Post(archivePath, fields).StatusCode, "nothing confirms it")
	maps.Copy(fields, proofFor(t, b, d, archivePath))
	sent := b.Post(archivePath, fields)
	require.Equal(t, 200, sent.StatusCode, sent.Body)
	require.Equal(t, "application/octet-stream", sent.Header.Get("Content-Type"))
	again := b.Post(archivePath, fields)
	require.Equal(t, 422, again.StatusCode)
	require.Contains(t, again.Body, "The passkey was not accepted; try again, or enter your password.", "an answer confirms once")

	leadsTo(t, "/account", b.Post("/account/password", with(proofFor(t, b, d, "/account/password"), "next", "otter lantern quilt seven")))
	leadsTo(t, "/account/codes", b.Post("/account/factor/change", with(proofFor(t, b, d, "/account/factor/change"), "do", "codes")))
	leadsTo(t, "/account/factor", b.Post("/account/factor/change", with(proofFor(t, b, d, "/account/factor/change"), "do", "app")))
	second := newDevice(t)
	options := offered(t, b.Post("/account/passkeys/options", with(proofFor(t, b, d, "/account/passkeys/options"), "passkey", "Laptop")))
	leadsTo(t, "/account", b.Post("/account/passkeys", credential(second.Create(options))))
	const remove = "/account/passkeys/2/delete"
	leadsTo(t, "/account", b.Post(remove, proofFor(t, b, d, remove)))
	i.Clean()
}

func TestAPasskeyConfirmsOneFormInOneSession(t *testing.T) {
	i, b, d := withPasskey(t)
	const remove = "/account/passkeys/1/delete"
	addUser(i, i.Practice, "vera@example.org", auth.Viewer)
	hers, other := newDevice(t), i.Stranger()
	addPasskey(t, signedIn(i, "vera@example.org"), hers, "Phone")
	leadsTo(t, "/registry", signInWith(t, other, d))
	for name, wrong := range map[string]func() url.Values{
		"another page": func() url.Values { return proofFor(t, b, d, archivePath) },
		"another form": func() url.Values { return proofFor(t, b, d, "/account/passkeys/1/name") },
		"no form":      func() url.Values { return proofFor(t, b, d, "") },
		"another session": func() url.Values {
			proof := proofFor(t, other, d, remove)
			proofFor(t, b, d, remove)
			return proof
		},
		"somebody else's passkey": func() url.Values {
			options := offered(t, b.Post("/account/confirm/options", url.Values{"for": {remove}}))
			answer, err := hers.Get(options)
			require.NoError(t, err)
			return url.Values{"passkey-proof": {string(answer)}}
		},
		"a challenge of the sign-in": func() url.Values {
			answer, err := d.Get(offered(t, b.Post("/sign-in/passkey/options", nil)))
			require.NoError(t, err)
			return url.Values{"passkey-proof": {string(answer)}}
		},
		"no challenge": func() url.Values {
			proof := proofFor(t, b, d, remove)
			b.Post(remove, url.Values{"passkey-proof": {"{}"}})
			return proof
		},
		"an owner who was not verified": func() url.Values {
			careless := *d
			careless.Unverified = true
			return proofFor(t, b, &careless, remove)
		},
	} {
		page := b.Post(remove, wrong())
		require.Equal(t, 422, page.StatusCode, name)
		require.Contains(t, page.Body, "The passkey was not accepted; try again, or enter your password.", name)
		leadsTo(t, "/account/codes", b.Post("/account/factor/change", with(proofFor(t, b, d, "/account/factor/change"), "do", "codes"))) // the right passkey forgives
	}
	require.Contains(t, b.Get("/registry/audit").Body, "Failed to confirm an action")
	leadsTo(t, "/account", b.Post(remove, proofFor(t, b, d, remove)))
	require.Equal(t, 422, b.Post("/account/confirm/options", url.Values{"for": {remove}}).StatusCode, "there is no passkey any more")
}

func TestWrongPasskeysOfAConfirmationWaitLikeWrongPasswords(t *testing.T) {
	_, b, d := withPasskey(t)
	stranger := newDevice(t)
	stranger.Handle = d.Handle
	const remove = "/account/passkeys/1/delete"
	page := b.Post(remove, proofFor(t, b, stranger, remove))
	for range 20 {
		if page.StatusCode == 429 {
			break
		}
		page = b.Post(remove, proofFor(t, b, stranger, remove))
	}
	require.Equal(t, 429, page.StatusCode)
	require.Contains(t, page.Body, "Too many tries")
	require.Equal(t, 429, b.Post(remove, url.Values{"password": {password}}).StatusCode, "the password waits, too")
	require.Equal(t, 429, b.Post(remove, proofFor(t, b, d, remove)).StatusCode)
}

func TestTheAccountPageNamesPasskeysThatNoLongerWorkHere(t *testing.T) {
	i, b, _ := withPasskey(t)
	const changed = "The address of this registry has changed"
	require.NotContains(t, b.Get("/account").Body, changed)
	i.Stop()
	i.Listen, i.Config.Web.BaseURL = strings.TrimPrefix(i.URL, "http://"), "http://registry.example.org"
	i.Run()
	page := b.Get("/account").Body
	require.Contains(t, page, changed)
	require.Contains(t, page, "Works only at births.example.org")
}
