package archive

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/fixture"
)

func TestAKeyThatOpensNoArchiveIsNotMistakenForTheKeyOfTheInstallation(t *testing.T) {
	p := fixture.NewPair(t)
	_, file, _ := exportOf(t, p.Fixture, p.Admin.Practice)
	_, foreign := recipient(t)
	b := fixture.New(t)
	for _, key := range []string{foreign, filepath.Join(t.TempDir(), "missing.key")} {
		_, err := of(b).Import(t.Context(), file, Opening{KeyFiles: []string{key}}, silent)
		require.ErrorIs(t, err, ErrKey)
		require.NotContains(t, err.Error(), "--key-file")
		require.ErrorContains(t, err, "--identity")
	}
}
