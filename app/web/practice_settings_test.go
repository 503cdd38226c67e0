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
	"birthregistry/app/fhir"
	"birthregistry/store"
)

const settings = "/registry/settings"

var everyKey = regexp.MustCompile(`rgk_[0-9A-Za-z]{38}`)

func keyForm(label string, scopes ...string) url.Values {
	return url.Values{"label": {label}, "scope": scopes}
}

// practiceWith adds a practice with these settings.
func practiceWith(t *testing.T, i *apptest.Installation, sandbox, beta bool) (p store.PracticeID) {
	t.Helper()
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) (err error) {
		p, err = tx.AddPractice("Hillside Birth Center", sandbox, beta)
		return err
	}))
	return p
}

func keysOf(t *testing.T, i *apptest.Installation, p store.PracticeID) []store.APIKey {
	t.Helper()
	all, err := i.App.Auth.Keys(t.Context(), p)
	require.NoError(t, err)
	return all
}

func TestAMintedKeyIsShownOnceAndPushes(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	sent := b.Post(settings+"/keys", keyForm("nightly <sync>", write, read))
	require.Equal(t, 303, sent.StatusCode)
	place := sent.Header.Get("Location")
	require.Equal(t, settings+"/keys/minted", place)
	require.Empty(t, everyKey.FindString(sent.Body+place))

	shown := b.Get(place)
	require.Equal(t, 200, shown.StatusCode)
	require.Equal(t, "no-store", shown.Header.Get("Cache-Control"))
	key := everyKey.FindString(shown.Body)
	require.NotEmpty(t, key)
	require.Contains(t, shown.Body, "You will not see this key again")
	require.Contains(t, shown.Body, "nightly &lt;sync&gt;")
	require.NotRegexp(t, `<title>[^<]*rgk_`, shown.Body)

	again := b.Get(place)
	require.Equal(t, 200, again.StatusCode)
	require.NotContains(t, again.Body, "rgk_")
	require.Contains(t, again.Body, "already been shown")
	require.NotContains(t, b.Get(settings).Body, key)
	require.NotContains(t, i.Log.String(), "rgk_")

	require.Len(t, i.Push(birth, "Authorization", "Bearer "+key).Accepted, 1)
	require.Contains(t, b.Get(settings).Body, key[:8]+"…")
}

func TestAKeyIsShownToNobodyElse(t *testing.T) {
	i := apptest.Start(t)
	b, other := i.SignIn(i.Practice, auth.Admin), i.SignIn(i.Practice, auth.Admin)
	require.Equal(t, 303, b.Post(settings+"/keys", keyForm("nightly", write)).StatusCode)
	require.NotContains(t, other.Get(settings+"/keys/minted").Body, "rgk_")
	require.NotContains(t, i.Stranger().Get(settings+"/keys/minted").Body, "rgk_")
	require.Regexp(t, everyKey, b.Get(settings+"/keys/minted").Body)
}

func TestTheKeysAreNotShownOutsideTheBeta(t *testing.T) {
	i := apptest.Start(t)
	p := practiceWith(t, i, false, false)
	b := i.SignIn(p, auth.Admin)
	page := b.Get(settings)
	require.Equal(t, 200, page.StatusCode)
	require.Contains(t, page.Body, "Hillside Birth Center")
	require.Contains(t, page.Body, i.URL+"/api/registry/fhir/Bundle")
	require.NotContains(t, page.Body, "API key")
	require.NotContains(t, page.Body, "Create key")
	const ask = "Ask the person who runs the registry to enable keys for your practice."
	require.Contains(t, page.Body, ask)
	require.NotContains(t, i.SignIn(p, auth.Viewer).Get(settings).Body, ask)
	require.NotContains(t, i.SignIn(i.Practice, auth.Admin).Get(settings).Body, ask)
	require.Equal(t, 404, b.Post(settings+"/keys", keyForm("nightly", write)).StatusCode)
	require.Empty(t, keysOf(t, i, p))
}

func TestKeysFromBeforeTheEndOfTheBetaAreListedAndCanBeRevokedButNoneIsCreated(t *testing.T) {
	i := apptest.Start(t)
	key := keysOf(t, i, i.Practice)[0]
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error { return tx.SetEHRBeta(i.Practice, false) }))
	b := i.SignIn(i.Practice, auth.Admin)
	page := b.Get(settings).Body
	require.Contains(t, page, key.Prefix+"…")
	require.NotContains(t, page, "Create key")
	revoke := fmt.Sprintf("%s/keys/%d/revoke", settings, key.ID)
	require.Contains(t, page, revoke)
	require.Equal(t, 404, b.Post(settings+"/keys", keyForm("nightly", write)).StatusCode)

	require.Equal(t, 303, b.Post(revoke, nil).StatusCode)
	require.NotContains(t, b.Get(settings).Body, key.Prefix, "no key is in force any more")
}

