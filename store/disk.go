package store

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// FreeSpace returns how many bytes this process can still use on the disk of the database file.
func (db *DB) FreeSpace() (int64, error) { return freeSpace(db.path) }

func freeSpace(path string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(path), &s); err != nil {
		return 0, fmt.Errorf("store: free space: %w", err)
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // 32 bits on some systems
}

// full reports whether the disk of a file has no space for one more page of the database.
func full(path string) bool {
	free, err := freeSpace(path)
	return err == nil && free < 4<<10
}

// disk describes the disk as of the first time that a transaction called DiskSpace.
type disk struct {
	free, wal int64
	err       error
}

// DiskSpace returns how many bytes are free on the disk of the database file, and the size of the
// WAL in bytes. The disk is checked only once per commit, even if several callers share the commit.
// Bytes that these callers have already stored (Accept, AddImportPart) aren't on the disk yet.
// DiskSpace counts them as part of the WAL, to which they will be written.
func (tx *Tx) DiskSpace() (free, wal int64, err error) {
	if tx.disk == nil {
		_, wal := tx.db.Size()
		free, err := tx.db.FreeSpace()
		tx.disk = &disk{free, wal, err}
	}
	return tx.disk.free - tx.taken, tx.disk.wal + tx.taken, tx.disk.err
}

// Size returns the sizes of the database file and of the WAL, in bytes.
func (db *DB) Size() (file, wal int64) {
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			return 0
		}
		return info.Size()
	}
	return size(db.path), size(db.path + "-wal")
}
