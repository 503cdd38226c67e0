// Package storetest quickly creates new databases for tests. The first database of a process is
// created by store.Open, which runs all migrations. Every later one is a copy of the first. The
// tests of store and app cover how databases are created and upgraded.
package storetest

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var blank struct {
	once sync.Once
	file []byte
	err  error
}

// Blank creates an empty database with the newest schema at path, and returns the path. open must
// be store.Open, which this package can't import because store's own tests use this package.
func Blank[D io.Closer](t testing.TB, path string, open func(context.Context, string) (D, error)) string {
	t.Helper()
	blank.once.Do(func() { blank.file, blank.err = made(open) })
	require.NoError(t, blank.err)
	require.NoError(t, os.WriteFile(path, blank.file, 0o600))
	return path
}

func made[D io.Closer](open func(context.Context, string) (D, error)) ([]byte, error) {
	folder, err := os.MkdirTemp("", "birthregistry-blank-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	path := filepath.Join(folder, "registry.db")
	db, err := open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil { // closing moves the WAL into the file
		return nil, err
	}
	return os.ReadFile(path)
}
