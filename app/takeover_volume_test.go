package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// volume is a disk that one machine at a time has attached. Each attachment is
// a loop device of its own over the same file, and so has its own file system
// in memory, as on a machine of its own: what the one has not synced the other
// does not see.
type volume struct {
	t       *testing.T
	image   string
	devices map[string]string // by folder
}

// newVolume makes an empty one, which needs root and loop devices.
func newVolume(t *testing.T, mib int64) *volume { return newVolumeIn(t, t.TempDir(), mib) }

// newVolumeIn makes one whose file, which grows as the disk is written, is in a
// folder.
func newVolumeIn(t *testing.T, folder string, mib int64) *volume {
	t.Helper()
	v := &volume{t, filepath.Join(folder, "disk"), map[string]string{}}
	require.NoError(t, os.WriteFile(v.image, nil, 0o600))
	require.NoError(t, os.Truncate(v.image, mib<<20))
	if out, err := exec.Command("mkfs.ext4", "-q", v.image).CombinedOutput(); err != nil {
		unmountable(t, "%v: %s", err, out)
	}
	return v
}

// attach mounts the volume on a machine, and returns where.
func (v *volume) attach() (folder string) {
	v.t.Helper()
	folder = v.t.TempDir()
	device, err := exec.Command("losetup", "--find", "--show", v.image).Output()
	if err != nil {
		unmountable(v.t, "losetup: %v", err)
	}
	v.devices[folder] = strings.TrimSpace(string(device))
	v.t.Cleanup(func() {
		_ = exec.Command("umount", "-l", folder).Run() // it may have been
		_ = exec.Command("losetup", "-d", v.devices[folder]).Run()
	})
	if out, err := exec.Command("mount", v.devices[folder], folder).CombinedOutput(); err != nil {
		unmountable(v.t, "%v: %s", err, out)
	}
	require.NoError(v.t, os.Chmod(folder, 0o700))
	return folder
}

// detach takes the volume from a machine as fencing does, or a cable that is
// pulled: what is in memory is lost, and whatever is read or written fails.
func (v *volume) detach(folder string) {
	v.t.Helper()
	f, err := os.Open(folder)
	require.NoError(v.t, err)
	defer f.Close()                                                                                     //nolint:errcheck // only read
	const shutdown, dropLog = 0x8004587d, 2                                                             // FS_IOC_SHUTDOWN and EXT4_GOING_FLAGS_NOLOGFLUSH of ext4(5)
	how := uint32(dropLog)                                                                              //
	_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), shutdown, uintptr(unsafe.Pointer(&how))) //nolint:gosec // an ioctl takes an address
	require.Zero(v.t, failed, failed)
}

// mount does something to the mount of a machine.
func (v *volume) mount(command string, args ...string) {
	v.t.Helper()
	out, err := exec.Command(command, args...).CombinedOutput()
	require.NoError(v.t, err, "%s", out)
}
