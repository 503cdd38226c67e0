package ingest

import (
	"sync"

	"birthregistry/store"
)

// A Bundle on its own opens the queue of its practice. If a worker has room for another job, the
// transaction that stores the Bundle also receives the queue and begins the job. So such a Bundle
// takes two commits: this one, and the one that writes its records. Otherwise, the worker is
// woken and receives the queue.

// openings passes the practice queues that Accept has opened and received to the worker.
type openings struct {
	to    chan *Queue // has room for all queues that may be passed, so Accept never waits
	ended chan struct{}

	mu   sync.Mutex
	most int // limits held
	held int // the queues from Accept whose first job hasn't ended
}

func newOpenings(workers int) *openings {
	return &openings{to: make(chan *Queue, workers), ended: make(chan struct{}, 1)}
}

// hold reserves room for a queue. It returns false if there is none.
func (o *openings) hold() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.held >= o.most {
		return false
	}
	o.held++
	return true
}

// end gives the room of a queue back.
func (o *openings) end() {
	o.mu.Lock()
	o.held--
	o.mu.Unlock()
	select {
	case o.ended <- struct{}{}:
	default:
	}
}

func (o *openings) limit(most int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.most = most
}

func (o *openings) left() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.held
}

// ReceiveOpened makes Accept receive practice queues, and returns the channel that delivers them.
// The caller must process or release each, and call StopOpened in the end.
func (s *Service) ReceiveOpened() <-chan *Queue {
	s.opened.limit(cap(s.opened.to))
	return s.opened.to
}

// StopOpened ends what ReceiveOpened has begun. It releases the queues that nobody has taken, and
// waits until Accept has passed on those that it is receiving and the first jobs of the others
// have ended.
func (s *Service) StopOpened(release func(*Queue)) {
	s.opened.limit(0)
	for s.opened.left() > 0 {
		select {
		case q := <-s.opened.to:
			release(q)
		case <-s.opened.ended:
		}
	}
}

// receiveOpened receives the queue that this transaction has opened and begins its first job. It
// returns nil if no worker has room for it, or if its job can't begin: RunJob will then get that
// error, and the Bundle is stored all the same.
func (s *Service) receiveOpened(tx *store.Tx, p store.PracticeID) (q *Queue, err error) {
	if !s.opened.hold() {
		return nil, nil
	}
	defer func() {
		if q == nil {
			s.opened.end()
		}
	}()
	var begun []store.Ingestion
	failed, err := tx.Try(func() (err error) {
		begun, err = begin(tx, p)
		return err
	})
	if err != nil || failed != nil || len(begun) == 0 {
		return nil, err
	}
	l, err := tx.ReceiveOpened(p)
	if err != nil {
		return nil, err
	}
	return &Queue{PracticeQueue: l, begun: begun, ended: sync.OnceFunc(s.opened.end)}, nil
}
