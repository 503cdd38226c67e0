package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"birthregistry/app/auth"
	"birthregistry/app/birth"
	"birthregistry/app/longtest"
	"birthregistry/app/mapping"
	"birthregistry/store"
)

func TestAfterACrashEveryRowIsAppliedExactlyOnce(t *testing.T) {
	b := newBed(t)
	who := b.person(auth.Admin)
	const n = 3000
	var file strings.Builder
	file.WriteString(head)
	for r := range n {
		file.WriteString(row(fmt.Sprint("c", r), fmt.Sprint("Mother", r), r%60, 3000))
	}
	i := b.upload(who, file.String())
	require.NoError(t, b.Confirm(t.Context(), who, i.ID, false))
	for crash := range 3 {
		ctx, die := context.WithCancel(context.Background())
		seen := 0
		b.onItem = func(mapping.Item) {
			if seen++; seen == 600 { // when a chunk is written and another is held
				die()
			}
		}
		l := b.queue()
		group, err := b.nextGroup(b.caller.Practice)
		require.NoError(t, err)
		require.Equal(t, crash > 0, group[0].Items > 0)
		require.NoError(t, b.db.Update(func(tx *store.Tx) error { return tx.Start(b.caller.Practice, group[0].ID) }))
		require.Error(t, b.processLarge(ctx, l, group[0]))
		die()
		under, err := b.Import(t.Context(), who, i.ID)
		require.NoError(t, err)
		require.Equal(t, store.Processing, under.Status)
		require.Positive(t, under.Items)
		require.Equal(t, n, under.Total)
		b.restart()
	}
	b.drain()
	done, err := b.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("rows %d: new %d, amends 0, revives 0, unchanged 0, errors 0, suspected 0", n, n), counts(*done.Result))
	require.Len(t, b.records(), n)
	b.clean()
}

func TestAnImportThatIsCutShortSaysWhatItDidNotReach(t *testing.T) {
	b := newBed(t)
	who := b.person(auth.Admin)
	i := b.upload(who, head+row("A", "One", 1, 3000)+row("B", "Two", 2, 3000)+row("C", "Three", 3, 3000))
	require.NoError(t, b.Confirm(t.Context(), who, i.ID, false))
	for range maxAttempts { // the process dies on the second row, three times
		l := b.queue()
		group, err := b.nextGroup(b.caller.Practice)
		require.NoError(t, err)
		require.NoError(t, b.db.Update(func(tx *store.Tx) error { return tx.Start(b.caller.Practice, group[0].ID) }))
		if group[0].Items == 0 {
			_, read, err := b.bodyOf(b.Context(), b.caller.Practice, group[0])
			require.NoError(t, err)
			done := errors.New("the first is done")
			require.ErrorIs(t, read(func(item mapping.Item) error {
				first := chunk{subs: []submission{b.prepare(b.caller.Practice, birth.CSV, item, 0)}}
				require.NoError(t, b.applyChunk(l, group[0], first))
				return done
			}), done)
		}
		b.restart()
	}
	b.drain()
	done, err := b.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, "rows 3: new 1, amends 0, revives 0, unchanged 0, errors 2, suspected 0", counts(*done.Result))
	left := b.errorFile(who, i.ID)
	require.NotContains(t, left, "A,One")
	require.Equal(t, 2, strings.Count(left, "The row could not be processed."))
	require.Len(t, b.records(), 1)
	b.clean()
}

// rowsOf is a file of n births that exists nowhere as a whole.
type rowsOf struct {
	n, at int
	buf   []byte
}

func (r *rowsOf) Read(p []byte) (int, error) {
	for len(r.buf) < len(p) && r.at <= r.n {
		if r.at == 0 {
			r.buf = append(r.buf, head...)
		} else {
			r.buf = append(r.buf, row(fmt.Sprint("chart-", r.at), fmt.Sprint("Mother-", r.at), r.at%60, 2000+r.at%2000)...)
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

// peak runs f and returns the most memory that was live during it, above what
// was live before.
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
	b := newBed(t)
	who := b.person(auth.Admin)
	const n = rowsOfAScaleTest
	var i Import
	var err error
	began := time.Now()
	used := peak(func() { i, err = b.Upload(context.Background(), who, "large.csv", &rowsOf{n: n}) })
	require.NoError(t, err)
	require.Equal(t, n, i.About.Preview.New)
	t.Logf("previewed in %.1f s, %d MiB at most", time.Since(began).Seconds(), used>>20)
	require.Less(t, used, uint64(64<<20))
	require.NoError(t, b.Confirm(t.Context(), who, i.ID, false))
	began = time.Now()
	used = peak(b.drain)
	t.Logf("imported in %.1f s, %d MiB at most", time.Since(began).Seconds(), used>>20)
	require.Less(t, used, uint64(96<<20))
	i, err = b.Import(t.Context(), who, i.ID)
	require.NoError(t, err)
	require.Equal(t, n, i.Result.New)
	began = time.Now()
	used = peak(func() { i, err = b.Upload(context.Background(), who, "large.csv", &rowsOf{n: n}) })
	require.NoError(t, err)
	require.Equal(t, n, i.About.Preview.Unchanged)
	t.Logf("previewed again in %.1f s, %d MiB at most", time.Since(began).Seconds(), used>>20)
	require.Less(t, used, uint64(64<<20))
}
