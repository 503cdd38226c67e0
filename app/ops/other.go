//go:build !linux

package ops

// unmapProgram does nothing except on Linux.
func unmapProgram() {}

// clockSynchronized is only known on Linux.
func clockSynchronized() bool { return true }
