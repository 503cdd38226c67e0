package store

import (
	"os"
	"syscall"
	"unsafe"
)

// openDirect opens a file whose reads bypass the page cache; it returns nil if the file system
// can't do that.
func openDirect(path string) *os.File {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECT, 0)
	if err != nil {
		return nil
	}
	return f
}

// readDirect reads the beginning of such a file.
func readDirect(f *os.File) error {
	const page = 4096
	b := make([]byte, 2*page)
	aligned := page - int(uintptr(unsafe.Pointer(&b[0]))%page) //nolint:gosec // alignment that such reads require
	_, err := syscall.Pread(int(f.Fd()), b[aligned%page:][:page], 0)
	return err
}
