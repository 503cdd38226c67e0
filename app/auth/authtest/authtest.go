// Package authtest makes passwords cheap for tests: at full cost, hashing would be
// most of a test's time. No program may import it; a test of package app checks
// that.
package authtest

import (
	"sync"

	"birthregistry/app/auth/internal/cost"
)

// CheapPasswords makes the hashes of this test process cost next to nothing,
// of whatever auth.New makes from here on. What it stores says so: the program
// does not take such a hash for a password.
var CheapPasswords = sync.OnceFunc(func() { cost.Now = cost.Argon2id{Memory: 8, Passes: 1} })
