package storetest

import (
	"os"
	"syscall"
	"testing"
)

// memory is the usual mount point of a file system that is kept in memory. room is how many bytes
// must be free there, because some tests fill the disk, and a service keeps a reserve.
const (
	memory = "/dev/shm"
	room   = 2 << 30
)

// OffTheDisk runs the tests of a package with temporary folders in memory, so that commits don't
// wait for the disk. It runs several tests at the same time (ManyAtOnce). It uses the usual folders
// if TMPDIR is set or if there is too little free memory. Tests that depend on what the disk keeps
// (in store and app) don't use OffTheDisk. It is meant to be called in TestMain.
func OffTheDisk(m *testing.M) (code int) {
	ManyAtOnce()
	var free syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(memory, &free) != nil || free.Bavail*uint64(free.Bsize) < room {
		return m.Run()
	}
	folder, err := os.MkdirTemp(memory, "birthregistry-test-")
	if err != nil {
		return m.Run()
	}
	defer os.RemoveAll(folder) //nolint:errcheck // anything left disappears when the machine restarts
	if err := os.Setenv("TMPDIR", folder); err != nil {
		return m.Run()
	}
	return m.Run()
}
