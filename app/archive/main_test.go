package archive

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"filippo.io/age"
	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/app/records"
	"birthregistry/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.OffTheDisk(m)) }

func quiet(int, int) {}

// of returns the service of a fixture's installation.
func of(f *fixture.Fixture) *Service {
	return New(f.DB, f.Vault, auth.New(f.DB, f.Vault), records.New(f.DB, f.Vault), f.Changes, "test")
}

// recipient makes a key and returns its public half and the file of its secret half.
func recipient(t *testing.T) (public, file string) {
	t.Helper()
	key, err := age.GenerateHybridIdentity()
	require.NoError(t, err)
	file = filepath.Join(t.TempDir(), "secret.txt")
	require.NoError(t, os.WriteFile(file, []byte(key.String()+"\n"), 0o600))
	return key.Recipient().String(), file
}

// members reads an archive as somebody without this program does.
func members(t *testing.T, file, secret string) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile(secret)
	require.NoError(t, err)
	identities, err := age.ParseIdentities(bytes.NewReader(text))
	require.NoError(t, err)
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close() //nolint:errcheck // only read
	opened, err := age.Decrypt(f, identities...)
	require.NoError(t, err)
	content, err := io.ReadAll(opened)
	require.NoError(t, err)
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	require.NoError(t, err)
	all := map[string][]byte{}
	for _, member := range z.File {
		r, err := member.Open()
		require.NoError(t, err)
		all[member.Name], err = io.ReadAll(r)
		require.NoError(t, err)
	}
	return all
}
