//go:build !unix

package web

import "math"

// descriptors returns how many files and connections the process may have open: a number that is
// never reached, because only Unix has such a limit (RLIMIT_NOFILE).
func descriptors() int { return math.MaxInt32 }
