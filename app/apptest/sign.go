package apptest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/ops"
)

// Sign signs the present rows of a database. A test calls Sign after it has changed rows with SQL,
// because the program signs only its own changes.
func Sign(t testing.TB, path string) {
	t.Helper()
	require.NoError(t, ops.SignAsItIs(context.Background(), ops.Config{DB: path}))
}
