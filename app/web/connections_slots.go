package web

import (
	"sync"
	"sync/atomic"
	"time"
)

// slots limits the connections, or requests, in total and for each network. When one
// too many comes, the slot that has kept the service waiting longest is closed: in
// the same network if that has its share already, else in the network that holds
// most. A slot that is being worked for is never closed. If all are, the newcomer is
// refused.
type slots struct {
	most, share int
	began       time.Time
	// changed is called with the number of slots when it has changed much, crowded
	// when a slot was closed or refused. Both may be nil.
	changed func(all int)
	crowded func()

	mu       sync.Mutex
	all      int
	reported int                       // when changed was called last
	of       map[string]map[*slot]bool // by network
}

// stay is how long the peers of a network are safe from each other. Otherwise one
// that comes back as fast as it is let go would have the service shake hands all day.
const stay = 2 * time.Second

func newSlots(most int) *slots {
	return &slots{most: most, share: shareOf(most), began: time.Now(), of: map[string]map[*slot]bool{}}
}

// slot is the place of a connection or of a request.
type slot struct {
	slots   *slots
	network string
	shared  bool   // the network is that of many, and has no share of its own
	drop    func() // ends what holds the slot

	// working counts what is done for the peer without waiting for it.
	working atomic.Int32
	// since is when the peer last did something that counts, as the time since
	// began: it came, began a request or ended one, or moved a step of bytes.
	// moved are the bytes since then.
	since, moved atomic.Int64
}

// slot makes a slot, which is still to be taken.
func (t *slots) slot(network string, shared bool, drop func()) *slot {
	s := &slot{slots: t, network: network, shared: shared, drop: drop}
	s.renew()
	return s
}

// take occupies the slot and reports whether there was room for it, if need be
// by ending what occupies another.
func (s *slot) take() bool {
	t := s.slots
	t.mu.Lock()
	var out *slot
	full := true
	switch {
	case !s.shared && len(t.of[s.network]) >= t.share:
		if out = longest(t.of[s.network]); out != nil && out.waited() < stay {
			out = nil
		}
	case t.all >= t.most:
		out = t.dearest()
	default:
		full = false
	}
	if out != nil {
		t.remove(out)
	}
	if !full || out != nil {
		t.add(s)
	}
	t.mu.Unlock()
	if out != nil {
		out.drop()
	}
	if full && t.crowded != nil {
		t.crowded()
	}
	t.report()
	return !full || out != nil
}

// leave gives a slot back; it may have been taken away.
func (s *slot) leave() {
	s.slots.mu.Lock()
	s.slots.remove(s)
	s.slots.mu.Unlock()
	s.slots.report()
}

// much is the change in the number of slots that is reported.
const much = 32

func (t *slots) report() {
	t.mu.Lock()
	all := t.all
	due := t.changed != nil && (all >= t.reported+much || all <= t.reported-much)
	if due {
		t.reported = all
	}
	t.mu.Unlock()
	if due {
		t.changed(all)
	}
}

func (t *slots) add(s *slot) {
	held := t.of[s.network]
	if held == nil {
		held = map[*slot]bool{}
		t.of[s.network] = held
	}
	held[s] = true
	t.all++
}

func (t *slots) remove(s *slot) {
	held := t.of[s.network]
	if !held[s] {
		return
	}
	delete(held, s)
	if len(held) == 0 {
		delete(t.of, s.network)
	}
	t.all--
}

// longest is the slot whose peer has been waited for longest, nil when none is
// waited for.
func longest(held map[*slot]bool) (found *slot) {
	for s := range held {
		if s.working.Load() == 0 && (found == nil || s.since.Load() < found.since.Load()) {
			found = s
		}
	}
	return found
}

// dearest is the longest waited for of the network that holds most.
func (t *slots) dearest() (found *slot) {
	most := 0
	for _, held := range t.of {
		if len(held) < most {
			continue
		}
		s := longest(held)
		if s == nil || len(held) == most && found.since.Load() < s.since.Load() {
			continue
		}
		found, most = s, len(held)
	}
	return found
}

// dropAll ends everything that holds a slot.
func (t *slots) dropAll() {
	t.mu.Lock()
	var all []*slot
	for _, held := range t.of {
		for s := range held {
			all = append(all, s)
		}
	}
	t.mu.Unlock()
	for _, s := range all {
		s.drop()
	}
}

// waited is how long ago the peer did something that counts.
func (s *slot) waited() time.Duration {
	return time.Since(s.slots.began) - time.Duration(s.since.Load())
}

// renew notes that the peer did something that counts.
func (s *slot) renew() {
	s.moved.Store(0)
	s.since.Store(int64(time.Since(s.slots.began)))
}

// move notes bytes.
func (s *slot) move(n int) {
	if s.moved.Add(int64(n)) >= step {
		s.renew()
	}
}
