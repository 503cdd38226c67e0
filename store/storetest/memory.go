package storetest

import (
	"os"
	"syscall"
	"testing"
)

// memory is a file system in memory, where the machine has one, and room what it
// has to have free: tests fill some, and a service minds its reserve.
const (
	memory = "/dev/shm"
	room   = 2 << 30
)

// OffTheDisk runs the tests of a package with their temporary folders in memory,
// where the machine has room there: a commit then does not wait for the disk. It
// is for packages whose tests do not ask what a disk keeps; those of store and app
// do, and stay on it. Call it in TestMain.
func OffTheDisk(m *testing.M) (code int) {
	var free syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &free) != nil || free.Bavail*uint64(free.Bsize) < room {
		return m.Run()
	}
	folder, err := os.MkdirTemp(memory, "birthregistry-test-")
	if err != nil {
		return m.Run()
	}
	defer os.RemoveAll(folder) //nolint:errcheck // what stays is gone with the next start of the machine
	if err := os.Setenv("TMPDIR", folder); err != nil {
		return m.Run()
	}
	return m.Run()
}
