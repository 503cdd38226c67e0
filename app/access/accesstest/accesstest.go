// Package accesstest is for the tests of other packages than access. Nothing
// that a program is built of may import it, which a test of app holds.
package accesstest

import (
	"sync"

	"birthregistry/app/access/internal/cost"
)

// CheapPasswords makes the hashes of this test process cost next to nothing,
// of whatever access.New makes from here on. What it stores says so: the program
// does not take such a hash for a password.
var CheapPasswords = sync.OnceFunc(func() { cost.Now = cost.Argon2id{Memory: 8, Passes: 1} })
