package audit

import (
	"context"
	"crypto/hmac"
	"errors"
	"sync"
	"time"

	"birthregistry/store"
)

// State is the result of verifying the trail.
type State struct {
	Entries int // the number of entries of all practices
	Erased  int // how many entries are empty because their practice was forgotten
	// Broken is 0 if the trail is intact. Otherwise it is the ID of the first entry that was
	// changed or that follows a removed entry. If entries are missing only at the end, it is the ID
	// of a missing entry.
	Broken int64
	At     time.Time // when every entry was last checked
}

// Verify checks the whole trail.
func (t *Trail) Verify(ctx context.Context) (State, error) {
	var w walk
	err := t.advance(ctx, &w)
	return w.State, err
}

// walk is a verification of the trail that may be continued later.
type walk struct {
	sync.Mutex
	State
	last int64 // the ID and the hash of the last entry that was checked
	mac  []byte
}

// verifyEvery is how often State checks every entry. At other times, State checks only new entries.
const verifyEvery = 24 * time.Hour

// State verifies the trail and returns the result. Most calls check only the entries that were
// added since the last call. State checks every entry once a day, and on each call while the trail
// is broken.
func (t *Trail) State(ctx context.Context) (State, error) {
	w := &t.verified
	w.Lock()
	defer w.Unlock()
	if time.Since(w.At) > verifyEvery || w.Broken != 0 {
		w.State, w.last, w.mac = State{}, 0, nil
	}
	err := t.advance(ctx, w)
	return w.State, err
}

// advance continues a verification to the end of the trail. It first checks that the entry at which
// the verification stopped is unchanged, because the end of the trail may have been cut off
// meanwhile.
func (t *Trail) advance(ctx context.Context, w *walk) error {
	if w.last == 0 {
		w.At = time.Now()
	}
	resumed := w.last == 0
	return t.db.View(ctx, func(v *store.View) error {
		err := v.TrailFrom(max(w.last, 1), func(entry store.Audit) error {
			if !resumed {
				if resumed = true; entry.ID == w.last && hmac.Equal(entry.MAC, w.mac) {
					return nil
				}
			}
			w.Entries++
			if entry.Action == erasedAction {
				w.Erased++
			}
			if w.Broken == 0 && (entry.ID != w.last+1 || !t.stands(w.mac, entry)) {
				w.Broken = entry.ID
			}
			w.last, w.mac = entry.ID, entry.MAC
			return nil
		})
		if err == nil && !resumed {
			w.Broken = w.last
		}
		if err != nil || w.Broken != 0 {
			return err
		}
		complete, err := t.complete(v, w.last, w.mac)
		if err == nil && !complete {
			w.Broken = w.last + 1
		}
		return err
	})
}

// complete reports whether no entry is missing at the end of the trail. last and mac are the ID and
// the hash of the last entry that was found; last is 0 if there is none. A trail without entries is
// complete only if nobody has ever signed in, because a sign-in writes an entry.
func (t *Trail) complete(v *store.View, last int64, mac []byte) (bool, error) {
	head, err := v.TrailHead()
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil || !t.endsWith(head, last, mac) {
		return false, err
	}
	if last > 0 {
		return true, nil
	}
	used, err := v.SomebodySignedIn() // a sign-in writes an entry
	return !used, err
}
