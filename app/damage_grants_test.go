package app_test

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
	"birthregistry/app/apptest"
	"birthregistry/app/auth"
	"birthregistry/app/seal"
	"birthregistry/store"
)

func TestARowThatTheProgramDidNotWriteGrantsNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, statement string }{
		{"a viewer made admin", `update memberships set role = 'admin' where role = 'viewer'`},
		{"a user", `update users set name = 'Mallory'`},
		{"a practice", `update practices set ehr_beta = 1, name = 'Mallory'`},
		{"a session", `update sessions set expires_at = expires_at + 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			i := apptest.Start(t)
			b := i.SignIn(i.Practice, auth.Viewer)
			require.Equal(t, http.StatusOK, b.Get("/registry/records").StatusCode)
			behind(t, i.Config.DB, c.statement)
			require.NotEqual(t, http.StatusOK, b.Get("/registry/records").StatusCode)
		})
	}
	t.Run("a scope widened, a key that is in force again", func(t *testing.T) {
		i := apptest.Start(t)
		key := i.Mint(i.Practice, "ingest:read")
		behind(t, i.Config.DB, `update api_keys set scopes = 'ingest:read ingest:write' where scopes = 'ingest:read'`)
		require.Equal(t, http.StatusUnauthorized, i.Post(apptest.Course{Chart: "one"}.Bundle(), "Authorization", "Bearer "+key).StatusCode)
		require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error { return tx.RevokeAPIKey(i.Practice, 1) }))
		behind(t, i.Config.DB, `update api_keys set revoked_at = null`)
		require.Equal(t, http.StatusUnauthorized, i.Post(apptest.Course{Chart: "one"}.Bundle()).StatusCode)
	})
}

func TestAnEHRRowThatTheProgramDidNotWriteLaunchesNothing(t *testing.T) {
	t.Parallel()
	const launch = "/smart/launch?iss=https://ehr.example.org/fhir&launch=x"
	i := apptest.Start(t)
	require.NoError(t, i.App.DB.Update(func(tx *store.Tx) error {
		_, _, err := tx.PutEHR(store.EHR{Issuer: "https://other.example.org/fhir", Label: "other", ClientID: "c", Auth: store.AuthPublic, Practice: i.Practice})
		return err
	}))
	require.Equal(t, http.StatusForbidden, i.Stranger().Get(launch).StatusCode, "not listed")
	behind(t, i.Config.DB, `update ehrs set issuer = 'https://ehr.example.org/fhir'`)
	page := i.Stranger().Get(launch)
	require.Equal(t, http.StatusServiceUnavailable, page.StatusCode)
	require.Contains(t, page.Body, "birthregistry restore")
	require.Equal(t, http.StatusAccepted, i.Post(apptest.Course{Chart: "one"}.Bundle()).StatusCode, "nothing else fails")
}

func TestNothingIsSealedToAKeyThatTheProgramDidNotAdd(t *testing.T) {
	t.Parallel()
	i := apptest.Start(t)
	i.Push(apptest.Course{Chart: "one"}.Bundle())
	record := i.Record("one").Head()
	recipient, err := seal.NewRecovery(filepath.Join(t.TempDir(), "mallory.key"))
	require.NoError(t, err)
	behind(t, i.Config.DB, `insert into seal_recipients (recipient, kind, added_at) values ('`+recipient+`', 'recovery', 1)`)
	ctx := context.Background()
	require.ErrorIs(t, i.App.AddRecovery(ctx, recipient, func(int, int) {}), store.ErrDamaged)
	require.ErrorIs(t, i.App.RemoveRecovery(ctx, recipient, func(int, int) {}), store.ErrDamaged)
	i.Stop()
	a, err := app.Open(ctx, i.Config)
	require.NoError(t, err)
	defer a.Close() //nolint:errcheck // nothing was written
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	err = a.Serve(ctx, listener)
	require.ErrorIs(t, err, store.ErrDamaged)
	require.Contains(t, err.Error(), "restore the latest backup in which birthregistry check finds nothing wrong")
	_, err = a.Records.Show(ctx, i.Practice, record.UUID, 0, true)
	require.NoError(t, err, "what is there is read")
}
