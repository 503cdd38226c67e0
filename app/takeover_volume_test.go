package app_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"birthregistry/app/longtest"
)

// volume is a disk that is attached to one machine at a time. Each attachment is a loop device
// of its own over the same file, so it has its own file system in memory, as on a separate
// machine: one machine doesn't see what the other hasn't synced. The file itself is on an
// outer volume, which stands for the machine's connection to the disk. When that is shut down,
// every read and write of the device fails, and the file system on it notices as it would on
// any disk. Without root or loop devices, a volume is a folder that is moved from one machine
// to the other.
type volume struct {
	t       *testing.T
	image   string            // its path on the outer volume, or absolute if there is none
	way     *volume           // the outer volume; nil if there is none
	devices map[string]string // by the folder where they are mounted
	ways    map[string]string // the outer volumes' folders, by the same
	moved   string            // the folder's present place, if the volume is a folder
}

// newVolume creates an empty volume.
func newVolume(t *testing.T, mib int64) *volume {
	t.Helper()
	longtest.Only(t, "takeovers by another machine")
	v, err := makeDisk(t, mib)
	if err == nil {
		return v
	}
	if !longtest.Lacks("disks") {
		t.Fatal(err)
	}
	t.Logf("a folder that is moved stands for the disk: %v", err)
	folder := filepath.Join(t.TempDir(), "volume")
	require.NoError(t, os.Mkdir(folder, 0o700))
	return &volume{t: t, moved: folder}
}

// newDisk creates an empty volume that is not a folder.
func newDisk(t *testing.T, mib int64) *volume {
	t.Helper()
	longtest.Only(t, "disks that run full and break")
	v, err := makeDisk(t, mib)
	if err != nil {
		unmountable(t, "%v", err)
	}
	return v
}

// newDiskIn creates a volume whose file is in a folder; the file grows as the disk is written.
func newDiskIn(t *testing.T, folder string, mib int64) *volume {
	t.Helper()
	v, err := makeVolume(t, filepath.Join(folder, "disk"), mib, nil)
	if err != nil {
		unmountable(t, "%v", err)
	}
	return v
}

// makeVolume creates a disk, which needs root and loop devices.
func makeVolume(t *testing.T, image string, mib int64, way *volume) (*volume, error) {
	t.Helper()
	v := &volume{t: t, image: image, way: way, devices: map[string]string{}, ways: map[string]string{}}
	require.NoError(t, os.WriteFile(image, nil, 0o600))
	require.NoError(t, os.Truncate(image, mib<<20))
	folder := t.TempDir()
	for _, command := range [][]string{{"mkfs.ext4", "-q", image}, {"mount", "-o", "loop", image, folder}, {"umount", folder}} {
		if out, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w: %s", command[0], err, out)
		}
	}
	return v, nil
}

// makeDisk creates a disk on an outer volume.
func makeDisk(t *testing.T, mib int64) (*volume, error) {
	t.Helper()
	way, err := makeVolume(t, filepath.Join(t.TempDir(), "way"), mib+mib/4+50, nil)
	if err != nil {
		return nil, err
	}
	folder := way.attach()
	v, err := makeVolume(t, filepath.Join(folder, "disk"), mib, way)
	if err == nil {
		v.image = "disk"
		v.run("umount", folder)
	}
	return v, err
}

// attach mounts the volume on a machine and returns the folder.
func (v *volume) attach() (folder string) {
	v.t.Helper()
	folder = v.t.TempDir()
	if v.moved != "" {
		require.NoError(v.t, os.Rename(v.moved, filepath.Join(folder, "volume")))
		v.moved = filepath.Join(folder, "volume")
		return v.moved
	}
	image := v.image
	if v.way != nil {
		v.ways[folder] = v.way.attach()
		image = filepath.Join(v.ways[folder], image)
	}
	device, err := exec.Command("losetup", "--find", "--show", image).Output()
	require.NoError(v.t, err)
	v.devices[folder] = strings.TrimSpace(string(device))
	v.t.Cleanup(func() {
		_ = exec.Command("umount", "-l", folder).Run() // it may have been unmounted already
		_ = exec.Command("losetup", "-d", v.devices[folder]).Run()
	})
	v.run("mount", v.devices[folder], folder)
	require.NoError(v.t, os.Chmod(folder, 0o700))
	return folder
}

// unmount takes the volume from a machine cleanly, even if a process still uses it.
func (v *volume) unmount(folder string) {
	v.t.Helper()
	if v.moved == "" {
		v.run("umount", "-l", folder)
		return
	}
	away := filepath.Join(v.t.TempDir(), "volume")
	require.NoError(v.t, os.Rename(v.moved, away))
	v.moved = away
}

// makeReadOnly has the file system refuse writes, as the kernel does when a disk fails.
func (v *volume) makeReadOnly(folder string) {
	v.t.Helper()
	v.run("mount", "-o", "remount,abort", folder)
}

// detach takes the volume from a machine as fencing or a pulled cable does: everything in
// memory is lost, and every read and write fails.
func (v *volume) detach(folder string) {
	v.t.Helper()
	if v.way != nil {
		folder = v.ways[folder]
	}
	f, err := os.Open(folder)
	require.NoError(v.t, err)
	defer f.Close() //nolint:errcheck // read only
	// FS_IOC_SHUTDOWN, which drops whatever was not synced (EXT4_GOING_FLAGS_NOLOGFLUSH).
	how := uint32(2)
	_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), 0x8004587d, uintptr(unsafe.Pointer(&how))) //nolint:gosec // ioctl takes an address
	require.Zero(v.t, failed, failed)
}

func (v *volume) run(command string, args ...string) {
	v.t.Helper()
	out, err := exec.Command(command, args...).CombinedOutput()
	require.NoError(v.t, err, "%s", out)
}
