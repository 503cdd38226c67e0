package auth

import "sync"

// networkSet holds the networks from which users have signed in. Each key combines a user's email
// address with a network (emailAndNetwork). The set is in memory, and its size is limited.
type networkSet struct {
	mu   sync.Mutex
	rows map[string]bool
}

// maxKnownNetworks is the maximum size of a networkSet. It is far more than the number of networks
// that all users have.
const maxKnownNetworks = 20_000

func (f *networkSet) add(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.rows) >= maxKnownNetworks {
		clear(f.rows)
	}
	f.rows[key] = true
}

func (f *networkSet) has(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.rows[key]
}

// emailAndNetwork combines an email address and a network into one key, under which tries are
// counted.
func emailAndNetwork(email, network string) string { return email + " " + network }
