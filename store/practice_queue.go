package store

import (
	"database/sql"
	"errors"
	"math"
	"strconv"
	"time"

	"maragu.dev/goqite"
)

// Each practice with unfinished ingestions has a practice queue, which is a row in the table lanes,
// with one message in the queue of goqite. The message means "this practice has work", and also
// serves as a lock. The worker that has received the message processes the practice's ingestions in
// the order in which they were acknowledged. It extends its lease on the message with every chunk,
// and deletes the message in the transaction that finds no ingestions left. goqite therefore has at
// most one message per practice, and two Bundles of one practice never overtake each other.
//
// goqite's own limit on receives isn't used, because it would block a whole practice. Attempts are
// counted for each ingestion, before its processing starts.

// Lease is how long a message that was received is hidden from other receivers.
const Lease = time.Minute

const (
	queueName = "ingest"
	queueTime = "2006-01-02T15:04:05.000Z07:00" // the format in which goqite stores times
)

func newQueue(db *sql.DB) *goqite.Queue {
	return goqite.New(goqite.NewOpts{DB: db, Name: queueName, Timeout: Lease, MaxReceive: math.MaxInt})
}

// PracticeQueue is a practice queue that a worker has received. Message is the ID of the queue's
// message in goqite.
type PracticeQueue struct {
	Practice PracticeID
	Message  goqite.ID
}

// announce ensures that the practice has a practice queue with a message in goqite.
func (tx *Tx) announce(p PracticeID) error {
	if _, seen := tx.announced[p]; seen {
		return nil
	}
	tx.announced[p] = ""
	var message string
	if err := tx.one(`select message from lanes where practice = ?`, []any{p}, &message); !errors.Is(err, ErrNotFound) {
		return err
	}
	body := strconv.AppendInt(nil, int64(p), 10)
	id, err := tx.queue.SendAndGetIDTx(background, tx.tx.Tx, goqite.Message{Body: body})
	if err != nil {
		return decode(err)
	}
	tx.announced[p] = id
	return tx.do(`insert into lanes (practice, message, advanced_at) values (?, ?, ?)`, p, string(id), millis(tx.Now))
}

// Opened reports whether this transaction has opened the practice's queue. If the queue was already
// open, it has a worker, which continues until the practice has no unfinished ingestions.
func (tx *Tx) Opened(p PracticeID) bool { return tx.announced[p] != "" }

// ReceiveQueue receives the next practice queue that waits. It returns ErrNotFound if none waits.
// It deletes messages that belong to no practice queue.
func (tx *Tx) ReceiveQueue() (PracticeQueue, error) {
	for {
		m, err := tx.queue.ReceiveTx(background, tx.tx.Tx)
		if err != nil {
			return PracticeQueue{}, decode(err)
		}
		if m == nil {
			return PracticeQueue{}, ErrNotFound
		}
		q := PracticeQueue{Message: m.ID}
		err = tx.one(`select practice from lanes where message = ?`, []any{string(m.ID)}, &q.Practice)
		switch {
		case errors.Is(err, ErrNotFound):
			err = tx.dropMessage(m.ID)
		case err == nil:
			return q, tx.HoldQueue(q)
		}
		if err != nil {
			return PracticeQueue{}, err
		}
	}
}

// ReceiveOpened receives the practice queue if this transaction has opened it, and returns
// ErrNotFound otherwise.
func (tx *Tx) ReceiveOpened(p PracticeID) (PracticeQueue, error) {
	if !tx.Opened(p) {
		return PracticeQueue{}, ErrNotFound
	}
	q := PracticeQueue{p, tx.announced[p]}
	return q, tx.HoldQueue(q)
}

// Advance records that the practice queue has made progress now, and extends the lease. It returns
// ErrForgotten if the practice is being forgotten, so that nothing is written for it.
func (tx *Tx) Advance(q PracticeQueue) error {
	changed, err := tx.exec(`update lanes set advanced_at = ? where practice = ?`, millis(tx.Now), q.Practice)
	if err == nil && changed == 0 {
		err = tx.beingForgotten(q.Practice)
	}
	if err != nil {
		return err
	}
	return tx.HoldQueue(q)
}

