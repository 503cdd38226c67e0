package access

import (
	"context"
	"crypto/hmac"
	"errors"
	"sync"
	"time"

	"birthregistry/store"
)

// TrailState is what the verification of the audit trail has found.
type TrailState struct {
	Rows int // how many the trail has, all practices together
	// Broken is the id of the first row that is not as it was written, is gone from
	// the end, or behind which rows were taken out; 0 when all are sound.
	Broken int64
	At     time.Time // of the last look at every row
}

// VerifyTrail walks the whole audit trail and returns how many rows it has and
// the id of the first that is not as it was written, 0 when all are.
func (a *Access) VerifyTrail(ctx context.Context) (rows int, broken int64, err error) {
	var w trailWalk
	err = a.walkTrail(ctx, &w)
	return w.Rows, w.Broken, err
}

// trailWalk is a verification with the place it has come to.
type trailWalk struct {
	sync.Mutex
	TrailState
	last int64 // the row it has come to, with its code
	mac  []byte
}

// verifyEvery is how often pages have every row looked at again; in between
// they go on where they were.
const verifyEvery = 24 * time.Hour

// TrailState verifies what has come to the trail since it was asked last, and
// every row once a day.
func (a *Access) TrailState(ctx context.Context) (TrailState, error) {
	w := &a.verified
	w.Lock()
	defer w.Unlock()
	if time.Since(w.At) > verifyEvery || w.Broken != 0 {
		w.TrailState, w.last, w.mac = TrailState{}, 0, nil
	}
	err := a.walkTrail(ctx, w)
	return w.TrailState, err
}

// walkTrail goes on from where a walk has come to, and looks first whether the
// row there is still the same: the end of the trail may have been cut off.
func (a *Access) walkTrail(ctx context.Context, w *trailWalk) error {
	if w.last == 0 {
		w.At = time.Now()
	}
	met := w.last == 0
	return a.db.View(ctx, func(v *store.View) error {
		err := v.TrailFrom(max(w.last, 1), func(row store.Audit) error {
			if !met {
				if met = true; row.ID == w.last && hmac.Equal(row.MAC, w.mac) {
					return nil
				}
			}
			w.Rows++
			if w.Broken == 0 && (row.ID != w.last+1 || !hmac.Equal(row.MAC, a.chain(w.mac, row))) {
				w.Broken = row.ID
			}
			w.last, w.mac = row.ID, row.MAC
			return nil
		})
		if err == nil && !met {
			w.Broken = w.last
		}
		if err != nil || w.Broken != 0 {
			return err
		}
		whole, err := a.wholeTrail(v, w.last, w.mac)
		if err == nil && !whole {
			w.Broken = w.last + 1
		}
		return err
	})
}

// wholeTrail reports whether the trail ends with a row and nothing was cut off
// behind it.
func (a *Access) wholeTrail(v *store.View, last int64, mac []byte) (bool, error) {
	head, err := v.TrailHead()
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil || !a.ends(head, last, mac) {
		return false, err
	}
	if last > 0 {
		return true, nil
	}
	used, err := v.SomebodySignedIn() // then the trail was begun
	return !used, err
}
