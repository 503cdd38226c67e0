package store

import (
	"fmt"
	"os"
	"syscall"
)

// GiveTo gives a file that root has made to the owner of another file or
// folder: the service, which is somebody else, is to work with it. For everyone
// but root it does nothing.
func GiveTo(of, file string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(of)
	if err != nil {
		return fmt.Errorf("store: owner: %w", err)
	}
	owner := info.Sys().(*syscall.Stat_t)
	if err := os.Chown(file, int(owner.Uid), int(owner.Gid)); err != nil {
		return fmt.Errorf("store: owner: %w", err)
	}
	return nil
}