// HoldQueue extends the lease on a practice queue. A job that starts calls HoldQueue and not
// Advance, because a job that starts over and over without finishing must not count as progress.
func (tx *Tx) HoldQueue(q PracticeQueue) error { return tx.lease(q, Lease, worked) }

// These are the priorities of messages. goqite first looks at messages with a higher priority,
// including those that a worker has already received. Received messages have the lower priority, so
// that a receiver finds a waiting message first.
const (
	waits  = 0
	worked = -1
)

// lease extends the lease on a message and sets the message's priority. It is used instead of
// goqite's Extend, because its statement is prepared only once.
func (tx *Tx) lease(q PracticeQueue, lasts time.Duration, priority int) error {
	return tx.do(`update goqite set timeout = ?, priority = ? where queue = ? and id = ?`,
		tx.Now.Add(lasts).Format(queueTime), priority, queueName, string(q.Message))
}

// dropMessage deletes a message. It is used instead of goqite's Delete, because its statement is
// prepared only once.
func (tx *Tx) dropMessage(id goqite.ID) error {
	return tx.do(`delete from goqite where queue = ? and id = ?`, queueName, string(id))
}

// EndQueue deletes the queue of a practice if the practice has no unfinished ingestions, and
// reports whether it did. It returns ErrForgotten if the practice is being forgotten.
func (tx *Tx) EndQueue(p PracticeID) (bool, error) {
	var left int
	err := tx.one(`
		select exists (
			select 1 from ingestions indexed by ingestions_unfinished
			where practice = ? and status in ('queued', 'processing') and practice not in (select practice from forgotten)
		)`, []any{p}, &left)
	if err != nil || left == 1 {
		return false, err
	}
	delete(tx.announced, p)
	var message goqite.ID
	err = tx.one(`delete from lanes where practice = ? returning message`, []any{p}, &message)
	if errors.Is(err, ErrNotFound) { // RepairQueues or Forget has deleted the queue
		return true, tx.beingForgotten(p)
	}
	if err != nil {
		return false, err
	}
	return true, tx.dropMessage(message)
}

// ReleaseQueue ends the lease, so that the practice queue can be received immediately.
func (tx *Tx) ReleaseQueue(q PracticeQueue) error { return tx.lease(q, 0, waits) }

// ReleaseQueues ends the leases of an earlier process, and announces practices that have lost their
// message. Only the serving process may call it, before it starts to process anything.
func (tx *Tx) ReleaseQueues() error {
	if err := tx.RepairQueues(); err != nil {
		return err
	}
	return tx.do(`update goqite set timeout = ?, priority = ? where queue = ?`, tx.Now.Format(queueTime), waits, queueName)
}

// RepairQueues announces the practices that have unfinished ingestions but no message, so that
// every acknowledged submission is processed. It also ends leases that last longer than Lease.
func (tx *Tx) RepairQueues() error {
	tx.forget()
	err := tx.do(`delete from lanes where message not in (select id from goqite)`)
	if err != nil {
		return err
	}
	var stranded []PracticeID
	stranded, err = all(&tx.View, `
		select distinct practice from ingestions
		where
			status in ('queued', 'processing')
			and practice not in (select practice from lanes)
			and practice not in (select practice from forgotten)`, value[PracticeID])
	for _, p := range stranded {
		if err == nil {
			err = tx.announce(p)
		}
	}
	if err != nil {
		return err
	}
	return tx.releaseOverlong()
}

// releaseOverlong ends the leases on practice queues that would last longer than Lease, because the
// clock was set back.
func (tx *Tx) releaseOverlong() error {
	return tx.do(`
		update goqite set timeout = ?, priority = ?
		where queue = ? and timeout > ?`,
		tx.Now.Format(queueTime), waits, queueName, tx.Now.Add(Lease+time.Second).Format(queueTime))
}

// Feed describes all practice queues, for the health check.
type Feed struct {
	// Practices is the number of practices with unfinished ingestions.
	Practices int
	// OldestAdvance is when the practice queue that has made no progress for longest last made
	// progress. It is zero if there are no practice queues.
	OldestAdvance time.Time
}

// Feed returns a description of all practice queues.
func (v *View) Feed() (f Feed, err error) {
	err = v.one(`select count(*), min(advanced_at) from lanes`, nil, &f.Practices, asTime(&f.OldestAdvance))
	return f, err
}
