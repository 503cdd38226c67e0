//go:build !linux

package ops

// unmapProgram does nothing, because it works only on Linux.
func unmapProgram() {}

// clockSynchronized returns true, because only Linux states whether the clock is synchronized.
func clockSynchronized() bool { return true }
