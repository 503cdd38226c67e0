package ingest

import (
	"context"
	"sync"

	"birthregistry/store"
)

// An ingestion that was attempted before may be the one that ended the process, so it runs alone.
// Its job takes all slots, waits until no other job writes, and only then counts the attempt. So if
// the ingestion ends the process again, no other ingestion loses an attempt. Ingestions that are
// attempted for the first time run together. So if one of them ends the process, each of the others
// loses only its first attempt.

// runMode is how a job runs: together with others or alone.
type runMode struct {
	service *Service
	// leave ends the time in which the job runs alone. It is nil if the job runs together with
	// others.
	leave func()
}

func (s *Service) together() *runMode { return &runMode{service: s} }

// alone waits until no other job runs, and then keeps other jobs from running. The caller must call
// leave in the end.
func (s *Service) alone(ctx context.Context) (*runMode, error) {
	all := int64(max(s.settings.Workers, 1))
	if err := s.slots.Acquire(ctx, all); err != nil {
		return nil, err
	}
	s.writing.Lock()
	return &runMode{s, sync.OnceFunc(func() {
		s.writing.Unlock()
		s.slots.Release(all)
	})}, nil
}

// slot waits until the job may read its first chunk. The caller must call done afterwards.
func (m *runMode) slot(ctx context.Context) (done func(), err error) {
	if m.leave != nil {
		return func() {}, nil
	}
	return m.service.TakeSlot(ctx)
}

// write runs fn, which writes a chunk. A job runs alone only until it has written its first chunk:
// the ingestion has then ended or advanced without ending the process.
func (m *runMode) write(fn func() error) error {
	if m.leave != nil {
		defer func() {
			m.leave()
			m.leave = nil
		}()
		return fn()
	}
	m.service.writing.RLock()
	defer m.service.writing.RUnlock()
	return fn()
}

// runAlone does the next job of a practice queue whose oldest ingestion was attempted before.
func (s *Service) runAlone(ctx context.Context, q *Queue, i store.Ingestion) (ended bool, err error) {
	m, err := s.alone(ctx)
	if err != nil {
		return false, err
	}
	defer m.leave()
	group := []store.Ingestion{i}
	if err := s.countAttempt(q, group); err != nil {
		return false, err
	}
	return s.process(ctx, q.PracticeQueue, group, m)
}
