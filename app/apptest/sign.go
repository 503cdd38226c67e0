package apptest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/ops"
)

// Sign signs the rows of a database as they are, after a test has changed some by
// SQL, as only the program may.
func Sign(t testing.TB, path string) {
	t.Helper()
	require.NoError(t, ops.SignAsItIs(context.Background(), ops.Config{DB: path}))
}
