package ingest

import (
	"sync"

	"birthregistry/store"
)

// A Bundle opens the queue of its practice if the practice has no other work. If the worker can
// take another job, the transaction that stores the Bundle also receives the queue and begins the
// job. Such a Bundle needs only two commits: one that stores it, and one that writes its records.
// If the worker can't take another job, Accept only wakes the worker. The worker then receives the
// queue in a separate transaction.

// openings passes practice queues to the worker. Accept has opened these queues and also received
// them for the worker.
type openings struct {
	to    chan *Queue // can hold all queues that may be passed, so Accept never waits
	ended chan struct{}

	mu   sync.Mutex
	most int // the maximum of held
	held int // the number of queues that Accept has received and whose first job hasn't ended
}

func newOpenings(workers int) *openings {
	return &openings{to: make(chan *Queue, workers), ended: make(chan struct{}, 1)}
}

// hold makes a reservation for a queue that Accept is going to receive. It returns false if no
// reservation is free.
func (o *openings) hold() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.held >= o.most {
		return false
	}
	o.held++
	return true
}

// end releases a reservation that hold has made.
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

// ReceiveOpened allows Accept to receive practice queues for the worker. It returns the channel
// that delivers the queues. The caller must process or release each queue, and call StopOpened at
// the end.
func (s *Service) ReceiveOpened() <-chan *Queue {
	s.opened.limit(cap(s.opened.to))
	return s.opened.to
}

// StopOpened stops Accept from receiving practice queues. It calls release for each queue that
// nobody has taken from the channel, even for a queue that Accept is just receiving. It then waits
// until the first jobs of all other queues have ended.
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

// receiveOpened receives the queue that this transaction has opened, and begins its first job. It
// returns nil if the worker can't take another job, or if the job can't begin. In the second case,
// the Bundle is stored all the same, and RunJob will return the error.
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
