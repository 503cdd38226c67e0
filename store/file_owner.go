package store

import (
	"fmt"
	"os"
	"syscall"
)

// ChownLike gives a file that root has created the same owner as another file or folder (model).
// The service runs as that user and must be able to use the file. ChownLike does nothing if the
// process doesn't run as root.
func ChownLike(model, file string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(model)
	if err != nil {
		return fmt.Errorf("store: owner: %w", err)
	}
	owner := info.Sys().(*syscall.Stat_t)
	if err := os.Chown(file, int(owner.Uid), int(owner.Gid)); err != nil {
		return fmt.Errorf("store: owner: %w", err)
	}
	return nil
}
