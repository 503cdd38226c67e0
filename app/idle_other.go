//go:build !linux

package app

// unmapProgram is for Linux; elsewhere the system sees to it.
func unmapProgram() {}
