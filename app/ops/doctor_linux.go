package ops

import "syscall"

// clockSynchronized reports whether something keeps the clock right; true where
// that cannot be told.
func clockSynchronized() bool {
	const unsynchronized = 5 // TIME_ERROR, see adjtimex(2)
	state, err := syscall.Adjtimex(&syscall.Timex{})
	return err != nil || state != unsynchronized
}
