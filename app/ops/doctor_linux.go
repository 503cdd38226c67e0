package ops

import "syscall"

// clockSynchronized reports whether the system keeps the clock synchronized. It returns true if
// that isn't known.
func clockSynchronized() bool {
	const unsynchronized = 5 // TIME_ERROR, see adjtimex(2)
	state, err := syscall.Adjtimex(&syscall.Timex{})
	return err != nil || state != unsynchronized
}
