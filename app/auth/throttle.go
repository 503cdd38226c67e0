package auth

import (
	"fmt"
	"math"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Wrong passwords slow down further tries, but never lock anybody out (ASVS 5.0, 6.3.1). Each try
// without a device cookie is counted three times: for its network, for the email address from that
// network, and for the email address from anywhere. It doesn't matter whether the email address is
// known. After a few tries, the next try has to wait, and each wait is longer than the last. A try
// that is refused because of a wait is neither checked nor counted.
//
// Other people's tries must not lock out the owner of an account. So a few tries cause waits only
// for the network from which they came. The third count is for attackers with many networks. It
// allows many more tries, subtracts one try every minute, and doesn't slow down a network from
// which the owner has signed in before. Second factors have their own count and a long wait,
// because a person who is asked for a second factor usually knows the password. The counts are in
// memory, so a restart clears them.

// Wait is the error after too many wrong tries. For is how long it takes until the next try is
// accepted.
type Wait struct{ For time.Duration }

func (w Wait) Error() string {
	switch s := w.Seconds(); {
	case s == 1:
		return "auth: too many tries; wait a second and try again"
	case s <= 90:
		return fmt.Sprintf("auth: too many tries; wait %d seconds and try again", s)
	default:
		return fmt.Sprintf("auth: too many tries; wait %d minutes and try again", (s+59)/60)
	}
}

// Seconds returns the wait in whole seconds, rounded up. It returns at least 1.
func (w Wait) Seconds() int { return max(int(math.Ceil(w.For.Seconds())), 1) }

// throttle counts tries under a key. After a few tries under the same key, the next one must wait.
type throttle struct {
	freeTries   int           // the number of tries without a wait
	longestWait time.Duration // the longest wait
	forget      time.Duration // the time after a key's last try at which the key's count is dropped
	fade        time.Duration // the time after which one try is subtracted from a count; 0 for never

	mu   sync.Mutex
	rows map[string]tries
}

type tries struct {
	count int
	last  time.Time
	faded time.Time // the time up to which tries were subtracted
	until time.Time // when the next try may come
}

func newThrottle(free int, longest, forget time.Duration) *throttle {
	return &throttle{freeTries: free, longestWait: longest, forget: forget, rows: map[string]tries{}}
}

const (
	firstWait = 2 * time.Second // doubled with every try
	maxTries  = 20_000          // the greatest number of keys; limiting memory matters more than fairness to attackers
)

// begin counts a try with the given key. It returns 0 if the try may proceed. Otherwise it returns
// how long the try has to wait, and doesn't count the try. A try counts as wrong from the
// beginning, so that concurrent tries can't exceed the limit.
func (d *throttle) begin(key string) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	t, known := d.rows[key]
	if known && now.Sub(t.last) >= d.forget {
		t = tries{}
	}
	if wait := t.until.Sub(now); wait > 0 {
		return wait
	}
	if !known {
		d.sweep(now)
	}
	t = d.fading(t, now)
	t.count++
	t.last = now
	t.until = now.Add(d.after(t.count))
	d.rows[key] = t
	return 0
}

// fading subtracts tries that are old: one for each period of the length fade that has passed since
// fading last subtracted tries.
func (d *throttle) fading(t tries, now time.Time) tries {
	if t.count == 0 || d.fade == 0 {
		t.faded = now
		return t
	}
	n := now.Sub(t.faded) / d.fade
	t.count = max(t.count-int(n), 0)
	t.faded = t.faded.Add(n * d.fade)
	return t
}

// after returns how long the next try has to wait after count tries.
func (d *throttle) after(count int) time.Duration {
	if count < d.freeTries {
		return 0
	}
	return min(firstWait<<min(count-d.freeTries, 20), d.longestWait)
}

// undo subtracts a try that begin has counted, and ends the wait that the try may have caused.
func (d *throttle) undo(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t, known := d.rows[key]; known {
		t.count = max(t.count-1, 0)
		t.until = time.Time{}
		d.rows[key] = t
	}
}

// forgive drops the count of tries under a key.
func (d *throttle) forgive(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.rows, key)
}

// sweep frees space in a full table. It drops the counts that are old enough to be forgotten. If
// the table is still more than three quarters full, it also drops other counts, in no particular
// order.
func (d *throttle) sweep(now time.Time) {
	if len(d.rows) < maxTries {
		return
	}
	for key, t := range d.rows {
		if now.Sub(t.last) >= d.forget {
			delete(d.rows, key)
		}
	}
	for key := range d.rows {
		if len(d.rows) < maxTries*3/4 {
			return
		}
		delete(d.rows, key)
	}
}

// Network returns the network to which an IP address belongs when tries are counted. For an IPv4
// address, that is the address itself. For an IPv6 address, it is the /64, because a host can use
// any address in its /64. Network returns "" if ip isn't an address.
func Network(ip string) string {
	if host, _, err := net.SplitHostPort(ip); err == nil {
		ip = host
	}
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return ""
	}
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr.String()
	}
	prefix, err := addr.Prefix(64)
	if err != nil {
		return ""
	}
	return prefix.String()
}
