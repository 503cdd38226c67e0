//go:build unix

package web

import (
	"math"
	"syscall"
)

// descriptors is how many files and connections the process may have open
// (RLIMIT_NOFILE), many when that is not known.
func descriptors() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}