func TestScribeAndViewerSeeTheKeysAndNoWayToMintOrRevoke(t *testing.T) {
	i := apptest.Start(t)
	key := keysOf(t, i, i.Practice)[0]
	for _, role := range []auth.Role{auth.Scribe, auth.Viewer} {
		b := i.SignIn(i.Practice, role)
		page := b.Get(settings)
		require.Equal(t, 200, page.StatusCode)
		require.Contains(t, page.Body, key.Prefix+"…")
		require.Contains(t, page.Body, "ingest:write")
		for _, way := range []string{"Create key", "<form method=\"post\" action=\"/registry/settings", "/revoke"} {
			require.NotContains(t, page.Body, way)
		}
		revoke := fmt.Sprintf("%s/keys/%d/revoke", settings, key.ID)
		require.Equal(t, 403, b.Post(settings+"/keys", keyForm("mine", write)).StatusCode)
		require.Equal(t, 403, b.Get(settings+"/keys/minted").StatusCode)
		require.Equal(t, 403, b.Get(revoke).StatusCode)
		require.Equal(t, 403, b.Post(revoke, nil).StatusCode)
	}
	require.Len(t, keysOf(t, i, i.Practice), 1)
	require.Nil(t, keysOf(t, i, i.Practice)[0].RevokedAt)
}

func TestARevokedKeyIsRefusedFromTheNextRequestOn(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Provider)
	key := keysOf(t, i, i.Practice)[0]
	revoke := fmt.Sprintf("%s/keys/%d/revoke", settings, key.ID)
	require.Contains(t, b.Get(settings).Body, revoke)
	asked := b.Get(revoke)
	require.Contains(t, asked.Body, "Revoke “test”?")
	require.Equal(t, 202, i.Post(birth).StatusCode, "asking revokes nothing")

	done := b.Post(revoke, nil)
	require.Equal(t, 303, done.StatusCode)
	requireProblem(t, fhir.Unauthorized, i.Post(birth))
	page := b.Get(settings)
	require.Contains(t, page.Body, "“test” is revoked")
	require.Contains(t, page.Body, "Revoked</span>")
	require.NotContains(t, page.Body, revoke)
	require.Equal(t, 404, b.Post(revoke, nil).StatusCode, "once")
	require.Equal(t, 404, b.Get(revoke).StatusCode)
}

func TestAnotherPracticesKeyIsNotFound(t *testing.T) {
	i := apptest.Start(t)
	key := keysOf(t, i, i.Practice)[0]
	b := i.SignIn(practiceWith(t, i, false, true), auth.Admin)
	require.NotContains(t, b.Get(settings).Body, key.Prefix)
	for _, id := range []string{fmt.Sprint(key.ID), "77", "x", "-1", strings.Repeat("9", 30)} {
		require.Equal(t, 404, b.Get(settings+"/keys/"+id+"/revoke").StatusCode, id)
		require.Equal(t, 404, b.Post(settings+"/keys/"+id+"/revoke", nil).StatusCode, id)
	}
	require.Nil(t, keysOf(t, i, i.Practice)[0].RevokedAt)
}

func TestARefusedKeyFormKeepsWhatWasTyped(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	for name, c := range map[string]struct {
		form       url.Values
		text, kept string
	}{
		"no scope":        {keyForm(`"quoted" <b>`), "Choose what the key may do", "&#34;quoted&#34; &lt;b&gt;"},
		"no label":        {keyForm(" ", read), "Say in 1 to 60 characters", `value="ingest:read" type="checkbox" checked`},
		"a long label":    {keyForm(strings.Repeat("x", 61), write), "Say in 1 to 60 characters", strings.Repeat("x", 61)},
		"another scope":   {keyForm("mine", "admin"), "Choose what the key may do", `value="mine"`},
		"an empty form":   {nil, "Say in 1 to 60 characters", "Choose what the key may do"},
		"control in text": {keyForm("a\x00b", write), "Say in 1 to 60 characters", ""},
	} {
		page := b.Post(settings+"/keys", c.form)
		require.Equal(t, 422, page.StatusCode, name)
		require.Contains(t, page.Body, c.text, name)
		require.Contains(t, page.Body, c.kept, name)
		require.Contains(t, page.Body, "<title>Error: ", name)
		require.Contains(t, page.Body, `id="error-summary"`, name)
	}
	require.Len(t, keysOf(t, i, i.Practice), 1)
}

func TestMintingOneKeyTooManyIsRefusedWithTheReason(t *testing.T) {
	i := apptest.Start(t)
	b := i.SignIn(i.Practice, auth.Admin)
	for range auth.MaxKeys - 1 {
		i.Mint(i.Practice, read)
	}
	require.NotContains(t, b.Get(settings).Body, "Create key")
	require.Equal(t, 303, b.Post(settings+"/keys", keyForm("more", write)).StatusCode)
	require.Contains(t, b.Get(settings).Body, "No key was created")
	require.Len(t, keysOf(t, i, i.Practice), auth.MaxKeys)
}
