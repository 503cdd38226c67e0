package imports_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/app/imports"
	"birthregistry/app/longtest"
	"birthregistry/app/mapping/sheet"
)

// rowsOf is a file of n births that never exists as a whole.
type rowsOf struct {
	n, at int
	buf   []byte
}

func (r *rowsOf) Read(p []byte) (int, error) {
	for len(r.buf) < len(p) && r.at <= r.n {
		if r.at == 0 {
			r.buf = append(r.buf, fixture.Head...)
		} else {
			r.buf = append(r.buf, fixture.Row(fmt.Sprint("chart-", r.at), fmt.Sprint("Mother-", r.at), r.at%60, 2000+r.at%2000)...)
		}
		r.at++
	}
	n := copy(p, r.buf)
	r.buf = r.buf[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// peak runs f and returns by how much the live memory grew at most.
func peak(f func()) uint64 {
	live := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	runtime.GC()
	before, most := live(), uint64(0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				most = max(most, live())
			}
		}
	}()
	f()
	close(stop)
	<-stopped
	return most - min(most, before)
}

func TestManyRowsAreImportedInBoundedMemory(t *testing.T) {
	longtest.Only(t, "an import of very many rows")
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	const n = rowsOfAScaleTest
	var i imports.Import
	var err error
	began := time.Now()
	used := peak(func() { i, err = b.Imports.Upload(context.Background(), who, "large.csv", &rowsOf{n: n}) })
	require.NoError(t, err)
	require.Equal(t, n, i.About.Preview.New)
	t.Logf("previewed in %.1f s, %d MiB at most", time.Since(began).Seconds(), used>>20)
	require.Less(t, used, uint64(64<<20))
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, false))
	began = time.Now()
	used = peak(b.Drain)
	t.Logf("imported in %.1f s, %d MiB at most", time.Since(began).Seconds(), used>>20)
	require.Less(t, used, uint64(96<<20))
	i, err = b.Imports.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, n, i.Result.New)
	imported := i.ID
	began = time.Now()
	used = peak(func() { i, err = b.Imports.Upload(context.Background(), who, "large.csv", &rowsOf{n: n}) })
	require.NoError(t, err)
	require.Equal(t, n, i.About.Preview.Unchanged)
	t.Logf("previewed again in %.1f s, %d MiB at most", time.Since(began).Seconds(), used>>20)
	require.Less(t, used, uint64(64<<20))
	began = time.Now()
	used = peak(func() { require.Equal(t, n, undone(b, who, imported).Voided) })
	t.Logf("undone in %.1f s, %d MiB at most", time.Since(began).Seconds(), used>>20)
	require.Less(t, used, uint64(64<<20))
	if n == sheet.MaxRows {
		_, err = b.Imports.Upload(context.Background(), who, "large.csv", &rowsOf{n: n + 1})
		require.ErrorContains(t, err, "more than 100,000 rows")
	}
}
