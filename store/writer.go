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

// writer runs write transactions on the write connection, with group commit: callers that wait
// while a transaction commits share the next one, each in its own savepoint, and get their answer
// when that commit is durable. A commit costs one fsync, however many callers share it.
//
// It has no goroutine of its own. The first caller leads: it runs the group of waiting callers,
// passes the lead to a caller that came in the meantime, and returns. So a caller on its own
// never waits for another goroutine.
type writer struct {
	db    *DB
	pool  *sql.DB
	stmts statements
	queue *goqite.Queue

	mu      sync.Mutex
	idle    sync.Cond
	acks    []*job // short writes, all of which share the next commit
	chunks  []*job // a worker's chunks: one full or several light ones per commit
	leading bool
	closed  bool
}

// job is one caller's closure and its result.
type job struct {
	fn     func(*Tx) error
	weight int // rows of a chunk
	err    error
	done   chan struct{} // closed when err is final
	lead   chan struct{} // closed when this caller leads
}

// maxGroup is the greatest number of short writes in one commit, and also the greatest number of
// chunks, so that the first caller doesn't wait forever.
const maxGroup = 256

// FullChunk is the number of rows up to which one commit combines workers' chunks. Writing that
// many rows takes tens of milliseconds, during which acknowledgments wait. A higher limit wouldn't
// be faster.
const FullChunk = 2500

var errPanic = errors.New("store: a write failed because of a defect in the program; the log shows where")

func newWriter(db *DB) *writer {
	w := &writer{db: db, pool: db.write, stmts: statements{pool: db.write}, queue: newQueue(db.write)}
	w.idle.L = &w.mu
	return w
}

// Update runs fn inside a write transaction and returns when its writes are durable. If fn
// returns an error, only its own writes are undone. fn may only read and write through tx.
func (db *DB) Update(fn func(*Tx) error) error {
	return db.submit(&job{fn: fn}, &db.writer.acks)
}

// UpdateChunk is Update for a chunk: the many rows that a worker writes at a time. rows is about
// how many rows the chunk writes. A commit takes one chunk, or several that together write at most
// FullChunk rows, so that short writes don't wait for a long commit.
func (db *DB) UpdateChunk(rows int, fn func(*Tx) error) error {
	return db.submit(&job{fn: fn, weight: rows}, &db.writer.chunks)
}

func (db *DB) submit(j *job, waiting *[]*job) error {
	if db.damaged.Load() {
		return ErrCorrupt
	}
	return db.notice(db.writer.submit(j, waiting))
}

// submit queues a job and waits until it is done.
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

// gather returns the next group: the waiting short writes, and one chunk or several
// light ones.
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

// handOver wakes the next leader, or leaves the writer idle.
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

// close refuses new jobs and waits for those in progress.
func (w *writer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	for w.leading {
		w.idle.Wait()
	}
}

// commit runs a group of jobs in one transaction and sets the error of every job. If the
// transaction itself fails, for example because the disk is full, every job gets that error. The
// only exception is a job that was alone in the group and failed by itself: it keeps its own error.
func (w *writer) commit(group []*job) {
	if err := w.transact(group); err != nil {
		for _, j := range group {
			if j.err == nil || len(group) > 1 {
				j.err = decode(err)
			}
		}
	}
}

// transact runs a group in one transaction. It writes nothing if the database file isn't in its
// place or the file system has stopped writing. It checks both again after the commit, because the
// process may have been frozen in between, and the commit may be lost.
//
// The transaction may be the first to overwrite the WAL after a checkpoint. If the checkpoint was
// lost, the WAL has the only copy of what was acknowledged before. So transact calls Durable after
// the transaction has begun, when no other checkpoint can come before the transaction's writes.
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
		_ = tx.Rollback() // err has the cause
		return err
	}
	err = w.db.Durable()
	w.db.doubted.Store(err != nil)
	return err
}

// runAll runs the jobs, each in a savepoint. A single job runs without one, because its error rolls
// back the whole transaction.
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

// Try runs fn in a savepoint. If fn fails, Try undoes fn's writes and returns fn's error as
// failed, and the transaction continues. If SQLite has rolled back everything, the transaction
// can't continue, and err is set. A caller that ignores failed must still return err. Otherwise
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

// run calls fn and turns a panic into an error without the panic's value.
func run(fn func(*Tx) error, tx *Tx) (err error) {
	defer func() {
		if recover() != nil {
			task.Caught(slog.Default(), "write", task.Stack())
			err = errPanic
		}
	}()
	tx.tallies = nil // discards the changes of a job that was undone
	if err = fn(tx); err == nil {
		err = tx.writeTallies()
	}
	return decode(err)
}

// TruncateWAL empties the write-ahead log, so that no deleted data is left there. It returns
// false if a reader still needs the WAL, and an error if the disk may still have that data. It
// blocks the writer, so it waits only briefly for readers.
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
