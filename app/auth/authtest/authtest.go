// Package authtest makes passwords cheap for tests, because at full cost, hashing would be most of
// a test's time. It also simulates authenticators. No program may import this package; a test of
// package app checks that.
package authtest

import (
	"sync"

	"birthregistry/app/auth/internal/cost"
)

// CheapPasswords makes password hashes in this test process nearly free, for services that
// auth.New makes from now on. The stored hashes state their low cost, so the real program
// doesn't accept them.
var CheapPasswords = sync.OnceFunc(func() { cost.Now = cost.Argon2id{Memory: 8, Passes: 1} })
