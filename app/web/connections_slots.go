package web

import (
	"sync"
	"sync/atomic"
	"time"
)

// slots limits how many connections are open, in total and from each network. A second slots limits
// the requests in the same way. When a limit is reached, take closes a connection to make room for
// a new one.
//
// If a network has used up its share, take closes the connection of this network whose peer has
// kept the service waiting longest. If the total is reached, dearest chooses the connection to
// close. take never closes a connection that the service is working for. If it can't close a
// connection, it refuses the new one.
type slots struct {
	most, share int
	began       time.Time
	// changed is called whenever the number of slots in use has changed by at least 32 (much) since
	// the last call. crowded is called when a slot is closed to make room for another, and when a
	// connection or request is refused. Both may be nil.
	changed func(all int)
	crowded func()

	mu       sync.Mutex
	all      int
	reported int                       // the number last passed to changed
	of       map[string]map[*slot]bool // the slots by network
}

// stay is how long a slot is protected from other peers of the same network after its peer has made
// progress. Without this protection, a peer that reconnects as soon as it is dropped would keep the
// service busy with handshakes.
const stay = 2 * time.Second

func newSlots(most int) *slots {
	return &slots{most: most, share: shareOf(most), began: time.Now(), of: map[string]map[*slot]bool{}}
}

// slot is a place for one connection or one request among the slots.
type slot struct {
	slots   *slots
	network string
	shared  bool   // many peers use the network's address, so it has no limit of its own
	drop    func() // ends what holds the slot

	// working counts the tasks that are running without waiting for the peer.
	working atomic.Int32
	// since is the time at which the peer last made progress, as a duration since began. The peer
	// makes progress when it connects, when it begins or ends a request, and whenever it has moved
	// step bytes. moved counts the bytes since then.
	since, moved atomic.Int64
}

// slot returns a slot for a connection or a request. The slot isn't taken yet. drop ends the
// connection or request.
func (t *slots) slot(network string, shared bool, drop func()) *slot {
	s := &slot{slots: t, network: network, shared: shared, drop: drop}
	s.renew()
	return s
}

// take takes the slot. If a limit is reached, take first closes another connection or request to
// make room. If it can't close any, it returns false and doesn't take the slot.
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

// leave releases the slot. The slot may have been closed already.
func (s *slot) leave() {
	s.slots.mu.Lock()
	s.slots.remove(s)
	s.slots.mu.Unlock()
	s.slots.report()
}

// much is the smallest change in the number of taken slots that is reported.
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

// longest returns the slot whose peer has kept the service waiting longest. It returns nil if the
// service isn't waiting for any of the peers.
func longest(held map[*slot]bool) (found *slot) {
	for s := range held {
		if s.working.Load() == 0 && (found == nil || s.since.Load() < found.since.Load()) {
			found = s
		}
	}
	return found
}

// dearest returns the slot to close when all slots are taken. It considers only networks that have
// a slot whose peer keeps the service waiting. It chooses the network that holds the most slots
// and, in that network, the slot whose peer has kept the service waiting longest. If the service is
// working for every slot, dearest returns nil.
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

// dropAll ends every connection or request that has taken a slot.
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

// waited returns how long ago the peer made progress for the last time.
func (s *slot) waited() time.Duration {
	return time.Since(s.slots.began) - time.Duration(s.since.Load())
}

// renew records that the peer has made progress.
func (s *slot) renew() {
	s.moved.Store(0)
	s.since.Store(int64(time.Since(s.slots.began)))
}

// move counts bytes that the peer has sent or read.
func (s *slot) move(n int) {
	if s.moved.Add(int64(n)) >= step {
		s.renew()
	}
}
