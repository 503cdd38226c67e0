//go:build unix

package web

import (
	"math"
	"syscall"
)

// descriptors returns how many files and connections the process may have open (RLIMIT_NOFILE). If
// that isn't known, it returns a large number.
func descriptors() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > math.MaxInt32 {
		return math.MaxInt32
	}
	return int(limit.Cur)
}
