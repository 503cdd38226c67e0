//go:build !linux

package app

// unmapProgram is for Linux; elsewhere the system sees to it.
func unmapProgram() {}

// clockSynchronized is for Linux; elsewhere it cannot be told.
func clockSynchronized() bool { return true }
