package imports_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/app/imports"
	"birthregistry/store"
)

// sealedForms returns what is stored about a file and of the practice's answers, as sealed.
func sealedForms(b *fixture.Fixture, id string) (all [][]byte) {
	b.Helper()
	require.NoError(b, b.DB.View(b.Context(), func(v *store.View) error {
		row, err := v.Import(b.Caller.Practice, id)
		if err != nil {
			return err
		}
		matches, err := v.Matches(b.Caller.Practice)
		for _, sealed := range [][]byte{row.About, matches.Sealed} {
			if len(sealed) > 0 {
				all = append(all, sealed[len(sealed)-48:]) // where each seal differs
			}
		}
		return err
	}))
	return all
}

// inFiles counts the sealed forms that the database and its WAL hold, free pages included.
func inFiles(b *fixture.Fixture, sealed [][]byte) (n int) {
	b.Helper()
	for _, path := range []string{b.Path, b.Path + "-wal"} {
		content, err := os.ReadFile(path)
		require.NoError(b, err)
		for _, one := range sealed {
			if bytes.Contains(content, one) {
				n++
			}
		}
	}
	return n
}

func TestNotEvenTheSealedFormOfFixesAndAnswersIsLeftInTheFiles(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	i := matched(b, who, ownHeaders("own")+"C,x,Three,1999-03-04,girl\nD,x,Four,1999-03-05,girl\nE,x,Five,2 March,girl\n")
	require.NoError(t, b.Imports.Fix(t.Context(), who, i.ID, i.About.Revision, []imports.Typed{{Wrong: wrong(b, i, "2 March"), Value: "1999-03-02"}}))
	sealed := sealedForms(b, i.ID)
	require.Len(t, sealed, 2)
	require.GreaterOrEqual(t, inFiles(b, sealed), 2, "the search finds them")

	require.NoError(t, b.Imports.Unfix(t.Context(), who, i.ID, i.About.Revision+1, 0))
	_, revision := known(b, who)
	require.NoError(t, b.Imports.Forget(t.Context(), who, revision, -1))
	require.True(t, b.Ingest.TakeTruncationPending(), "the worker is to clean the files")
	clean, err := b.DB.TruncateWAL(t.Context())
	require.NoError(t, err)
	require.True(t, clean)
	require.Zero(t, inFiles(b, sealed))

	sealed = sealedForms(b, i.ID)
	require.Len(t, sealed, 1)
	require.NoError(t, b.Imports.Drop(t.Context(), who, i.ID))
	require.True(t, b.Ingest.TakeTruncationPending())
	clean, err = b.DB.TruncateWAL(t.Context())
	require.NoError(t, err)
	require.True(t, clean)
	require.Zero(t, inFiles(b, sealed))
}
