package apptest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/ops"
)

// Sign signs the rows of a database as they are. A test calls it after it has changed
// some by SQL, which otherwise only the program may do.
func Sign(t testing.TB, path string) {
	t.Helper()
	require.NoError(t, ops.SignAsItIs(context.Background(), ops.Config{DB: path}))
}
