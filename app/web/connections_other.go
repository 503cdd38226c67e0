//go:build !unix

package web

import "math"

// descriptors returns how many files and connections the process may have open. This system has
// no limit.
func descriptors() int { return math.MaxInt32 }
