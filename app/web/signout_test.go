package web_test

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/apptest"
	"birthregistry/app/auth"
)

func TestSigningOutWorksEvenIfNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	addUser(i, i.Practice, olive, auth.Viewer)
	b := i.Stranger()
	token := sessionOf(b.Post("/sign-in", credentials(olive, password)))
	raw, err := sql.Open("sqlite", i.App.DB.Path()+"?_pragma=busy_timeout(10000)") // the service may be writing
	require.NoError(t, err)
	raw.SetMaxOpenConns(1)
	defer raw.Close() //nolint:errcheck // the test's own connection
	_, err = raw.Exec("begin immediate")
	require.NoError(t, err)

	out := b.Post("/sign-out", nil)
	leadsTo(t, "/sign-in", out)
	require.Equal(t, `"cache", "storage"`, out.Header.Get("Clear-Site-Data"))
	require.Negative(t, sessionOf(out).MaxAge)
	kept := map[string]string{"Cookie": token.Name + "=" + token.Value}
	_, err = raw.Exec("rollback")
	require.NoError(t, err)
	leadsTo(t, "/sign-in", i.Stranger().Do("GET", "/account", nil, kept))
	signedIn(i, olive)
	open, err := i.App.Auth.SessionsOf(t.Context(), userID(i, olive))
	require.NoError(t, err)
	require.Len(t, open, 1, "the one that ended is gone once the store can be written")
	leadsTo(t, "/sign-in", i.Stranger().Do("GET", "/account", nil, kept))
}
