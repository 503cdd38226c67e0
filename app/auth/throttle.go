package auth

import (
	"fmt"
	"math"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Wrong passwords are slowed down and never lock anybody out (ASVS 5.0, 6.3.1). Each try without a
// device cookie is counted three times: for its network; for the email address, known or not, from
// that network; and for the email address from anywhere. After a few tries the next one has to
// wait, longer each time. A try that is refused because of the wait is not checked and not counted.
//
// Other people's tries must not lock out the owner of an account. So a few tries cause waits only
// for their own network. The third count, for the email address from anywhere, is for attackers
// with many networks. It allows many more tries, forgets one every minute, and does not slow down a
// network from which the person has signed in before. Second factors have their own count and a
// long wait, because a person who is asked for one usually knows the password. The counts are in
// memory; a restart clears them.

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

// throttle counts tries by key. After a few tries with a key, it makes the next try with that key
// wait.
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

// begin counts a try with a key and returns 0 if the try may proceed. The try counts as wrong at
// once, so that concurrent tries are all counted. If the try has to wait, begin returns how long,
// and doesn't count it.
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

// fading subtracts one try for each period of fade that has passed since tries were last
// subtracted.
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

// after returns how long a key has to wait after count tries.
func (d *throttle) after(count int) time.Duration {
	if count < d.freeTries {
		return 0
	}
	return min(firstWait<<min(count-d.freeTries, 20), d.longestWait)
}

// undo subtracts a try that begin has counted, and ends the wait.
func (d *throttle) undo(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t, known := d.rows[key]; known {
		t.count = max(t.count-1, 0)
		t.until = time.Time{}
		d.rows[key] = t
	}
}

// forgive drops the count of a key.
func (d *throttle) forgive(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.rows, key)
}

// sweep frees space in a full table. It drops the counts that are old enough to forget. If the
// table is still more than three quarters full, it then drops other counts, whichever come first.
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
