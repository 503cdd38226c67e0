package smart

import (
	"context"
	"sync"
	"time"

	"birthregistry/store"
)

// cacheLife is how long the service caches an EHR's description of its server (S7).
const cacheLife = 10 * time.Minute

// discoveries caches each EHR's description of its server for cacheLife. The key is the ID of the
// EHR on the operator's list. If the operator has replaced the entry on the list, the next call
// asks the EHR again. Failures aren't cached.
type discoveries struct {
	mu    sync.Mutex
	known map[int64]discovery
}

type discovery struct {
	server
	listed, at time.Time
}

// of returns the description of an EHR's server, from the cache or from the EHR.
func (d *discoveries) of(ctx context.Context, o *outbound, e store.EHR) (server, error) {
	d.mu.Lock()
	known, ok := d.known[e.ID]
	d.mu.Unlock()
	if ok && known.listed.Equal(e.CreatedAt) && time.Since(known.at) < cacheLife {
		return known.server, nil
	}
	found, err := discover(ctx, o, e.Issuer)
	if err != nil {
		return found, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.known == nil {
		d.known = map[int64]discovery{}
	}
	d.known[e.ID] = discovery{found, e.CreatedAt, time.Now()}
	return found, nil
}
