package store

import (
	"context"
	"slices"
	"sync"
)

// snapshots limits how many snapshots are open at the same time. If callers have to wait, the
// practices take turns, and one practice never holds all snapshots. A practice with many slow reads
// therefore doesn't hold up another practice.
type snapshots struct {
	share int // how many snapshots one practice may hold

	mu      sync.Mutex
	free    int
	held    map[PracticeID]int
	waiting map[PracticeID][]chan struct{} // in the order in which the callers came
	next    []PracticeID                   // the practices that wait, beginning with the one whose turn is next
}

func newSnapshots(most, share int) *snapshots {
	return &snapshots{share: share, free: most, held: map[PracticeID]int{}, waiting: map[PracticeID][]chan struct{}{}}
}

type practiceKey struct{}

// ReadsOf returns a context for the reads of a practice. DB.View lets the practices take turns.
// Reads without a practice, such as those of the service's own jobs, take turns as if they were one
// more practice, but without its limit.
func ReadsOf(ctx context.Context, p PracticeID) context.Context {
	return context.WithValue(ctx, practiceKey{}, p)
}

func practiceOf(ctx context.Context) PracticeID {
	p, _ := ctx.Value(practiceKey{}).(PracticeID)
	return p
}

// take waits until the practice may open a snapshot. The caller must then call leave. take returns
// the error of ctx if ctx ends first.
func (s *snapshots) take(ctx context.Context, p PracticeID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.free > 0 && s.may(p) { // nobody waits whom leave could have served
		s.hold(p)
		s.mu.Unlock()
		return nil
	}
	served := make(chan struct{})
	if len(s.waiting[p]) == 0 {
		s.next = append(s.next, p)
	}
	s.waiting[p] = append(s.waiting[p], served)
	s.mu.Unlock()
	select {
	case <-served:
		return nil
	case <-ctx.Done():
		s.withdraw(p, served)
		return ctx.Err()
	}
}

// withdraw ends the wait of a caller. If the caller was served in the meantime, withdraw calls leave.
func (s *snapshots) withdraw(p PracticeID, served chan struct{}) {
	s.mu.Lock()
	at := slices.Index(s.waiting[p], served)
	if at >= 0 {
		s.waiting[p] = slices.Delete(s.waiting[p], at, at+1)
		s.forget(p)
	}
	s.mu.Unlock()
	if at < 0 {
		s.leave(p)
	}
}

// leave gives back a snapshot of a practice, and serves those who wait.
func (s *snapshots) leave(p PracticeID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	if s.held[p]--; s.held[p] == 0 {
		delete(s.held, p)
	}
	for s.free > 0 {
		at := slices.IndexFunc(s.next, s.may)
		if at < 0 {
			return
		}
		p := s.next[at]
		close(s.waiting[p][0])
		s.waiting[p] = s.waiting[p][1:]
		s.hold(p)
		s.next = append(slices.Delete(s.next, at, at+1), p) // its next turn comes after those of all others
		s.forget(p)
	}
}

// may reports whether a practice may hold one more snapshot, if one is free.
func (s *snapshots) may(p PracticeID) bool { return p == 0 || s.held[p] < s.share }

func (s *snapshots) hold(p PracticeID) {
	s.free--
	s.held[p]++
}

// forget drops a practice from those that wait, if none of its callers waits any more.
func (s *snapshots) forget(p PracticeID) {
	if len(s.waiting[p]) > 0 {
		return
	}
	delete(s.waiting, p)
	s.next = slices.DeleteFunc(s.next, func(other PracticeID) bool { return other == p })
}
