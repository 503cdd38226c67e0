package apptest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/ops"
)

// Sign signs the rows of a database as they are. A test calls it after it has changed rows by
// SQL, because only changes by the program are signed.
func Sign(t testing.TB, path string) {
	t.Helper()
	require.NoError(t, ops.SignAsItIs(context.Background(), ops.Config{DB: path}))
}
