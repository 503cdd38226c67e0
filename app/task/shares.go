package task

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Shares limits how many tasks run at the same time for each key, such as for each user. Further
// tasks with the same key wait, in the order in which they came. Tasks with other keys don't.
type Shares[K comparable] struct {
	most int64

	mu sync.Mutex
	of map[K]*share // only keys with tasks
}

type share struct {
	*semaphore.Weighted
	tasks int // those that run, and those that wait
}

// NewShares returns Shares with a limit: most is the number of tasks with the same key that may run
// at the same time.
func NewShares[K comparable](most int64) *Shares[K] {
	return &Shares[K]{most: most, of: map[K]*share{}}
}

// Take waits until one more task with the key may run. The caller must call leave at the end of the
// task. If ctx ends first, Take returns ctx.Err().
func (t *Shares[K]) Take(ctx context.Context, key K) (leave func(), err error) {
	t.mu.Lock()
	one := t.of[key]
	if one == nil {
		one = &share{Weighted: semaphore.NewWeighted(t.most)}
		t.of[key] = one
	}
	one.tasks++
	t.mu.Unlock()
	if err := one.Acquire(ctx, 1); err != nil {
		t.end(key, one)
		return nil, err
	}
	return func() {
		one.Release(1)
		t.end(key, one)
	}, nil
}

// end drops a key that has no more tasks.
func (t *Shares[K]) end(key K, one *share) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one.tasks--; one.tasks == 0 {
		delete(t.of, key)
	}
}
