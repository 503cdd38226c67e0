package store

import (
	"context"
	"slices"
	"sync"
)

// turns limits how many snapshots are open at the same time. If callers have to wait, the practices
// take turns, and one practice never holds all snapshots. A practice with many slow reads therefore
// doesn't hold up another practice.
type turns struct {
	share int // how many snapshots one practice may hold

	mu      sync.Mutex
	free    int
	held    map[PracticeID]int
	waiting map[PracticeID][]chan struct{} // in the order in which the callers came
	next    []PracticeID                   // the practices that wait, beginning with the one whose turn is next
}

func newTurns(most, share int) *turns {
	return &turns{share: share, free: most, held: map[PracticeID]int{}, waiting: map[PracticeID][]chan struct{}{}}
}

type practiceKey struct{}

// InTurnOf returns a context for the reads of a practice. DB.View lets the practices take turns.
// Reads without a practice, such as those of the service's own jobs, have a turn like one more
// practice, but no limit.
func InTurnOf(ctx context.Context, p PracticeID) context.Context {
	return context.WithValue(ctx, practiceKey{}, p)
}

func practiceOf(ctx context.Context) PracticeID {
	p, _ := ctx.Value(practiceKey{}).(PracticeID)
	return p
}

// take waits until the practice may open a snapshot. The caller must then call leave. take returns
// the error of ctx if ctx ends first.
func (t *turns) take(ctx context.Context, p PracticeID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.mu.Lock()
	if t.free > 0 && t.may(p) { // nobody waits whom leave could have served
		t.hold(p)
		t.mu.Unlock()
		return nil
	}
	served := make(chan struct{})
	if len(t.waiting[p]) == 0 {
		t.next = append(t.next, p)
	}
	t.waiting[p] = append(t.waiting[p], served)
	t.mu.Unlock()
	select {
	case <-served:
		return nil
	case <-ctx.Done():
		t.withdraw(p, served)
		return ctx.Err()
	}
}

// withdraw ends the wait of a caller. If the caller was served in the meantime, withdraw calls leave.
func (t *turns) withdraw(p PracticeID, served chan struct{}) {
	t.mu.Lock()
	at := slices.Index(t.waiting[p], served)
	if at >= 0 {
		t.waiting[p] = slices.Delete(t.waiting[p], at, at+1)
		t.forget(p)
	}
	t.mu.Unlock()
	if at < 0 {
		t.leave(p)
	}
}

// leave gives back a snapshot of a practice, and serves those who wait.
func (t *turns) leave(p PracticeID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free++
	if t.held[p]--; t.held[p] == 0 {
		delete(t.held, p)
	}
	for t.free > 0 {
		at := slices.IndexFunc(t.next, t.may)
		if at < 0 {
			return
		}
		p := t.next[at]
		close(t.waiting[p][0])
		t.waiting[p] = t.waiting[p][1:]
		t.hold(p)
		t.next = append(slices.Delete(t.next, at, at+1), p) // its next turn comes after those of all others
		t.forget(p)
	}
}

// may reports whether a practice may hold one more snapshot, if one is free.
func (t *turns) may(p PracticeID) bool { return p == 0 || t.held[p] < t.share }

func (t *turns) hold(p PracticeID) {
	t.free--
	t.held[p]++
}

// forget drops a practice from those that wait, if none of its callers waits any more.
func (t *turns) forget(p PracticeID) {
	if len(t.waiting[p]) > 0 {
		return
	}
	delete(t.waiting, p)
	t.next = slices.DeleteFunc(t.next, func(other PracticeID) bool { return other == p })
}
