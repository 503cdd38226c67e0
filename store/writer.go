package store

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"time"

	"maragu.dev/goqite"

	"birthregistry/app/task"
)

// writer runs write transactions on the write connection. Callers that wait while a transaction
// commits share the next transaction. Each of them has its own savepoint, and gets its result when
// the shared commit is on the disk. A commit costs one fsync, however many callers share it.
//
// writer has no goroutine of its own. The first caller leads: it runs the writes of all waiting
// callers, hands the lead to a caller that has come meanwhile, and returns. A caller that is alone
// therefore never waits for another goroutine.
type writer struct {
	db    *DB
	pool  *sql.DB
	stmts statements
	queue *goqite.Queue

	mu      sync.Mutex
	idle    sync.Cond
	acks    []*job // short writes, all of which share the next commit
	chunks  []*job // chunks of a worker; a commit takes one full chunk or several light ones
	leading bool
	closed  bool
}

// job is the function that a caller wants to run, and its result.
type job struct {
	fn     func(*Tx) error
	weight int // how many rows the chunk writes
	err    error
	done   chan struct{} // closed when err is set
	lead   chan struct{} // closed when this caller must lead
}

// maxGroup is the maximum number of short writes in one commit, and also the maximum number of
// chunks. Without a maximum, the first caller might wait forever.
const maxGroup = 256

// FullChunk is the maximum number of rows in a commit that combines several chunks of workers.
// Writing this many rows takes tens of milliseconds, during which acknowledgments have to wait. A
// higher maximum wouldn't make writing faster.
const FullChunk = 2500

var errPanic = errors.New("store: a write failed because of a defect in the program; the log shows where")

func newWriter(db *DB) *writer {
	w := &writer{db: db, pool: db.write, stmts: statements{pool: db.write}, queue: newQueue(db.write)}
	w.idle.L = &w.mu
	return w
}

// Update runs fn in a write transaction, and returns once everything that fn has written is on the
// disk. If fn returns an error, only the writes of fn are undone. fn must use only tx to read and
// write the database.
func (db *DB) Update(fn func(*Tx) error) error {
	return db.submit(&job{fn: fn}, &db.writer.acks)
}

// UpdateChunk is like Update, but for a chunk, which is a larger write of a worker. rows is about
// how many rows the chunk writes. A commit contains one chunk, or several chunks that together
// write at most FullChunk rows, so that short writes don't wait for a long commit.
func (db *DB) UpdateChunk(rows int, fn func(*Tx) error) error {
	return db.submit(&job{fn: fn, weight: rows}, &db.writer.chunks)
}

func (db *DB) submit(j *job, waiting *[]*job) error {
	if db.damaged.Load() {
		return ErrCorrupt
	}
	return db.notice(db.writer.submit(j, waiting))
}

// submit adds a job to a queue (waiting), and waits until the job is done. It returns the job's
// error.
func (w *writer) submit(j *job, waiting *[]*job) error {
	j.done, j.lead = make(chan struct{}), make(chan struct{})
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return ErrClosed
	}
	*waiting = append(*waiting, j)
	if w.leading {
		w.mu.Unlock()
		select {
		case <-j.done:
			return j.err
		case <-j.lead: // j is the first in its queue, so the next group includes it
			w.mu.Lock()
		}
	}
	w.leading = true
	group := w.gather()
	w.mu.Unlock()

	w.commit(group)
	w.stmts.enter()
	w.handOver()
	for _, other := range group {
		if other != j {
			close(other.done)
		}
	}
	runtime.Gosched()
	return j.err
}

// gather returns the jobs for the next commit: the short writes that wait, and one full chunk or
// several light ones.
func (w *writer) gather() []*job {
	n := min(len(w.acks), maxGroup)
	group := append(make([]*job, 0, n+1), w.acks[:n]...)
	w.acks = slices.Delete(w.acks, 0, n)
	n, weight := 0, 0
	for n < min(len(w.chunks), maxGroup) && (n == 0 || weight+w.chunks[n].weight <= FullChunk) {
		weight += w.chunks[n].weight
		n++
	}
	group = append(group, w.chunks[:n]...)
	w.chunks = slices.Delete(w.chunks, 0, n)
	return group
}

// handOver makes a waiting caller the next leader. If no caller waits, the writer becomes idle.
func (w *writer) handOver() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case len(w.acks) > 0:
		close(w.acks[0].lead)
	case len(w.chunks) > 0:
		close(w.chunks[0].lead)
	default:
		w.leading = false
		w.idle.Broadcast()
	}
}

// close makes the writer refuse new jobs, and waits until the current jobs have ended.
func (w *writer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	for w.leading {
		w.idle.Wait()
	}
}

