package store

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var errRefused = errors.New("refused")

// together runs closures in one commit, in this order, and returns their errors. The closures
// queue up while another write is held open.
func together(t testing.TB, db *DB, fns ...func(*Tx) error) []error {
	t.Helper()
	release, errs := gathering(t, db), make([]error, len(fns))
	var wg sync.WaitGroup
	for n, fn := range fns {
		wg.Go(func() { errs[n] = db.Update(fn) })
		waiting(db, n+1, 0)
	}
	release()
	wg.Wait()
	return errs
}

// gathering holds a write open until release is called, so that later writes queue up behind
// it.
func gathering(t testing.TB, db *DB) (release func()) {
	held, let, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.Update(func(*Tx) error {
			close(held)
			<-let
			return nil
		})
	}()
	<-held
	return func() {
		close(let)
		require.NoError(t, <-done)
	}
}

// waiting waits until this many writes are queued.
func waiting(db *DB, acks, chunks int) {
	for {
		db.writer.mu.Lock()
		there := len(db.writer.acks) == acks && len(db.writer.chunks) == chunks
		db.writer.mu.Unlock()
		if there {
			return
		}
		time.Sleep(100 * time.Microsecond)
	}
}

func TestManyWritersAndReadersNeverMeetALock(t *testing.T) {
	db := opened(t)
	const writers, each = 64, 8
	var writing, reading sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		reading.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				err := db.View(t.Context(), func(v *View) error {
					before, err := v.Practices()
					if err != nil {
						return err
					}
					n := 0
					err = v.one(`select count(*) from practices`, nil, &n)
					if n != len(before) {
						t.Errorf("one snapshot shows %d, then %d", len(before), n)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range writers {
		writing.Go(func() {
			write := db.Update
			if n%8 == 0 {
				write = func(fn func(*Tx) error) error { return db.UpdateChunk(1, fn) }
			}
			for range each {
				if err := write(countUp); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	close(stop)
	reading.Wait()
	countedTo(t, db, writers*each)
	require.NoError(t, db.Close())
	db = openedAt(t, db.Path())
	countedTo(t, db, writers*each)
}

func TestAnotherProcessMayWriteMeanwhile(t *testing.T) {
	db := opened(t)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			out, err := process("write", db.Path()).CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	for range 8 {
		wg.Go(func() {
			for range 25 {
				if err := db.Update(countUp); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	countedTo(t, db, 2*50+8*25)
}

func TestAnErrorOrPanicUndoesOnlyItsOwnWrites(t *testing.T) {
	var log strings.Builder
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)

	db := opened(t)
	add := func(name string, end func() error) func(*Tx) error {
		return func(tx *Tx) error {
			if _, err := tx.AddPractice(name, false, false); err != nil {
				return err
			}
			return end()
		}
	}
	fine := func() error { return nil }
	broken := func(tx *Tx) error { // violates a rule of the schema
		if _, err := tx.AddPractice("broken", false, false); err != nil {
			return err
		}
		_, err := tx.AddAPIKey(77, APIKey{}, []byte("of no practice"))
		return err
	}
	fns := []func(*Tx) error{
		add("first", fine),
		add("refused", func() error { return errRefused }),
		add("second", fine),
		add("panicked", func() error { panic("CNRY-value") }),
		broken,
		add("third", fine),
	}
	check := func(errs []error) {
		t.Helper()
		require.NoError(t, errors.Join(errs[0], errs[2], errs[5]))
		require.ErrorIs(t, errs[1], errRefused)
		require.ErrorIs(t, errs[3], errPanic)
		require.ErrorContains(t, errs[4], "store: a row breaks a rule of its table (SQLite code 787)")
		require.NotContains(t, errs[3].Error()+log.String(), "CNRY")
		require.Contains(t, log.String(), "writer_test.go", "the log has the place")
	}
	check(together(t, db, fns...))
	view(t, db, func(v *View) error {
		all, err := v.Practices()
		require.Len(t, all, 3)
		for n, name := range []string{"first", "second", "third"} {
			require.Equal(t, name, all[n].Name)
		}
		return err
	})
	var alone []error // each needs a commit of its own
	for _, fn := range fns {
		alone = append(alone, db.Update(fn))
	}
	check(alone)
	require.Equal(t, 6, asked(t, db, `select count(*) from practices`))
}

func TestACommitTakesAllShortWritesThatWaitAndNoMoreThanOneFullChunk(t *testing.T) {
	db := opened(t)
	var order []string
	note := func(what string) func(*Tx) error {
		return func(tx *Tx) error {
			order = append(order, fmt.Sprintf("%s in %p", what, tx)) // one Tx per commit
			return nil
		}
	}
	release := gathering(t, db)
	var wg sync.WaitGroup
	chunks := []int{FullChunk + 1, FullChunk - 2, 1, 1, 1, FullChunk, 0} // the first alone is more than a full chunk
	for n, items := range chunks {
		wg.Go(func() { require.NoError(t, db.UpdateChunk(items, note("chunk"))) })
		waiting(db, 0, n+1)
	}
	for n := range maxGroup + 10 {
		wg.Go(func() { require.NoError(t, db.Update(note("ack"))) })
		waiting(db, n+1, len(chunks))
	}
	release()
	wg.Wait()
	var commits []string // such as "256 acks, 1 chunks"
	for len(order) > 0 {
		_, tx, _ := strings.Cut(order[0], " in ")
		acks, chunks := 0, 0
		for len(order) > 0 && strings.HasSuffix(order[0], tx) {
			if strings.HasPrefix(order[0], "ack") {
				require.Zero(t, chunks, "a short write waited for a chunk of its commit")
				acks++
			} else {
				chunks++
			}
			order = order[1:]
		}
		commits = append(commits, fmt.Sprintf("%d acks, %d chunks", acks, chunks))
	}
	require.Equal(t, []string{"256 acks, 1 chunks", "10 acks, 3 chunks", "0 acks, 1 chunks", "0 acks, 2 chunks"}, commits)
}

func TestACommitHasOneTimeInWholeMillisecondsOfUTC(t *testing.T) {
	db := opened(t)
	var times []time.Time
	note := func(tx *Tx) error {
		times = append(times, tx.Now)
		return nil
	}
	together(t, db, note, note, note)
	require.Len(t, times, 3)
	for _, now := range times {
		require.Equal(t, times[0], now)
	}
	require.Equal(t, times[0].UTC().Truncate(time.Millisecond), times[0])
	require.WithinDuration(t, time.Now(), times[0], time.Minute)
}
