package archive

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"birthregistry/app/fixture"
	"birthregistry/store"
)

// forged is an archive that somebody has made with this program's format at hand: all its
// sums are right, unless a test spoils them.
type forged struct {
	*testing.T
	members map[string][]byte
	// manifest and file change what is written last.
	manifest func(*Manifest)
	file     func(*zip.Writer)
	raw      []byte // the whole file, instead
}

// a row of an archive, by its columns.
type columns = map[string]any

// rows changes all rows of a member.
func (f *forged) rows(name string, change func([]columns) []columns) {
	f.Helper()
	var all []columns
	for line := range bytes.Lines(f.members[name+lines]) {
		var row columns
		require.NoError(f, json.Unmarshal(line, &row))
		delete(row, "chain")
		all = append(all, row)
	}
	f.texts(name, func([]string) (texts []string) {
		for _, row := range change(all) {
			text, err := json.Marshal(row, json.Deterministic(true))
			require.NoError(f, err)
			texts = append(texts, string(text))
		}
		return texts
	})
}

// row changes the first row of a member that has a column.
func (f *forged) row(name, column string, value any) {
	f.rows(name, func(all []columns) []columns {
		at := slices.IndexFunc(all, func(row columns) bool { return row[column] != nil })
		require.GreaterOrEqual(f, at, 0, name)
		all[at][column] = value
		return all
	})
}

// texts changes the lines of a member.
func (f *forged) texts(name string, change func([]string) []string) {
	lined := strings.Split(strings.TrimSuffix(string(f.members[name+lines]), "\n"), "\n")
	f.members[name+lines] = []byte(strings.Join(change(lined), "\n") + "\n")
}

// first changes the first line of a member.
func (f *forged) first(name string, change func(string) string) {
	f.texts(name, func(all []string) []string {
		all[0] = change(all[0])
		return all
	})
}

// describe makes the manifest right again.
func (f *forged) describe() (m Manifest) {
	require.NoError(f, json.Unmarshal(f.members[manifestName], &m))
	for i := range m.Members {
		member := &m.Members[i]
		content := f.members[member.Name]
		digest := sha256.Sum256(content)
		member.Bytes, member.SHA256 = int64(len(content)), hex.EncodeToString(digest[:])
		if strings.HasSuffix(member.Name, lines) {
			member.Rows = bytes.Count(content, []byte("\n"))
		}
		switch member.Name {
		case "records" + lines:
			m.Records = member.Rows
		case "versions" + lines:
			m.Versions = member.Rows
		}
	}
	if f.manifest != nil {
		f.manifest(&m)
	}
	return m
}

// write writes the file and returns it with the secret that opens it.
func (f *forged) write() (file, secret string) {
	public, secret := recipient(f.T)
	file = filepath.Join(f.TempDir(), "forged.age")
	if f.raw != nil {
		require.NoError(f, os.WriteFile(file, f.raw, 0o600))
		return file, secret
	}
	to, err := age.ParseRecipients(strings.NewReader(public))
	require.NoError(f, err)
	out, err := os.Create(file)
	require.NoError(f, err)
	sealed, err := age.Encrypt(out, to...)
	require.NoError(f, err)
	z := zip.NewWriter(sealed)
	if f.members[manifestName] != nil {
		m := f.describe()
		f.members[manifestName], err = json.Marshal(m)
		require.NoError(f, err)
	}
	for name, content := range f.members {
		w, err := z.Create(name)
		require.NoError(f, err)
		_, err = w.Write(content)
		require.NoError(f, err)
	}
	if f.file != nil {
		f.file(z)
	}
	require.NoError(f, z.Close())
	require.NoError(f, sealed.Close())
	require.NoError(f, out.Close())
	return file, secret
}

// changesNothing fails if an installation shows or holds anything of an archive.
func changesNothing(t *testing.T, b *fixture.Fixture) {
	t.Helper()
	practices, err := store.Read(t.Context(), b.DB, (*store.View).Practices)
	require.NoError(t, err)
	require.Len(t, practices, 1)
	users, err := store.Read(t.Context(), b.DB, (*store.View).Users)
	require.NoError(t, err)
	require.Empty(t, users)
	deleted, err := b.DB.DropIncoming()
	require.NoError(t, err)
	require.False(t, deleted, "nothing waits for the sweep")
	require.Empty(t, b.Records())
}