// commit runs a group of jobs in one transaction, and sets the error of each job. If the
// transaction itself fails, for example because the disk is full, every job gets the transaction's
// error. There is one exception: if a job was alone in its group and failed by itself, it keeps its
// own error.
func (w *writer) commit(group []*job) {
	if err := w.transact(group); err != nil {
		for _, j := range group {
			if j.err == nil || len(group) > 1 {
				j.err = decode(err)
			}
		}
	}
}

// transact runs a group of jobs in one transaction. It writes nothing if the database file isn't at
// its path, or if the file system has stopped writing. It checks both again after the commit,
// because the process may have been frozen in between, so that the commit may be lost.
//
// The transaction may be the first that overwrites the WAL after a checkpoint. If the checkpoint
// was lost, the WAL has the only copy of what was acknowledged before. transact therefore calls
// Durable after the transaction has begun, when no other checkpoint can happen before the
// transaction writes.
func (w *writer) transact(group []*job) error {
	if err := w.db.inPlace(); err != nil {
		return err
	}
	tx, err := w.pool.BeginTx(background, nil)
	if err != nil {
		return err
	}
	if err = w.db.Durable(); err == nil {
		err = w.runAll(tx, group)
	}
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		_ = tx.Rollback() // the cause is in err
		return err
	}
	err = w.db.Durable()
	w.db.doubted.Store(err != nil)
	return err
}

// runAll runs the jobs of a group, each in its own savepoint. A job that is alone needs no
// savepoint, because its error rolls back the whole transaction.
func (w *writer) runAll(tx *sql.Tx, group []*job) error {
	shared := &Tx{
		View: View{background, w.stmts.begin(tx), nil, w.db.signer.Load(), true}, Now: time.Now().UTC().Truncate(time.Millisecond), queue: w.queue,
		announced: map[PracticeID]goqite.ID{}, owned: map[row]bool{}, db: w.db,
	}
	shared.signer.begin()
	if len(group) == 1 {
		if group[0].err = run(group[0].fn, shared); group[0].err == nil {
			group[0].err = shared.sign()
		}
		return group[0].err
	}
	for _, j := range group {
		var err error
		if j.err, err = shared.Try(func() error { return run(j.fn, shared) }); err != nil {
			return err
		}
	}
	return shared.sign()
}

// Try runs fn in a savepoint. If fn fails, Try undoes the writes of fn, and returns fn's error as
// failed. The transaction can then continue. If SQLite has rolled back the whole transaction, it
// can't continue, and Try returns err. A caller may ignore failed, but must return err. Otherwise
// every later write would be a transaction of its own.
func (tx *Tx) Try(fn func() error) (failed, err error) {
	if err := tx.do("savepoint try"); err != nil {
		return nil, err
	}
	taken, mark := tx.taken, tx.signer.mark()
	if failed = fn(); failed != nil {
		tx.forget()
		tx.taken = taken
		tx.signer.forgetFrom(mark)
		if err := tx.do("rollback to try"); err != nil {
			return failed, failed
		}
	}
	return failed, tx.do("release try")
}

// run calls fn. If fn panics, it returns an error that doesn't contain the panic's value.
func run(fn func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if recover() != nil {
			task.Caught(slog.Default(), "write", task.Stack())
			err = errPanic
		}
	}()
	tx.tallies = nil // discards the tally changes of a job that was undone
	if err = fn(tx); err == nil {
		err = tx.writeTallies()
	}
	return decode(err)
}

// TruncateWAL empties the write-ahead log, so that no deleted data is left there. It returns false
// if a reader still needs the log, and an error if deleted data may still be on the disk. It blocks
// all writes, so it waits only briefly for readers.
func (db *DB) TruncateWAL(ctx context.Context) (clean bool, err error) {
	conn, err := db.write.Conn(ctx)
	if err != nil {
		return false, decode(err)
	}
	defer conn.Close() //nolint:errcheck // back to the pool
	if err := db.Durable(); err != nil {
		return false, err
	}
	if _, err := conn.ExecContext(ctx, "pragma busy_timeout = 50"); err != nil {
		return false, decode(err)
	}
	defer func() {
		_, restored := conn.ExecContext(background, "pragma "+pragmas[0])
		err = errors.Join(err, decode(restored))
	}()
	var busy, logged, moved int
	err = conn.QueryRowContext(ctx, "pragma wal_checkpoint(truncate)").Scan(&busy, &logged, &moved)
	if lost := db.Durable(); err == nil {
		err = lost
	}
	return err == nil && busy == 0, decode(err)
}
