package intake

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
	"birthregistry/app/mapping"
	"birthregistry/store"
)

func TestAFileThatCannotBeReadLeavesNothingBehind(t *testing.T) {
	b := newBed(t)
	who := b.person(auth.Admin)
	nothing := func() {
		t.Helper()
		require.Empty(t, b.imports(who))
		require.NoError(t, b.db.View(t.Context(), func(v *store.View) error {
			all, err := v.Imports(b.caller.Practice, 9)
			require.Empty(t, all)
			return err
		}))
		b.clean()
	}
	for _, file := range []string{"", "PK\x03\x04 and so on to the end", head, head + "A,\"open", "A,B\nC,D\n"} {
		_, err := b.Upload(context.Background(), who, "x.csv", strings.NewReader(file))
		require.ErrorAs(t, err, new(*mapping.CSVProblem))
		nothing()
	}
	for _, gone := range []error{errors.New("the connection is gone"), io.ErrUnexpectedEOF} {
		cut := io.MultiReader(strings.NewReader(head+row("A", "Okonkwo", 1, 3000)), iotest.ErrReader(gone))
		_, err := b.Upload(context.Background(), who, "x.csv", cut)
		require.ErrorIs(t, err, gone, "a file that was cut off is not taken for a short one")
		require.ErrorIs(t, err, ErrCutOff)
		nothing()
	}
	_, err := b.Upload(context.Background(), who, "x.csv", io.LimitReader(zeros{}, MaxImportSize+1))
	require.ErrorIs(t, err, ErrFileSize)
	nothing()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestWhatIsKeptOfAFileIsSealed(t *testing.T) {
	b := newBed(t)
	who := b.person(auth.Admin)
	i, err := b.Upload(context.Background(), who, `C:\Users\carla\secretname.csv`, strings.NewReader(head+row("secretchart", "Secretname", 1, 3000)))
	require.NoError(t, err)
	require.Equal(t, "secretname.csv", i.About.Name)
	b.imported(who, head+row("secretchart2", "Secretname", 2, 3000))
	require.NoError(t, b.db.Close())
	for _, file := range []string{b.path, b.path + "-wal"} {
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
		b := newBed(t)
		who := b.person(auth.Admin)
		swept := func() int {
			n, err := b.SweepImports()
			require.NoError(t, err)
			return n
		}
		const columns = "chart_number,mother_family_name,birth_date\n" // the bubble's clock stands at 2000
		i, forgotten := b.upload(who, columns+"A,Okonkwo,1999-03-02\n"), b.upload(who, columns+"B,Lee,1999-03-02\n")
		time.Sleep(23 * time.Hour)
		require.Zero(t, swept())
		require.NoError(t, b.Confirm(t.Context(), who, i.ID, false))
		time.Sleep(2 * time.Hour)
		require.Equal(t, 1, swept(), "the one nobody confirmed")
		_, err := b.Import(t.Context(), who, forgotten.ID)
		require.ErrorIs(t, err, store.ErrNotFound)
		b.drain()
		time.Sleep(23 * time.Hour)
		require.Zero(t, swept(), "the error file can be had for a day")
		time.Sleep(2 * time.Hour)
		require.Equal(t, 1, swept())
		done, err := b.Import(t.Context(), who, i.ID)
		require.NoError(t, err)
		require.False(t, done.Kept)
		require.Equal(t, 1, done.Result.New)
		b.clean()
		require.NoError(t, b.db.Close())
	})
}

func TestAFileIsDeletedWhenItIsDropped(t *testing.T) {
	b := newBed(t)
	who := b.person(auth.Admin)
	kept, dropped := b.imported(who, head+row("A", "Okonkwo", 1, 3000)), b.upload(who, head+row("B", "Lee", 2, 3000))
	require.NoError(t, b.Drop(t.Context(), who, kept.ID))
	_, err := b.Import(t.Context(), who, dropped.ID)
	require.NoError(t, err)
	require.ErrorIs(t, b.ErrorFile(context.Background(), who, kept.ID, io.Discard), ErrFileGone)
	require.NoError(t, b.Drop(t.Context(), who, dropped.ID))
	require.ErrorIs(t, b.Confirm(t.Context(), who, dropped.ID, true), store.ErrNotFound)
	done, err := b.Import(t.Context(), who, kept.ID)
	require.NoError(t, err)
	require.Equal(t, 1, done.Result.New, "what it did is kept for good")
	b.clean()
}

func TestOnlyAFewFilesWaitToBeConfirmed(t *testing.T) {
	b := newBed(t)
	people := []auth.User{b.person(auth.Scribe), b.person(auth.Scribe), b.person(auth.Provider), b.person(auth.Admin)}
	file := head + row("A", "Okonkwo", 1, 3000)
	oldest := b.upload(people[0], file)
	for _, who := range people[:3] {
		for range 3 {
			b.upload(who, file)
		}
	}
	_, err := b.Import(t.Context(), people[0], oldest.ID)
	require.ErrorIs(t, err, store.ErrNotFound, "a fourth replaces the oldest")
	require.Len(t, b.imports(people[0]), 3)
	tenth := b.upload(people[3], file)
	_, err = b.Upload(context.Background(), people[3], "x.csv", strings.NewReader(file))
	require.ErrorIs(t, err, ErrManyFiles)
	b.upload(people[1], file)
	require.NoError(t, b.Confirm(t.Context(), people[3], tenth.ID, false))
	b.upload(people[3], file)
	require.Len(t, b.imports(people[3]), 11)
	b.clean()
}

func TestNoFileTouchesTheDisksReserve(t *testing.T) {
	b := newBed(t, func(s *Settings) { s.DiskReserve = 1 << 60 })
	who := b.person(auth.Admin)
	_, err := b.Upload(context.Background(), who, "x.csv", strings.NewReader(head+row("A", "Okonkwo", 1, 3000)))
	require.ErrorIs(t, err, fhir.Busy)
	require.Empty(t, b.imports(who))
	b.clean()
}
