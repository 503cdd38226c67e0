// Package cost holds the cost of a password hash. Package auth reads it. Only package authtest
// changes it, and no program imports that package.
package cost

// Argon2id is the cost of an argon2id hash.
type Argon2id struct {
	Memory uint32 // KiB
	Passes uint32
}

// Full is the cost in every program: 19 MiB and two passes, in one thread
// (OWASP Password Storage Cheat Sheet).
var Full = Argon2id{Memory: 19 << 10, Passes: 2}

// Now is the cost of the hashes that this process makes.
var Now = Full
