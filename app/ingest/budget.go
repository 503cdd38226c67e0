package ingest

import (
	"sync"

	"birthregistry/store"
)

// budget is memory, in bytes, that all practices share. One practice can use only a share of it. So
// nobody can keep the other practices from sending by sending slowly.
type budget struct {
	all, share int64

	mu   sync.Mutex
	used int64
	of   map[store.PracticeID]int64
}

// newBudget returns a budget of which one practice can use at most a share.
func newBudget(all, share int64) *budget {
	return &budget{all: all, share: share, of: map[store.PracticeID]int64{}}
}

// take takes memory for a practice. It returns false if not enough is left.
func (b *budget) take(p store.PracticeID, bytes int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+bytes > b.all || b.of[p]+bytes > b.share {
		return false
	}
	b.used += bytes
	b.of[p] += bytes
	return true
}

// release gives back memory that take has taken.
func (b *budget) release(p store.PracticeID, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= bytes
	if b.of[p] -= bytes; b.of[p] == 0 {
		delete(b.of, p)
	}
}
