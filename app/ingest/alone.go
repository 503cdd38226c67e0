package ingest

import (
	"context"
	"sync"

	"birthregistry/store"
)

// An ingestion that was attempted before may be the one that ended the process, so it runs alone.
// Its job takes all slots, waits until no other job writes, and only then counts the attempt. If
// the ingestion ends the process again, no other ingestion loses an attempt.
//
// Ingestions that are attempted for the first time run together. If one of them ends the process,
// each of the others loses only its first attempt.

// runMode says how a job runs: together with other jobs or alone.
type runMode struct {
	service *Service
	// leave lets other jobs run again. It is nil if this job doesn't run alone.
	leave func()
}

func (s *Service) together() *runMode { return &runMode{service: s} }

// alone waits until no other job runs, and then prevents other jobs from running. The caller must
// call leave at the end.
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

// slot waits until the job may read its first chunk. The caller must then call done. A job that
// runs alone doesn't wait.
func (m *runMode) slot(ctx context.Context) (done func(), err error) {
	if m.leave != nil {
		return func() {}, nil
	}
	return m.service.TakeSlot(ctx)
}

// write calls fn, which writes a chunk. A job that runs alone lets other jobs run again after its
// first chunk. By then, the ingestion has ended or made progress without ending the process.
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

// runAlone runs the next job of a practice's queue while no other job runs. It is used if the
// queue's oldest ingestion was attempted before.
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
