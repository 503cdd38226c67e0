// Package authtest makes password hashes cheap in tests, because hashing at full cost would take up
// most of a test's time. It also simulates authenticators. No program may import this package. A
// test of package app checks that.
package authtest

import (
	"sync"

	"birthregistry/app/auth/internal/cost"
)

// CheapPasswords makes password hashing in this test process cost almost nothing. It affects the
// services that auth.New makes afterwards. The stored hashes state their low cost, so the real
// program doesn't accept them.
var CheapPasswords = sync.OnceFunc(func() { cost.Now = cost.Argon2id{Memory: 8, Passes: 1} })
