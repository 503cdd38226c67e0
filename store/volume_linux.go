package store

import (
	"errors"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openDirect opens a file in such a way that reads bypass the page cache. It returns nil if that
// isn't possible.
func openDirect(path string) *os.File {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECT, 0)
	if err != nil {
		return nil
	}
	return f
}

// givenUp returns an error if the file system of a folder has stopped writing. It tries to remove
// an attribute that doesn't exist. This changes nothing, but ext4, XFS and Btrfs begin a
// transaction for it, which fails as soon as their journal is aborted. An fsync fails only later:
// until then, ext4 returns success for commits that the aborted journal has lost.
func givenUp(folder *os.File) error {
	open, err := folder.SyscallConn()
	if err != nil {
		return err
	}
	var answer error
	if err := open.Control(func(fd uintptr) { answer = unix.Fremovexattr(int(fd), "user.birthregistry.none") }); err != nil {
		return err // the folder is closed
	}
	if errors.Is(answer, syscall.EROFS) || errors.Is(answer, syscall.EIO) {
		return os.NewSyscallError("fremovexattr", answer)
	}
	return nil // with ENODATA, ENOTSUP or EPERM, the file system still works
}

// readDirect reads the beginning of a file that openDirect has opened.
func readDirect(f *os.File) error {
	const page = 4096
	b := make([]byte, 2*page)
	aligned := page - int(uintptr(unsafe.Pointer(&b[0]))%page) //nolint:gosec // alignment that such reads require
	_, err := syscall.Pread(int(f.Fd()), b[aligned%page:][:page], 0)
	return err
}
