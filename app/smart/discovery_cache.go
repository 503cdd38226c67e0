package smart

import (
	"context"
	"sync"
	"time"

	"birthregistry/store"
)

// cacheLife is how long the service caches an EHR's description of its server (S7).
const cacheLife = 10 * time.Minute

// maxWaiting is how many launches wait for the same description. With a slow EHR, anybody could
// otherwise make the service hold any number of launches and calls.
const maxWaiting = 16

// discoveries caches each EHR's description of its server for cacheLife. The key is the ID of the
// EHR on the operator's list. If the operator has replaced the entry on the list, the next call
// asks the EHR again. Failures aren't cached. An EHR is asked only once at a time.
type discoveries struct {
	mu     sync.Mutex
	known  map[int64]discovery
	asking map[int64]*question
}

type discovery struct {
	server
	listed, at time.Time
}

// question is a call that asks an EHR for its description.
type question struct {
	listed   time.Time
	waiting  int
	answered chan struct{} // closed once found and err are set
	found    server
	err      error
}

// of returns the description of an EHR's server, from the cache or from the EHR. If too many
// launches already wait for the EHR, of returns ErrSlow.
func (d *discoveries) of(ctx context.Context, o *outbound, e store.EHR) (server, error) {
	d.mu.Lock()
	known, ok := d.known[e.ID]
	if ok && known.listed.Equal(e.CreatedAt) && time.Since(known.at) < cacheLife {
		d.mu.Unlock()
		return known.server, nil
	}
	q := d.asking[e.ID]
	if q == nil || !q.listed.Equal(e.CreatedAt) {
		q = &question{listed: e.CreatedAt, answered: make(chan struct{}), err: ErrUpstream}
		if d.asking == nil {
			d.known, d.asking = map[int64]discovery{}, map[int64]*question{}
		}
		d.asking[e.ID] = q
		d.mu.Unlock()
		d.ask(ctx, o, e, q)
		return q.found, q.err
	}
	if q.waiting == maxWaiting {
		d.mu.Unlock()
		return server{}, ErrSlow
	}
	q.waiting++
	d.mu.Unlock()
	select {
	case <-q.answered:
		return q.found, q.err
	case <-ctx.Done():
		d.mu.Lock()
		q.waiting--
		d.mu.Unlock()
		return server{}, failure(ctx.Err())
	}
}

// ask asks the EHR. It continues if the caller leaves, because others may wait for the answer.
func (d *discoveries) ask(ctx context.Context, o *outbound, e store.EHR, q *question) {
	defer func() { // also if discover panics
		d.mu.Lock()
		defer d.mu.Unlock()
		if q.err == nil {
			d.known[e.ID] = discovery{q.found, e.CreatedAt, time.Now()}
		}
		if d.asking[e.ID] == q {
			delete(d.asking, e.ID)
		}
		close(q.answered)
	}()
	q.found, q.err = discover(context.WithoutCancel(ctx), o, e.Issuer)
}
