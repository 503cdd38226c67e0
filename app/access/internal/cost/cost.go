// Package cost is what one password hash costs. Only app/access reads it, and
// only app/access/accesstest, which no program imports, changes it.
package cost

// Argon2id is the work of an argon2id hash.
type Argon2id struct {
	Memory uint32 // KiB
	Passes uint32
}

// Full is what every program asks for: 19 MiB and two passes, in one lane
// (OWASP Password Storage Cheat Sheet).
var Full = Argon2id{Memory: 19 << 10, Passes: 2}

// Now is what the hashes of this process cost.
var Now = Full
