package apptest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/stretchr/testify/require"

	"birthregistry/app/smart"
)

// Pulled puts a chart into a browser's session, where it waits for the form as after a
// launch from an EHR, and returns its handle.
func (i *Installation) Pulled(b *Browser, p smart.Prefill) string {
	i.T.Helper()
	handle, err := i.App.Smart.Keep(p)
	require.NoError(i.T, err)
	i.hold(b, "prefill", handle)
	return handle
}

// hold puts something into the session of a browser, signed in or not.
func (i *Installation) hold(b *Browser, key string, value any) {
	i.T.Helper()
	at, err := url.Parse(i.URL)
	require.NoError(i.T, err)
	cookie := &http.Cookie{Name: "registry-session", Value: rand.Text(), Path: "/"}
	for _, c := range b.client.Jar.Cookies(at) {
		if c.Name == cookie.Name {
			cookie = c
		}
	}
	hash := sha256.Sum256([]byte(cookie.Value))
	token := base64.RawURLEncoding.EncodeToString(hash[:])
	deadline, values := time.Now().Add(time.Hour), map[string]any{}
	content, found, err := i.App.Sessions.Find(token)
	require.NoError(i.T, err)
	if found {
		deadline, values, err = scs.GobCodec{}.Decode(content)
		require.NoError(i.T, err)
	}
	values[key] = value
	doc, err := scs.GobCodec{}.Encode(deadline, values)
	require.NoError(i.T, err)
	require.NoError(i.T, i.App.Sessions.Commit(token, doc, deadline))
	b.client.Jar.SetCookies(at, []*http.Cookie{cookie})
}
