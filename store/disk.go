package store

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// FreeSpace returns the bytes that are free for this process on the disk of
// the database file.
func (db *DB) FreeSpace() (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(db.path), &s); err != nil {
		return 0, fmt.Errorf("store: free space: %w", err)
	}
	return int64(s.Bavail) * s.Bsize, nil
}

// Size returns the bytes of the database file and of the log beside it.
func (db *DB) Size() (file, log int64) {
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	return size(db.path), size(db.path + "-wal")
}
