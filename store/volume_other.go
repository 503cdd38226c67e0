//go:build !linux

package store

import "os"

// openDirect and readDirect are for Linux; elsewhere writing tells what became
// of a disk.
func openDirect(string) *os.File { return nil }

func readDirect(*os.File) error { return nil }
