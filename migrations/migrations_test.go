package migrations

import (
	"io/fs"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMigrationsAreNumberedConsecutivelyAndForwardOnly(t *testing.T) {
	names, err := fs.Glob(Files, "*.sql")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	want := 0
	for _, name := range names {
		number, _, ok := strings.Cut(name, "_")
		require.True(t, ok, name)
		n, err := strconv.Atoi(number)
		require.NoError(t, err)
		want++
		require.Equal(t, want, n, name)
		text, err := fs.ReadFile(Files, name)
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(text), "-- +goose Up\n"), name)
		require.NotContains(t, string(text), "+goose Down", name)
		require.NotContains(t, string(text), "NO TRANSACTION", name)
	}
}
