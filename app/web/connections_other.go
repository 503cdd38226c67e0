//go:build !unix

package web

import "math"

// descriptors returns how many files and connections the process may have open. Only Unix has such
// a limit (RLIMIT_NOFILE). Here, descriptors returns a number that is never reached.
func descriptors() int { return math.MaxInt32 }
