package imports_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/fixture"
	"birthregistry/app/imports"
	"birthregistry/app/longtest"
	"birthregistry/app/mapping/sheet"
	"birthregistry/store"
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

// watched looks at the live memory while the work stands still: what a goroutine allocates
// while the collector runs counts as live, which on a loaded machine is many times what is held.
// As a context it does so when the work waits for a slot or for a read.
type watched struct {
	context.Context
	looking      sync.Mutex
	last         time.Time
	looks        int
	before, most uint64
}

func live() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func (w *watched) Done() <-chan struct{} {
	w.look()
	return w.Context.Done()
}

// look looks ten times a second at most.
func (w *watched) look() {
	w.looking.Lock()
	defer w.looking.Unlock()
	if time.Since(w.last) < 100*time.Millisecond {
		return
	}
	now := live()
	w.last, w.looks = time.Now(), w.looks+1
	w.most = max(w.most, now-min(now, w.before))
}

// writing does work that writes, and looks while it waits for its turn to write.
func (w *watched) writing(db *store.DB, work func() (more bool, err error)) error {
	done, looked := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-done:
				looked <- nil
				return
			case <-time.After(20 * time.Millisecond):
				if err := db.Update(func(*store.Tx) error { w.look(); return nil }); err != nil {
					looked <- err
					return
				}
			}
		}
	}()
	var err error
	for more := true; more && err == nil; {
		more, err = work()
	}
	close(done)
	return errors.Join(err, <-looked)
}

func TestManyRowsAreImportedInBoundedMemory(t *testing.T) {
	longtest.Only(t, "an import of very many rows")
	b := fixture.New(t)
	who := b.Person(auth.Admin)
	const n = rowsOfAScaleTest
	var i imports.Import
	upload := func(w *watched) (err error) {
		i, err = b.Imports.Upload(w, who, "large.csv", &rowsOf{n: n})
		return err
	}
	bounded(t, 32<<20, "previewed", upload)
	require.Equal(t, n, i.About.Preview.New)
	require.NoError(t, b.Imports.Confirm(t.Context(), who, i.ID, false))
	queue := b.Queue()
	bounded(t, 64<<20, "imported with its receipt", func(w *watched) error {
		return w.writing(b.DB, func() (more bool, err error) {
			ended, err := b.Ingest.RunJob(w, queue)
			return !ended, err
		})
	})
	imported, err := b.Imports.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, n, imported.Result.New)
	bounded(t, 32<<20, "previewed again", upload)
	require.Equal(t, n, i.About.Preview.Unchanged)
	require.NoError(t, b.Imports.Undo(t.Context(), who, imported.ID))
	bounded(t, 32<<20, "undone", func(w *watched) error {
		return w.writing(b.DB, func() (bool, error) { return b.Imports.UndoSteps(w) })
	})
	require.Equal(t, n, undoneSoFar(b, who, imported.ID).Voided)
	if n == sheet.MaxRows {
		_, err = b.Imports.Upload(context.Background(), who, "large.csv", &rowsOf{n: n + 1})
		require.ErrorContains(t, err, "more than 100,000 rows")
	}
}

// bounded does work on very many rows and requires that at most this many bytes are live at any
// time.
func bounded(t *testing.T, most uint64, what string, work func(*watched) error) {
	t.Helper()
	w, began := &watched{Context: context.Background(), before: live()}, time.Now()
	require.NoError(t, work(w))
	t.Logf("%s in %.1f s, %.1f MiB at most in %d looks", what, time.Since(began).Seconds(), float64(w.most)/(1<<20), w.looks)
	require.GreaterOrEqual(t, w.looks, 3, "the memory was looked at")
	require.Less(t, w.most, most)
}
