package apptest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/stretchr/testify/require"

	"birthregistry/app/smart"
)

// Pulled stores a chart in a browser's session, as a launch from an EHR does. The chart stays there
// until the form is opened. Pulled returns the handle that identifies the chart.
func (i *Installation) Pulled(b *Browser, p smart.Prefill) string {
	i.T.Helper()
	handle, err := i.App.Smart.Keep(p)
	require.NoError(i.T, err)
	i.hold(b, map[string]any{"prefill": handle})
	return handle
}

// hold stores values in the browser's session. It works even if nobody is signed in.
func (i *Installation) hold(b *Browser, more map[string]any) {
	i.T.Helper()
	cookie := b.Cookie(sessionCookie)
	if cookie == "" {
		cookie = rand.Text()
	}
	hash := sha256.Sum256([]byte(cookie))
	token := base64.RawURLEncoding.EncodeToString(hash[:])
	deadline, values := time.Now().Add(time.Hour), map[string]any{}
	content, found, err := i.App.Sessions.Find(token)
	require.NoError(i.T, err)
	if found {
		deadline, values, err = scs.GobCodec{}.Decode(content)
		require.NoError(i.T, err)
	}
	maps.Copy(values, more)
	doc, err := scs.GobCodec{}.Encode(deadline, values)
	require.NoError(i.T, err)
	require.NoError(i.T, i.App.Sessions.Commit(token, doc, deadline))
	b.SetCookie(sessionCookie, cookie)
}
