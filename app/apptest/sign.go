package apptest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app"
)

// Sign signs the rows of a database as they are, after a test has changed some by
// SQL, as only the program may.
func Sign(t testing.TB, path string) {
	t.Helper()
	require.NoError(t, app.SignAsItIs(context.Background(), app.Config{DB: path}))
}
