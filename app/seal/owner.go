package seal

import (
	"fmt"
	"os"
	"syscall"
)

// sameOwner changes the owner of file to the owner of another file (of). When root rotates the key,
// the service must still be able to read the new key file.
func sameOwner(of, file string) error {
	was, err := os.Stat(of)
	if err != nil {
		return fmt.Errorf("seal: key file: %w", err)
	}
	is, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("seal: key file: %w", err)
	}
	a, b := was.Sys().(*syscall.Stat_t), is.Sys().(*syscall.Stat_t)
	if a.Uid == b.Uid && a.Gid == b.Gid {
		return nil
	}
	if err := os.Chown(file, int(a.Uid), int(a.Gid)); err != nil {
		return fmt.Errorf("seal: the key file belongs to somebody else; run the command as its owner: %w", err)
	}
	return nil
}
