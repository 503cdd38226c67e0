package imports_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fhir"
	"birthregistry/app/fixture"
	"birthregistry/app/imports"
	"birthregistry/app/ingest"
	"birthregistry/app/mapping/sheet"
	"birthregistry/store"
)

func TestAFileThatCannotBeReadLeavesNothingBehind(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	nothing := func() {
		t.Helper()
		require.Empty(t, b.Listed(who))
		require.NoError(t, b.DB.View(t.Context(), func(v *store.View) error {
			all, err := v.Imports(b.Caller.Practice, 9)
			require.Empty(t, all)
			return err
		}))
		b.Clean()
	}
	for _, file := range []string{"", "PK\x03\x04 and so on to the end", fixture.Head, fixture.Head + "A,\"open", "A,B\nC,D\n"} {
		_, err := b.Imports.Upload(context.Background(), who, "x.csv", strings.NewReader(file))
		require.ErrorAs(t, err, new(*sheet.Problem))
		nothing()
	}
	for _, gone := range []error{errors.New("the connection is gone"), io.ErrUnexpectedEOF} {
		cut := io.MultiReader(strings.NewReader(fixture.Head+fixture.Row("A", "Okonkwo", 1, 3000)), iotest.ErrReader(gone))
		_, err := b.Imports.Upload(context.Background(), who, "x.csv", cut)
		require.ErrorIs(t, err, gone, "a file that was cut off is not taken for a short one")
		require.ErrorIs(t, err, imports.ErrCutOff)
		nothing()
	}
	_, err := b.Imports.Upload(context.Background(), who, "x.csv", io.LimitReader(zeros{}, imports.MaxSize+1))
	require.ErrorIs(t, err, imports.ErrFileSize)
	nothing()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestStoredDataAboutAFileIsSealed(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	i, err := b.Imports.Upload(context.Background(), who, `C:\Users\carla\secretname.csv`, strings.NewReader(fixture.Head+fixture.Row("secretchart", "Secretname", 1, 3000)))
	require.NoError(t, err)
	require.Equal(t, "secretname.csv", i.About.Name)
	b.Imported(who, fixture.Head+fixture.Row("secretchart2", "Secretname", 2, 3000))
	require.NoError(t, b.DB.Close())
	for _, file := range []string{b.Path, b.Path + "-wal"} {
		raw, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		require.NoError(t, err)
		require.NotContains(t, strings.ToLower(string(raw)), "secretname")
	}
}

func TestAFileIsDeletedADayAfterItsUploadOrItsImport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := fixture.New(t)
		who := b.Person(auth.Admin)
		swept := func() int {
			n, err := b.Imports.Sweep()
			require.NoError(t, err)
			return n
		}
		const columns = "chart_number,mother_family_name,birth_date\n" // the bubble's clock starts in 2000
		i, forgotten := b.Upload(who, columns+"A,Okonkwo,1999-03-02\n"), b.Upload(who, columns+"B,Lee,1999-03-02\n")
		time.Sleep(23 * time.Hour)
		require.Zero(t, swept())
		require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, false))
		time.Sleep(2 * time.Hour)
		require.Equal(t, 1, swept(), "the one nobody confirmed")
		_, err := b.Imports.Import(t.Context(), who, forgotten.ID)
		require.ErrorIs(t, err, store.ErrNotFound)
		b.Drain()
		time.Sleep(23 * time.Hour)
		require.Zero(t, swept(), "the error file can be had for a day")
		time.Sleep(2 * time.Hour)
		require.Equal(t, 1, swept())
		done, err := b.Imports.Import(t.Context(), who, i.ID)
		require.NoError(t, err)
		require.False(t, done.Kept)
		require.Equal(t, 1, done.Result.New)
		b.Clean()
		require.NoError(t, b.DB.Close())
	})
}

func TestAnImportsFileIsDeletedOnRequest(t *testing.T) {
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	kept, dropped := b.Imported(who, fixture.Head+fixture.Row("A", "Okonkwo", 1, 3000)), b.Upload(who, fixture.Head+fixture.Row("B", "Lee", 2, 3000))
	require.NoError(t, b.Imports.Drop(t.Context(), who, kept.ID))
	_, err := b.Imports.Import(t.Context(), who, dropped.ID)
	require.NoError(t, err)
	require.ErrorIs(t, b.Imports.ErrorFile(context.Background(), who, kept.ID, io.Discard), imports.ErrFileGone)
	require.NoError(t, b.Imports.Drop(t.Context(), who, dropped.ID))
	require.ErrorIs(t, b.Imports.Confirm(t.Context(), who, dropped.ID, true), store.ErrNotFound)
	done, err := b.Imports.Import(t.Context(), who, kept.ID)
	require.NoError(t, err)
	require.Equal(t, 1, done.Result.New, "what it did is kept for good")
	b.Clean()
}

func TestOnlyAFewFilesWaitToBeConfirmed(t *testing.T) {
	b := fixture.New(t)
	users := []auth.User{b.Person(auth.Scribe), b.Person(auth.Scribe), b.Person(auth.Provider), b.Person(auth.Admin)}
	file := fixture.Head + fixture.Row("A", "Okonkwo", 1, 3000)
	oldest := b.Upload(users[0], file)
	for _, who := range users[:3] {
		for range 3 {
			b.Upload(who, file)
		}
	}
	_, err := b.Imports.Import(t.Context(), users[0], oldest.ID)
	require.ErrorIs(t, err, store.ErrNotFound, "a fourth replaces the oldest")
	require.Len(t, b.Listed(users[0]), 3)
	tenth := b.Upload(users[3], file)
	_, err = b.Imports.Upload(context.Background(), users[3], "x.csv", strings.NewReader(file))
	require.ErrorIs(t, err, imports.ErrManyFiles)
	b.Upload(users[1], file)
	require.NoError(t, b.Imports.Confirm(t.Context(), users[3], tenth.ID, false))
	b.Upload(users[3], file)
	require.Len(t, b.Listed(users[3]), 11)
	b.Clean()
}

func TestNoUploadUsesTheDisksReserve(t *testing.T) {
	b := fixture.New(t, func(s *ingest.Settings) { s.DiskReserve = 1 << 60 })
	who := b.Person(auth.Admin)
	_, err := b.Imports.Upload(context.Background(), who, "x.csv", strings.NewReader(fixture.Head+fixture.Row("A", "Okonkwo", 1, 3000)))
	require.ErrorIs(t, err, fhir.Busy)
	require.Empty(t, b.Listed(who))
	b.Clean()
}
