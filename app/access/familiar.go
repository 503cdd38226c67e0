package access

import "sync"

// familiar are the networks from which people have signed in, by address and
// network (near). They are in memory, and bounded.
type familiar struct {
	mu   sync.Mutex
	rows map[string]bool
}

// maxFamiliar is far more than the people of all practices have networks.
const maxFamiliar = 20_000

func (f *familiar) add(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.rows) >= maxFamiliar {
		clear(f.rows)
	}
	f.rows[key] = true
}

func (f *familiar) has(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rows[key]
}

// near names an email address as tried from a network.
func near(email, network string) string { return email + " " + network }
