//go:build !unix

package web

import "math"

// descriptors is how many files and connections the process may have open: as
// many as it likes.
func descriptors() int { return math.MaxInt32 }
